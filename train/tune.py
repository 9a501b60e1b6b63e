"""Tunes the encoder for what Assay asks of it: a question is to come near the stretch that answers
it, nearer than to any other stretch of its document, and to none where none answers.

    python train/tune.py WHEEL DOCUMENTS.jsonl OUT.npz [minutes]

A line of DOCUMENTS is {"doc", "rows": [stretches as memory/answer reads them], "asked": [{"q", "good":
[indexes of rows]}]}; a question without good is not answered there. Matrices of low rank are learnt
beside the encoder's own and added to them at the end, so the tuned encoder costs what it cost.
A twelfth of the documents is left out; the figures printed are theirs.
"""

import json
import math
import random
import sys
import time
import zlib

import numpy as np
import torch
from torch import nn

from bert import HEADS, LAYERS, WIDTH, Package, Pieces

RANK, SEED, LONGEST, ROWS, OTHERS, TOKENS, STEEP, RATE = 16, 17, 56, 40, 6, 2400, 20.0, 6e-4
torch.manual_seed(SEED)
torch.set_num_threads(2)


class Linear(nn.Module):
    def __init__(self, p, name):
        super().__init__()
        self.name = name
        self.register_buffer("w", torch.tensor(p[name + ".weight"].copy()))
        self.register_buffer("b", torch.tensor(p[name + ".bias"].copy()))
        self.down = nn.Parameter(torch.randn(RANK, self.w.shape[1]) / math.sqrt(self.w.shape[1]))
        self.up = nn.Parameter(torch.zeros(self.w.shape[0], RANK))

    def forward(self, x):
        # One product with the sum is cheaper than three, since there are many rows.
        return nn.functional.linear(x, self.w + self.up @ self.down, self.b)


def norm(p, name):
    n = nn.LayerNorm(WIDTH, eps=1e-12)
    n.weight.data, n.bias.data = torch.tensor(p[name + ".weight"].copy()), torch.tensor(p[name + ".bias"].copy())
    return n.requires_grad_(False)


def layers_of(p, linear):
    """The encoder's layers, their matrices as linear makes them."""
    layers = nn.ModuleList()
    for i in range(LAYERS):
        at, l = f"encoder.layer.{i}.", nn.Module()
        for to, name in (("query", "attention.self.query"), ("key", "attention.self.key"), ("value", "attention.self.value"), ("mix", "attention.output.dense"), ("inner", "intermediate.dense"), ("outer", "output.dense")):
            setattr(l, to, linear(p, at + name))
        l.mixed, l.output = norm(p, at + "attention.output.LayerNorm"), norm(p, at + "output.LayerNorm")
        layers.append(l)
    return layers


def through(layers, x, mask):
    """The last layer's vectors of pieces; mask says which are there."""
    n, w, _ = x.shape
    bias = torch.where(mask, 0.0, -1e9)[:, None, None, :]
    for l in layers:
        q, k, v = (t(x).reshape(n, w, HEADS, -1).transpose(1, 2) for t in (l.query, l.key, l.value))
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = l.mixed(x + l.mix(y.transpose(1, 2).reshape(n, w, WIDTH)))
        x = l.output(x + l.outer(nn.functional.gelu(l.inner(x))))
    return x


