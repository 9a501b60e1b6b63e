"""How long onnxruntime takes over texts in single precision, beside memory/encode in the same run.

    python train/peer.py WHEEL [threads]

It needs torch, onnx, onnxruntime and Go. The graph is tune.py's forward pass.
"""

import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime
import torch

from bert import Package
from tune import Texts, Tuned

wheel, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
package = Package(wheel)
model, texts = Tuned(package).eval(), Texts(package)
ids = texts.pieces.of("the tenant pays the rent on the first of each month, " * 10)
ids = np.array([[texts.begin, *ids, texts.end]] * 16)
mask = np.ones_like(ids, bool)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.onnx")
    args = (torch.tensor(ids), torch.tensor(mask))
    torch.onnx.export(model, args, path, input_names=["ids", "mask"], output_names=["vectors"], opset_version=17, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
given = {i.name: v for i, v in zip(session.get_inputs(), (ids, mask))}


def peer():
    began = time.time()
    for _ in range(4):
        session.run(None, given)
    return 64 / (time.time() - began)


def ours():
    out = subprocess.run(["go", "test", "./memory/encode", "-run", "^$", "-bench", "Embed", "-cpu", str(threads), "-benchtime", "2x"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"([\d.]+) texts/s", out).group(1))


peer(), ours()
pairs = [(peer(), ours()) for _ in range(3)]
print(len(ids[0]), "pieces,", threads, "threads; texts a second: onnxruntime", *(f"{p:.1f}" for p, _ in pairs), "assay", *(f"{o:.1f}" for _, o in pairs))
print("ratio", f"{np.median([o / p for p, o in pairs]):.2f}")
