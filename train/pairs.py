"""What reads two texts together: the encoder in the program with matrices of low rank beside its own.

reader.py and judge.py teach it. With MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=-1 in the environment, memory is not
given back and asked for again at every step, which took most of the time.
"""

import json
import math
import pathlib
import time
import zlib

import numpy as np
import torch
from torch import nn

import convert
import tune
from bert import INNER, LAYERS, WIDTH, Pieces, Sections
from tune import RANK


class Linear(tune.Linear):
    """Cheaper than a product with the sum where few rows go through at a time."""

    def forward(self, x):
        return nn.functional.linear(x, self.w, self.b) + (x @ self.down.T) @ self.up.T


class Reader(nn.Module):
    """Some numbers for each pair, of the mean of its pieces."""

    def __init__(self, p, numbers, longest, first):
        super().__init__()
        self.longest, self.most = longest, first  # word pieces of a pair, and of its first text
        self.pieces, self.known = Pieces(p.vocabulary), {}
        self.begin, self.end = self.pieces.ids["[CLS]"], self.pieces.ids["[SEP]"]
        self.register_buffer("words", torch.tensor(p["embeddings.word_embeddings.weight"]))
        self.register_buffer("places", torch.tensor(p["embeddings.position_embeddings.weight"]))
        self.register_buffer("kinds", torch.tensor(p["embeddings.token_type_embeddings.weight"].copy()))
        self.first, self.layers = tune.norm(p, "embeddings.LayerNorm"), tune.layers_of(p, Linear)
        self.head = nn.Linear(WIDTH, numbers)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.drop = nn.Dropout(0.1)

    def matrices(self):
        return [m for l in self.layers for m in (l.query, l.key, l.value, l.mix, l.inner, l.outer)]

    def of(self, text):
        if text not in self.known:
            self.known[text] = self.pieces.of(text[:1500])
        return self.known[text]

    def size(self, pair):
        return min(self.longest, 3 + min(self.most, len(self.of(pair[0]))) + len(self.of(pair[1])))

    def forward(self, pairs):
        """Pairs of like length go through together."""
        order, out = sorted(range(len(pairs)), key=lambda i: self.size(pairs[i])), [None] * len(pairs)
        unit = max(24, (len(order) + 1) // 2) if self.training else 64
        for at in range(0, len(order), unit):
            part = order[at : at + unit]
            for i, z in zip(part, self.together([pairs[i] for i in part])):
                out[i] = z
        return torch.stack(out)

    def together(self, pairs):
        w = max(map(self.size, pairs))
        ids, mask, kinds = (np.zeros((len(pairs), w), t) for t in (int, bool, int))
        for j, (a, b) in enumerate(pairs):
            a = [self.begin] + self.of(a)[: self.most] + [self.end]
            b = self.of(b)[: self.longest - 1 - len(a)] + [self.end]
            n = len(a) + len(b)
            ids[j, :n], mask[j, :n], kinds[j, :n] = a + b, True, [0] * len(a) + [1] * len(b)
        mask = torch.tensor(mask)
        with torch.no_grad():
            x = self.first(self.words[torch.tensor(ids)] + self.places[:w] + self.kinds[torch.tensor(kinds)])
        x = tune.through(self.layers, x, mask)
        m = mask[..., None].float()
        return self.head(self.drop((x * m).sum(1) / m.sum(1)))

    def told(self, pairs):
        """The numbers of pairs, without learning."""
        self.eval()
        with torch.no_grad():
            out = self(pairs).numpy()
        self.train()
        return out

    def save(self, path):
        low = {}
        for m in self.matrices():
            low[m.name + ".down"], low[m.name + ".up"] = m.down.detach().numpy(), m.up.detach().numpy()
        np.savez(path, head=self.head.weight.detach().numpy(), bias=self.head.bias.detach().numpy(), **low)

    def load(self, path):
        z = np.load(path)
        for m in self.matrices():
            m.down.data, m.up.data = torch.tensor(z[m.name + ".down"]), torch.tensor(z[m.name + ".up"])
        self.head.weight.data, self.head.bias.data = torch.tensor(z["head"]), torch.tensor(z["bias"])

    def begin_with(self, path):
        """The matrices of an adapter of the program, and its head where that has as many numbers: one."""
        data = pathlib.Path(path).read_bytes()
        n = int.from_bytes(data[16:20], "little")
        head, sections = json.loads(data[20 : 20 + n]), Sections(data, 20 + n)
        half = lambda n: sections.take(RANK * n, "i1").reshape(RANK, n) * sections.take(RANK, "<f4")[:, None]
        for m in self.matrices()[6 * head["from"] :]:
            m.down.data = torch.tensor(half(m.w.shape[1]))
            m.up.data = torch.tensor(half(m.w.shape[0]).T.copy())
        if len(self.head.bias) == 1:
            self.head.weight.data = torch.tensor(sections.take(WIDTH, "<f4")[None].copy())
            self.head.bias.data = torch.tensor(sections.take(1, "<f4").copy())

    def write(self, package, path):
        """The adapter as memory/encode/adapter.go reads it."""
        w = convert.Writer()
        head = {"of": weighed(package), "layers": LAYERS, "from": 0, "width": WIDTH, "inner": INNER, "longest": self.longest, "first": self.most}
        head = json.dumps(head).encode()
        w.add(b"assay adapter 1\n" + len(head).to_bytes(4, "little") + head)
        with torch.no_grad():
            for m in self.matrices():
                # Both halves at one size, so that neither is rounded more than the other.
                q, r = torch.linalg.qr(m.down.T)
                u, s, v = torch.linalg.svd(m.up @ r.T, full_matrices=False)
                for half in ((q @ v.T * s.sqrt()).T, (u * s.sqrt()).T):
                    whole, scale = convert.rows(half.numpy(), 8)
                    w.add(whole)
                    w.add(scale.astype("<f4"))
            w.add(self.head.weight.numpy().astype("<f4"))
            w.add(self.head.bias.numpy().astype("<f4"))
        pathlib.Path(path).write_bytes(w.data)
        return len(w.data)


def weighed(package):
    """What tells the weights from others of the same name, as memory/encode does."""
    return f"{zlib.crc32(b''.join(s.astype('<f4').tobytes() for s in package.scales)):08x}"


def learn(model, batches, loss_of, minutes, rate, every, look):
    """Learns for some minutes; batches gives those of an epoch. look is called now and then, and at the end."""
    learnt = [q for q in model.parameters() if q.requires_grad]
    opt = torch.optim.AdamW(learnt, lr=rate, weight_decay=0.01)
    began, step, share, losses, next_look = time.time(), 0, 0, [], every
    while share < 1:
        for b in batches():
            share = (time.time() - began) / 60 / minutes
            if share >= 1:
                break
            for o in opt.param_groups:
                o["lr"] = rate * min(1, (step + 1) / 50) * max(0.02, 0.5 * (1 + math.cos(math.pi * share)))
            loss = loss_of(b)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learnt, 1.0)
            opt.step()
            losses.append(loss.item())
            step += 1
            if step % 50 == 0:
                print(f"{share*minutes:.1f} min, step {step}, loss {np.mean(losses[-50:]):.3f}", flush=True)
            if share * minutes > next_look:
                print(look(), flush=True)
                next_look += every
    print("after", step, "steps:", look(), flush=True)


def by_size(items, size, batch, r):
    """Batches of items of like size, in random order."""
    items = list(items)
    r.shuffle(items)
    out = []
    for at in range(0, len(items), batch * 20):
        part = sorted(items[at : at + batch * 20], key=size)
        out += [part[j : j + batch] for j in range(0, len(part), batch)]
    r.shuffle(out)
    return out


def auc(right, wrong):
    s = np.concatenate([right, wrong])
    rank = s.argsort().argsort() + 1
    return (rank[: len(right)].sum() - len(right) * (len(right) + 1) / 2) / max(1, len(right) * len(wrong))