class Tuned(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.register_buffer("words", torch.tensor(p["embeddings.word_embeddings.weight"].copy()))
        self.register_buffer("places", torch.tensor(p["embeddings.position_embeddings.weight"] + p["embeddings.token_type_embeddings.weight"][0]))
        self.first = norm(p, "embeddings.LayerNorm")
        self.layers = layers_of(p, Linear)
        self.none = nn.Parameter(torch.tensor(0.35))  # the cosine from which a stretch answers

    def forward(self, ids, mask):
        x = through(self.layers, self.first(self.words[ids] + self.places[: ids.shape[1]]), mask)
        return nn.functional.normalize((x * mask[..., None]).sum(1), dim=-1)


class Texts:
    def __init__(self, p):
        self.pieces, self.known = Pieces(p.vocabulary), {}
        self.begin, self.end = self.pieces.ids["[CLS]"], self.pieces.ids["[SEP]"]

    def of(self, text):
        if text not in self.known:
            self.known[text] = [self.begin] + self.pieces.of(text[:1500])[: LONGEST - 2] + [self.end]
        return self.known[text]

    def vectors(self, model, texts, unit=32):
        """The vectors of texts, those of like length together."""
        order = sorted(range(len(texts)), key=lambda i: len(self.of(texts[i])))
        out = [None] * len(texts)
        for at in range(0, len(order), unit):
            part = order[at : at + unit]
            w = len(self.of(texts[part[-1]]))
            ids, mask = np.zeros((len(part), w), int), np.zeros((len(part), w), bool)
            for j, i in enumerate(part):
                x = self.of(texts[i])
                ids[j, : len(x)], mask[j, : len(x)] = x, True
            for i, v in zip(part, model(torch.tensor(ids), torch.tensor(mask))):
                out[i] = v
        return torch.stack(out)


def examine(model, texts, docs):
    model.eval()
    first = three = some = none = right = refused = answered = 0
    with torch.no_grad():
        for d in docs:
            rows = texts.vectors(model, d["rows"])
            asked = texts.vectors(model, [a["q"] for a in d["asked"]])
            for a, s in zip(d["asked"], (asked @ rows.T).numpy()):
                if a["good"]:
                    some += 1
                    best = max(s[i] for i in a["good"])
                    above = sum(1 for i, x in enumerate(s) if x > best and i not in a["good"])
                    first, three, answered = first + (above == 0), three + (above < 3), answered + (s.max() > model.none.item())
                else:
                    none, refused = none + 1, refused + (s.max() <= model.none.item())
    model.train()
    return f"first {first/max(1,some):.3f}, in three {three/max(1,some):.3f}, answered {answered/max(1,some):.3f} of {some}; refused {refused/max(1,none):.3f} of {none} below {model.none.item():.3f}"


def batches(docs, texts, r):
    """Documents until their stretches have so many word pieces; of a long document the stretches that answer and some others."""
    batch, size = [], 0
    for d in docs:
        asked = r.sample(d["asked"], min(len(d["asked"]), 16))
        keep = {i for a in asked for i in a["good"]}
        others = [i for i in range(len(d["rows"])) if i not in keep]
        keep = sorted(keep) + r.sample(others, min(len(others), max(OTHERS, ROWS - len(keep)) if len(asked) > 8 else OTHERS + len(keep)))
        place = {i: j for j, i in enumerate(keep)}
        batch.append(([d["rows"][i] for i in keep], [(a["q"], [place[i] for i in a["good"]]) for a in asked]))
        size += sum(len(texts.of(t)) for t in batch[-1][0])
        if size > TOKENS:
            yield batch
            batch, size = [], 0


def load(path):
    """The documents that are left out, and the others."""
    docs = [json.loads(l) for l in open(path)]
    left = [zlib.crc32(d["doc"].encode()) % 12 == 0 for d in docs]
    return [d for d, l in zip(docs, left) if l], [d for d, l in zip(docs, left) if not l]


def main():
    wheel, data, out = sys.argv[1:4]
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 40
    p = Package(wheel)
    texts, model = Texts(p), Tuned(p)
    r = random.Random(SEED)
    held, train = load(data)
    held = [d for d in held if len(d["asked"]) > 8] + [d for d in held if len(d["asked"]) <= 8][:40]
    learnt = [q for q in model.parameters() if q.requires_grad]
    print(len(train), "documents,", sum(len(d["asked"]) for d in train), "questions;", sum(q.numel() for q in learnt), "weights", flush=True)
    print("before:", examine(model, texts, held), flush=True)
    opt = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
    began, step, losses = time.time(), 0, []
    share = 0
    while share < 1:
        _, train = load(data)
        r.shuffle(train)
        for batch in batches(train, texts, r):
            share = (time.time() - began) / 60 / minutes
            if share >= 1:
                break
            for o in opt.param_groups:
                o["lr"] = RATE * min(1, (step + 1) / 20) * max(0.02, 0.5 * (1 + math.cos(math.pi * share)))
            rows = texts.vectors(model, [t for part, _ in batch for t in part])
            asked = texts.vectors(model, [q for _, part in batch for q, _ in part])
            s = asked @ rows.T * STEEP
            loss, at, start = [], 0, 0
            for part, questions in batch:
                for _, good in questions:
                    own = torch.cat([s[at, start : start + len(part)], (model.none * STEEP)[None]])
                    if good:
                        right = torch.logsumexp(s[at, [start + g for g in good]], 0)
                        loss.append(torch.logsumexp(s[at], 0) - right + 0.5 * (torch.logsumexp(own, 0) - right))
                    else:
                        loss.append(0.5 * (torch.logsumexp(own, 0) - own[-1]))
                    at += 1
                start += len(part)
            total = torch.stack(loss).mean()
            opt.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(learnt, 1.0)
            opt.step()
            losses.append(total.item())
            step += 1
            if step % 20 == 0:
                print(f"{(time.time()-began)/60:.1f} min, step {step}, loss {sum(losses[-20:])/20:.3f}", flush=True)
            if step % 100 == 0:
                print(examine(model, texts, held), flush=True)
                save(model, out)
    print("after:", examine(model, texts, held), flush=True)
    save(model, out)


def save(model, out):
    """The sums, under the names of the package's tensors."""
    np.savez(out, none=model.none.detach().numpy(), **{m.name + ".weight": (m.w + m.up @ m.down).detach().numpy() for m in model.modules() if isinstance(m, Linear)})


if __name__ == "__main__":
    main()
