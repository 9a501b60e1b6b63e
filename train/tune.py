"""Tunes the encoder for what Assay asks of it: a question is to come near the stretch that answers it, nearer than to
any other stretch of its corpus, and to none where none answers.

    python train/tune.py DOCUMENTS.jsonl memory/encode OUT.npz [minutes]

DOCUMENTS is as train/documents.py writes it. Matrices of low rank are learnt beside those of the encoder in the program and
added to them at the end, so the tuned encoder costs what it cost. A question is shown with one stretch that answers it and
with others of its corpus that are near to it; all stretches of a step are the others' wrong ones. A stretch that
is nearly as near as the right one may be right as well and is not shown. A sixteenth of the documents is left
out; the figures printed are theirs: whether the right stretch is among the first one, five, ten and fifty.
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

from bert import HEADS, LAYERS, WIDTH, Pieces, Shipped

RANK, SEED, LONGEST, BATCH, OTHERS, STEEP, RATE = 16, 3, 56, 64, 3, 20.0, 5e-4
ALSO_RIGHT, LOOKED_AT = 0.95, 80  # share of the right stretch's cosine that another may have; nearest stretches that are looked at
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
        self.none = nn.Parameter(torch.tensor(0.45))  # the cosine from which a stretch answers

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

    def vectors(self, model, texts, unit=48):
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

    def table(self, model, texts):
        """The same without learning, as numbers."""
        with torch.no_grad():
            return np.concatenate([self.vectors(model, texts[at : at + 4096]).numpy() for at in range(0, len(texts), 4096)])


def load(path):
    """The stretches of all documents, and the questions; good are indexes of stretches, corpus those of their corpus."""
    rows, questions, corpora = [], [], {}
    for d in map(json.loads, open(path)):
        start = len(rows)
        rows += d["rows"]
        corpora.setdefault(d["corpus"], []).extend(range(start, len(rows)))
        questions += [{"q": a["q"], "good": [start + g for g in a["good"]], "own": range(start, len(rows)), "doc": d["doc"], "corpus": d["corpus"]} for a in d["asked"]]
    return rows, questions, {c: np.array(l) for c, l in corpora.items()}


def near(question, table, vector, rows, corpora):
    """Wrong stretches that are near to a question, the nearest first."""
    if not question["good"]:
        own = np.array(question["own"])
        return [int(i) for i in own[np.argsort(-(table[own] @ vector), kind="stable")[:6]]]
    corpus = corpora[question["corpus"]]
    cosines = table[corpus] @ vector
    order, right = np.argsort(-cosines, kind="stable")[: LOOKED_AT + 40], max(float(table[g] @ vector) for g in question["good"])
    said = {rows[g] for g in question["good"]}
    fit = [int(corpus[i]) for i in order[:LOOKED_AT] if cosines[i] < ALSO_RIGHT * right and rows[corpus[i]] not in said][:25]
    return fit if len(fit) >= 8 else fit + [int(corpus[i]) for i in order[LOOKED_AT:] if rows[corpus[i]] not in said]


def examine(model, texts, held, rows, corpora, r=None):
    """Each question among the stretches of its document and some others of its corpus."""
    model.eval()
    ranks = []
    questions = texts.table(model, [q["q"] for q in held])
    for corpus in sorted({q["corpus"] for q in held}):
        r = random.Random(SEED)
        asked = [i for i, q in enumerate(held) if q["corpus"] == corpus and held[i]["good"]]
        among = {i for a in asked for i in held[a]["own"]}
        rest = [int(i) for i in corpora[corpus] if i not in among]
        among = sorted(among | set(r.sample(rest, min(len(rest), 150))))
        place = {i: j for j, i in enumerate(among)}
        table = texts.table(model, [rows[i] for i in among])
        for a in asked:
            cosines = table @ questions[a]
            ranks.append(int((cosines > max(cosines[place[g]] for g in held[a]["good"]) + 1e-6).sum()))
    model.train()
    return "among the first 1, 5, 10, 50: " + ", ".join(f"{np.mean(np.array(ranks) < n):.3f}" for n in (1, 5, 10, 50)) + f" of {len(ranks)}"


def loss_of(model, texts, rows, part, r):
    """The sum over the questions of a step."""
    shown = [([r.choice(q["good"])] if q["good"] else []) + r.sample(q["near"], min(OTHERS, len(q["near"]))) for q in part]
    every = sorted({i for s in shown for i in s})
    place = {i: j for j, i in enumerate(every)}
    cosines = texts.vectors(model, [q["q"] for q in part], BATCH) @ texts.vectors(model, [rows[i] for i in every]).T * STEEP
    loss = []
    for q, own, s in zip(part, shown, cosines):
        own = torch.cat([s[[place[i] for i in own]], (model.none * STEEP)[None]])
        if q["good"]:
            right = torch.logsumexp(s[[place[g] for g in q["good"] if g in place]], 0)
            loss.append(torch.logsumexp(s, 0) - right + 0.3 * (torch.logsumexp(own, 0) - right))
        else:
            loss.append(0.5 * (torch.logsumexp(own, 0) - own[-1]))
    return torch.stack(loss).mean()


def main():
    data, folder, out = sys.argv[1:4]
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 45
    p = Shipped(folder)
    texts, model, r = Texts(p), Tuned(p), random.Random(SEED)
    rows, questions, corpora = load(data)
    left = lambda q: zlib.crc32(q["doc"].encode()) % 16 == 0
    held, train = [q for q in questions if left(q)], [q for q in questions if not left(q)]
    model.eval()
    table, asked = texts.table(model, rows), texts.table(model, [q["q"] for q in train])
    for q, v in zip(train, asked):
        q["near"] = near(q, table, v, rows, corpora)
    learnt = [w for w in model.parameters() if w.requires_grad]
    print(len(rows), "stretches,", len(train), "questions;", sum(w.numel() for w in learnt), "weights; before:", examine(model, texts, held, rows, corpora), flush=True)
    opt, step, losses, share, began = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01), 0, [], 0, time.time()
    while share < 1:
        r.shuffle(train)
        for at in range(0, len(train) - BATCH, BATCH):
            share = (time.time() - began) / 60 / minutes
            if share >= 1:
                break
            for o in opt.param_groups:
                o["lr"] = RATE * min(1, (step + 1) / 30) * max(0.02, 0.5 * (1 + math.cos(math.pi * share)))
            loss = loss_of(model, texts, rows, train[at : at + BATCH], r)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learnt, 1.0)
            opt.step()
            losses.append(loss.item())
            step += 1
            if step % 25 == 0:
                print(f"{(time.time()-began)/60:.1f} min, step {step}, loss {sum(losses[-25:])/25:.3f}", flush=True)
            if step % 150 == 0:
                save(model, out)
    print("after:", examine(model, texts, held, rows, corpora), flush=True)
    save(model, out)


def save(model, out):
    """The sums, under the names of the package's tensors."""
    np.savez(out, none=model.none.detach().numpy(), **{m.name + ".weight": (m.w + m.up @ m.down).detach().numpy() for m in model.modules() if isinstance(m, Linear)})


if __name__ == "__main__":
    main()
