"""Teaches a small network to judge a claim by the pieces of claim and evidence as the encoder sees them.

    python train/match.py WHEEL TUNED.npz PAIRS.jsonl [epochs]

The encoder stays as it is and reads each text alone. Each piece of one text is compared with the mean of
the other's pieces, weighed by how near they are to it (Parikh et al., "A decomposable attention model",
2016); what comes of all pieces decides. Beside the usual loss, of two claims about one stretch the true one
has to stand above the false one. PAIRS and what is left out are as in judge.py. Nothing is written: what it
reached is in docs/measurements.md.
"""

import json
import math
import random
import sys
import time

import numpy as np
import torch
from torch import nn

import judge
from bert import WIDTH

SEED, LONGEST, GROUPS, RATE = 7, 60, 14, 1e-3
LAYERS = [0, 2, 4, 6]  # whose vectors of the pieces are compared; 0 is what goes into the first
torch.set_num_threads(2)


class Match(nn.Module):
    def __init__(self, narrow=96, wide=128, drop=0.2):
        super().__init__()
        n = len(LAYERS)
        self.sharp = nn.Parameter(torch.full((n,), 4.0))
        self.narrow = nn.Linear(WIDTH * n, narrow, bias=False)
        self.compare = nn.Sequential(nn.Linear(4 * narrow + n + 1, wide), nn.ReLU(), nn.Dropout(drop), nn.Linear(wide, wide), nn.ReLU())
        self.decide = nn.Sequential(nn.Dropout(drop), nn.Linear(4 * wide + n, wide), nn.ReLU(), nn.Dropout(drop), nn.Linear(wide, 3))
        self.drop = nn.Dropout(drop)

    def side(self, a, b, near, here, there):
        weight = (near * self.sharp).sum(-1).masked_fill(~there[:, None, :], -1e9).softmax(-1)
        other, fit = weight @ b, torch.einsum("bij,bijl->bil", weight, near)
        z = self.compare(torch.cat([a, other, (a - other).abs(), a * other, fit, weight.max(-1).values[..., None]], -1)) * here[..., None]
        return z.sum(1) / 10, (z - 1e4 * (~here)[..., None]).max(1).values, (fit + 10 * (~here)[..., None]).min(1).values

    def forward(self, a, b, here, there):
        near = torch.einsum("bilw,bjlw->bijl", a, b)
        p, q = (self.drop(self.narrow(x.flatten(2) * 4)) for x in (a, b))
        u, v = self.side(p, q, near, here, there), self.side(q, p, near.transpose(1, 2), there, here)
        return self.decide(torch.cat([u[0], u[1], v[0], v[1], u[2]], -1))


def vectors(encoder, texts, of):
    """The vectors of each text's pieces, of length one, by layer."""
    rows = [[texts.begin] + texts.pieces_of(t)[:LONGEST] + [texts.end] for t in of]
    order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), {}
    with torch.no_grad():
        for at in range(0, len(order), 64):
            part = order[at : at + 64]
            w = len(rows[part[-1]])
            ids, mask = np.zeros((len(part), w), int), np.zeros((len(part), w), bool)
            for j, i in enumerate(part):
                ids[j, : len(rows[i])], mask[j, : len(rows[i])] = rows[i], True
            x = encoder.first(encoder.words[torch.tensor(ids)] + encoder.places[:w])
            seen = [x]
            for l in encoder.layers:
                seen.append(x := encoder.through([l], x, torch.tensor(mask)))
            z = torch.stack([nn.functional.normalize(seen[k], dim=-1) for k in LAYERS], 2).half()
            for j, i in enumerate(part):
                out[of[i]] = z[j, : len(rows[i])].clone()
    return out


def padded(list):
    x = torch.zeros(len(list), max(map(len, list)), len(LAYERS), WIDTH)
    mask = torch.zeros(x.shape[:2], dtype=torch.bool)
    for i, v in enumerate(list):
        x[i, : len(v)], mask[i, : len(v)] = v, True
    return x, mask


def grouped(pairs):
    out = {}
    for p in pairs:
        out.setdefault((p["doc"], p["evidence"]), []).append(p)
    return list(out.values())


def main():
    wheel, tuned, data = sys.argv[1:4]
    epochs = int(sys.argv[4]) if len(sys.argv) > 4 else 6
    torch.manual_seed(SEED)
    r, package = random.Random(SEED), judge.packaged(wheel, tuned)
    pairs = [json.loads(l) for l in open(data)]
    known = vectors(judge.Judge(package).eval(), judge.Texts(package), sorted({p[k] for p in pairs for k in ("claim", "evidence")}))
    held = [p for p in pairs if judge.left_out(p["doc"]) and not p.get("made")]
    train = grouped(p for p in pairs if not judge.left_out(p["doc"]))
    net = Match()
    opt = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.01)

    def logits(some):
        (a, here), (b, there) = (padded([known[p[k]] for p in some]) for k in ("claim", "evidence"))
        return net(a, b, here, there)

    def examine():
        net.eval()
        with torch.no_grad():
            z = torch.cat([logits(held[at : at + 32]) for at in range(0, len(held), 32)]).numpy()
        net.train()
        label, gold = np.array([judge.LABELS.index(p["label"]) for p in held]), np.array([p.get("gold", True) for p in held])
        s = z[:, 0] - np.logaddexp(z[:, 1], z[:, 2])
        of = lambda c: s[(label == c) & gold]
        return f"accuracy {(z.argmax(1) == label).mean():.3f}; AUC supported from contradicted {judge.auc(of(0), of(1)):.3f}, from the rest {judge.auc(of(0), s[label == 2]):.3f}"

    began, step, steps = time.time(), 0, epochs * len(train) // GROUPS
    for epoch in range(epochs):
        r.shuffle(train)
        batches = []
        for at in range(0, len(train), GROUPS * 16):
            part = sorted(train[at : at + GROUPS * 16], key=lambda g: len(known[g[0]["evidence"]]))
            batches += [part[j : j + GROUPS] for j in range(0, len(part), GROUPS)]
        r.shuffle(batches)
        for groups in batches:
            for o in opt.param_groups:
                o["lr"] = RATE * min(1, (step + 1) / 50) * max(0.02, 0.5 * (1 + math.cos(math.pi * min(1, step / steps))))
            some = [p for g in groups for p in g]
            y, of = torch.tensor([judge.LABELS.index(p["label"]) for p in some]), torch.tensor([i for i, g in enumerate(groups) for _ in g])
            z = logits(some)
            loss, d = nn.functional.cross_entropy(z, y, label_smoothing=0.05), z[:, 0] - z[:, 1]
            true, false = ((of[:, None] == of) & (y[:, None] == 0) & (y == 1)).nonzero(as_tuple=True)
            if len(true):
                loss = loss + nn.functional.softplus(d[false] - d[true]).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            step += 1
        print(f"{(time.time()-began)/60:.1f} min, epoch {epoch+1}: {examine()}", flush=True)


if __name__ == "__main__":
    main()
