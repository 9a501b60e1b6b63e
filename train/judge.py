"""Teaches the encoder to judge: does this evidence support the claim, contradict it, or say nothing of it?

    python train/judge.py PAIRS.jsonl memory/encode OUT.npz [minutes [FROM.npz]]

A line of PAIRS, as claims.py writes them, is {"doc", "claim", "evidence", "label"}; claim and evidence are read
together. Beside the usual loss, of two claims about one stretch the true one has to stand above the false one.
A quarter of the documents is left out; the figures printed are theirs. It begins with what reads questions, or
goes on with FROM.
"""

import hashlib
import json
import random
import sys
import zlib

import numpy as np
import torch
from torch import nn

import pairs
from bert import Shipped

SEED, LONGEST, FIRST, GROUPS, RATE = 5, 84, 38, 12, 1.5e-3
LABELS = ["supported", "contradicted", "unsaid"]


def left_out(doc):
    return zlib.crc32(doc.encode()) % 4 == 0


def both(items):
    return [(p["claim"], p["evidence"]) for p in items]


def grouped(items):
    out = {}
    for p in items:
        out.setdefault((p["doc"], p["evidence"]), []).append(p)
    return list(out.values())


def loss_of(model, groups):
    items = [p for g in groups for p in g][:64]
    of = torch.tensor([i for i, g in enumerate(groups) for _ in g][:64])
    y = torch.tensor([LABELS.index(p["label"]) for p in items])
    z = model(both(items))
    loss, d = nn.functional.cross_entropy(z, y, label_smoothing=0.05), z[:, 0] - z[:, 1]
    true, false = ((of[:, None] == of) & (y[:, None] == 0) & (y == 1)).nonzero(as_tuple=True)
    if len(true):
        loss = loss + nn.functional.softplus(d[false] - d[true]).mean()
    return loss


def examine(model, items):
    z = model.told(both(items))
    y = np.array([LABELS.index(p["label"]) for p in items])
    gold = np.array([p.get("gold", True) for p in items])
    s = z[:, 0] - np.logaddexp(z[:, 1], z[:, 2])
    of = lambda c: s[(y == c) & gold]
    return f"accuracy {(z.argmax(1) == y).mean():.3f}; AUC supported from contradicted {pairs.auc(of(0), of(1)):.3f}, from the rest {pairs.auc(of(0), s[y == 2]):.3f}"


def main():
    data, folder, out = sys.argv[1:4]
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 30
    torch.manual_seed(SEED)
    r, model = random.Random(SEED), pairs.Reader(Shipped(folder), len(LABELS), LONGEST, FIRST)
    model.begin_with(folder + "/answers.bin")
    if len(sys.argv) > 5:
        model.load(sys.argv[5])
    raw = open(data, "rb").read()
    every = [json.loads(l) for l in raw.splitlines()]
    held = [p for p in every if left_out(p["doc"]) and not p.get("made")]
    # A stretch that stands beside unsaid claims alone is kept for one of two.
    train = [g for g in grouped(p for p in every if not left_out(p["doc"])) if any(p["label"] != "unsaid" for p in g) or r.random() < 0.5]
    print("data", hashlib.sha256(raw).hexdigest()[:16], sum(map(len, train)), "pairs;", len(held), "left out", flush=True)
    some = held[:1200]
    batches = lambda: pairs.by_size(train, lambda g: model.size((g[0]["claim"], g[0]["evidence"])), GROUPS, r)
    pairs.learn(model, batches, lambda b: loss_of(model, b), minutes, RATE, 10, lambda: examine(model, some))
    print(examine(model, held), flush=True)
    model.save(out)


if __name__ == "__main__":
    main()
