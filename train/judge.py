"""Teaches the encoder to judge: does this evidence support the claim, contradict it, or say nothing of it?

    python train/judge.py WHEEL TUNED.npz PAIRS.jsonl OUT.npz [steps [FROM.npz]]

A line of PAIRS is {"doc", "claim", "evidence", "label"}; claim and evidence are read together. Beside
each matrix of the upper layers one of low rank is learnt; the encoder itself stays as it is, so what its
lower layers say of a pair is computed once. A quarter of the documents is left out; the figures printed
are theirs. FROM goes on with what an earlier run learnt.
"""

import hashlib
import json
import math
import random
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

import tune
from bert import HEADS, WIDTH, Package

tune.RANK = 16
torch.set_num_threads(1)
WORKERS = ThreadPoolExecutor(2)  # of one thread each: they need not wait for each other
SEED, LONGEST, BATCH, RATE = 23, 96, 16, 1.2e-3
FROZEN = 3  # layers
LABELS = ["supported", "contradicted", "unsaid"]


class Beside(tune.Linear):
    def forward(self, x):  # cheaper where few rows are learnt from at a time
        return nn.functional.linear(x, self.w, self.b) + (x @ self.down.T) @ self.up.T


class Judge(tune.Tuned):
    """The lower layers stay as they are, so that what they say of a pair is computed once."""

    def __init__(self, p):
        tune.Linear, known = Beside, tune.Linear
        super().__init__(p)
        tune.Linear = known
        del self.none
        kinds = p["embeddings.token_type_embeddings.weight"]
        self.register_buffer("kinds", torch.tensor(np.stack([kinds[0] * 0, kinds[1] - kinds[0]])))
        self.layers[:FROZEN].requires_grad_(False)
        self.head = nn.Linear(WIDTH, len(LABELS))
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.drop = nn.Dropout(0.1)

    def through(self, layers, x, mask):
        n, w, _ = x.shape
        bias = torch.where(mask, 0.0, -1e9)[:, None, None, :]
        for l in layers:
            q, k, v = (t(x).reshape(n, w, HEADS, -1).transpose(1, 2) for t in (l.query, l.key, l.value))
            y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            x = l.mixed(x + l.mix(y.transpose(1, 2).reshape(n, w, WIDTH)))
            x = l.output(x + l.outer(nn.functional.gelu(l.inner(x))))
        return x

    def lower(self, ids, mask, kinds):
        with torch.no_grad():
            return self.through(self.layers[:FROZEN], self.first(self.words[ids] + self.places[: ids.shape[1]] + self.kinds[kinds]), mask)

    def forward(self, x, mask):
        x, m = self.through(self.layers[FROZEN:], x, mask), mask[..., None].float()
        return self.head(self.drop((x * m).sum(1) / m.sum(1)))


def read(texts, p):
    a = [texts.begin] + texts.pieces_of(p["claim"])[: LONGEST // 2 - 2] + [texts.end]
    b = texts.pieces_of(p["evidence"])[: LONGEST - 1 - len(a)] + [texts.end]
    return a + b, [0] * len(a) + [1] * len(b)


def understand(model, texts, pairs, unit=32):
    """What the lower layers say of each pair."""
    rows = [read(texts, p) for p in pairs]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))

    def some(part):
        w = len(rows[part[-1]][0])
        ids, mask, kinds = (np.zeros((len(part), w), t) for t in (int, bool, int))
        for j, i in enumerate(part):
            n = len(rows[i][0])
            ids[j, :n], mask[j, :n], kinds[j, :n] = rows[i][0], True, rows[i][1]
        for i, x in zip(part, model.lower(torch.tensor(ids), torch.tensor(mask), torch.tensor(kinds))):
            pairs[i]["x"] = x[: len(rows[i][0])].half()

    list(WORKERS.map(some, [order[at : at + unit] for at in range(0, len(order), unit)]))


def batch_of(pairs):
    w = max(len(p["x"]) for p in pairs)
    x, mask = torch.zeros(len(pairs), w, WIDTH), torch.zeros(len(pairs), w, dtype=torch.bool)
    for j, p in enumerate(pairs):
        x[j, : len(p["x"])], mask[j, : len(p["x"])] = p["x"], True
    return x, mask


class Texts(tune.Texts):
    def pieces_of(self, text):
        if text not in self.known:
            self.known[text] = self.pieces.of(text[:1500])
        return self.known[text]


def sized(pairs):
    return sorted(pairs, key=lambda p: len(p["x"]))


def logits(model, pairs, unit=32):
    model.eval()
    out = np.zeros((len(pairs), len(LABELS)), np.float32)
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i]["x"]))

    def some(part):
        with torch.no_grad():
            out[part] = model(*batch_of([pairs[i] for i in part])).numpy()

    list(WORKERS.map(some, [order[at : at + unit] for at in range(0, len(order), unit)]))
    model.train()
    return out


def auc(right, wrong):
    s = np.concatenate([right, wrong])
    rank = s.argsort().argsort() + 1
    return (rank[: len(right)].sum() - len(right) * (len(right) + 1) / 2) / max(1, len(right) * len(wrong))


def examine(model, pairs):
    z = logits(model, pairs)
    y = np.array([LABELS.index(p["label"]) for p in pairs])
    gold = np.array([p.get("gold", True) for p in pairs])
    s = z[:, 0] - np.logaddexp(z[:, 1], z[:, 2])
    of = lambda c: s[(y == c) & gold]
    return f"accuracy {(z.argmax(1) == y).mean():.3f}, of deciding stretches {(z.argmax(1) == y)[gold].mean():.3f}; AUC supported from contradicted {auc(of(0), of(1)):.3f}, from the rest {auc(of(0), s[y == 2]):.3f}"


def packaged(wheel, tuned):
    p, t = Package(wheel), np.load(tuned)
    p.tensors |= {n: t[n] for n in t.files if n != "none"}
    return p


def left_out(doc):
    return zlib.crc32(doc.encode()) % 4 == 0


def main():
    wheel, tuned, data, out = sys.argv[1:5]
    steps = int(sys.argv[5]) if len(sys.argv) > 5 else 900
    torch.manual_seed(SEED)
    p = packaged(wheel, tuned)
    model = load(p, sys.argv[6]) if len(sys.argv) > 6 else Judge(p)
    texts, r = Texts(p), random.Random(SEED)
    raw = open(data, "rb").read()
    pairs = [json.loads(l) for l in raw.splitlines()]
    held = [q for q in pairs if left_out(q["doc"]) and not q.get("made")]
    train = [q for q in pairs if not left_out(q["doc"])]
    learnt = [q for q in model.parameters() if q.requires_grad]
    print("data", hashlib.sha256(raw).hexdigest()[:16], len(train), "pairs;", len(held), "left out;", sum(q.numel() for q in learnt), "weights", flush=True)
    began = time.time()
    understand(model, texts, held + train)
    print(f"{(time.time()-began)/60:.1f} min for the lower layers", flush=True)
    opt = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
    began, step, losses = time.time(), 0, []
    while step < steps:
        r.shuffle(train)
        batches = []
        for at in range(0, len(train), BATCH * 16):
            part = train[at : at + BATCH * 16]
            part = sized(part)
            batches += [part[j : j + BATCH] for j in range(0, len(part), BATCH)]
        r.shuffle(batches)
        for b in batches:
            if step == steps:
                break
            for o in opt.param_groups:
                o["lr"] = RATE * min(1, (step + 1) / 30) * max(0.02, 0.5 * (1 + math.cos(math.pi * step / steps)))

            def some(part):
                y = torch.tensor([LABELS.index(q["label"]) for q in part])
                loss = nn.functional.cross_entropy(model(*batch_of(part)), y, label_smoothing=0.05, reduction="sum") / len(b)
                return loss.item(), torch.autograd.grad(loss, learnt)

            done = list(WORKERS.map(some, [b[0::2], b[1::2]] if len(b) > 1 else [b]))
            for q, *g in zip(learnt, *(g for _, g in done)):
                q.grad = sum(g)
            nn.utils.clip_grad_norm_(learnt, 1.0)
            opt.step()
            losses.append(sum(l for l, _ in done))
            step += 1
            if step % 20 == 0:
                print(f"{(time.time()-began)/60:.1f} min, step {step}, loss {sum(losses[-20:])/20:.3f}", flush=True)
            if step % 100 == 0:
                print(examine(model, held), flush=True)
                save(model, out)
    print("after:", step, "steps;", examine(model, held), flush=True)
    save(model, out)


def load(package, learnt):
    """A judge with what save wrote."""
    model, z = Judge(package), np.load(learnt)
    for m in model.modules():
        if isinstance(m, tune.Linear) and m.name + ".up" in z.files:
            m.down.data, m.up.data = torch.tensor(z[m.name + ".down"]), torch.tensor(z[m.name + ".up"])
    model.head.weight.data, model.head.bias.data = torch.tensor(z["head"]), torch.tensor(z["bias"])
    return model


def save(model, out):
    """The matrices of low rank, under the names of the package's tensors, and the head."""
    low = {}
    for m in model.modules():
        if isinstance(m, tune.Linear) and m.up.requires_grad:
            low[m.name + ".down"], low[m.name + ".up"] = m.down.detach().numpy(), m.up.detach().numpy()
    np.savez(out, head=model.head.weight.detach().numpy(), bias=model.head.bias.detach().numpy(), **low)


if __name__ == "__main__":
    main()
