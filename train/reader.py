"""Teaches the encoder to read a question and a stretch together: does the second answer the first?

    python train/reader.py WHEEL TUNED.npz DOCUMENTS.jsonl OUT.npz [minutes]
    python train/reader.py write WHEEL TUNED.npz DOCUMENTS.jsonl OUT.npz memory/encode

DOCUMENTS is as train/documents.py writes it. A question is shown with up to two stretches that answer it,
the nearest others of its document and one near stretch of another document; it has to tell the right ones
from the others, and from nothing, which has the log-odds 0. Adapters are as in judge.py, and so is what is
frozen. An eighth of the documents is left out; the figures printed are theirs: the tuned encoder has seen
most of them. The second form writes what memory/encode reads.
"""

import hashlib
import json
import math
import pathlib
import random
import sys
import time
import zlib

import numpy as np
import torch
from torch import nn

import convert
import judge
import tune
from bert import INNER, LAYERS, WIDTH

SEED, LONGEST, FIRST, BATCH, RATE = 31, 56, 22, 16, 1.2e-3
judge.LABELS = ["answers"]


def left_out(doc):
    return zlib.crc32(doc.encode()) % 8 == 0


def asked(documents, texts, model):
    """Questions with the stretches that they are shown with."""
    docs, r = [json.loads(l) for l in open(documents)], random.Random(29)
    rows, questions = [t for d in docs for t in d["rows"]], [a["q"] for d in docs for a in d["asked"]]
    known = sorted(set(rows + questions), key=lambda t: len(texts.of(t)))
    with torch.no_grad():
        vectors = np.concatenate([texts.vectors(model, known[at : at + 512]).half().float().numpy() for at in range(0, len(known), 512)])
    place = {t: i for i, t in enumerate(known)}
    table = vectors[[place[t] for t in rows]]
    out, start = [], 0
    for d in docs:
        end, held = start + len(d["rows"]), left_out(d["doc"])
        for a in d["asked"]:
            near = table @ vectors[place[a["q"]]]
            own = near[start:end]
            order = [int(i) for i in np.argsort(-own, kind="stable")]
            if held:
                out.append({"q": a["q"], "rows": [d["rows"][i] for i in order[:12]], "good": [j for j, i in enumerate(order[:12]) if i in a["good"]], "answered": bool(a["good"]), "near": float(own.max()), "held": True})
                continue
            answers = {d["rows"][g] for g in a["good"]}
            others = [d["rows"][i] for i in order if d["rows"][i] not in answers]
            near[start:end] = -1
            far = [rows[i] for i in np.argpartition(-near, 6)[:6] if rows[i] not in d["rows"]]
            good = [d["rows"][i] for i in order if i in a["good"]][:2]
            shown = good + others[:3] + r.sample(others[3:14], min(1, len(others[3:14]))) + r.sample(far, min(1, len(far)))
            out.append({"q": a["q"], "rows": shown, "good": list(range(len(good))), "answered": bool(good), "held": False})
        start = end
    return out


def read(texts, q, row):
    a = [texts.begin] + texts.pieces_of(q)[:FIRST] + [texts.end]
    b = texts.pieces_of(row)[: LONGEST - 1 - len(a)] + [texts.end]
    return a + b, [0] * len(a) + [1] * len(b)


def scores(model, texts, questions):
    """The log-odds of each stretch of some questions, one after the other."""
    rows = [read(texts, q["q"], t) for q in questions for t in q["rows"]]
    w = max(len(a) for a, _ in rows)
    ids, mask, kinds = (np.zeros((len(rows), w), t) for t in (int, bool, int))
    for j, (a, b) in enumerate(rows):
        ids[j, : len(a)], mask[j, : len(a)], kinds[j, : len(a)] = a, True, b
    mask = torch.tensor(mask)
    return model(model.lower(torch.tensor(ids), mask, torch.tensor(kinds)), mask)[:, 0]


def parts(s, questions):
    at = 0
    for q in questions:
        yield q, s[at : at + len(q["rows"])]
        at += len(q["rows"])


def examine(model, texts, questions):
    model.eval()
    first, some, yes, no = 0, 0, [], []
    with torch.no_grad():
        for at in range(0, len(questions), 4):
            group = questions[at : at + 4]
            for q, s in parts(scores(model, texts, group), group):
                (yes if q["answered"] else no).append(s.max().item())
                some, first = some + q["answered"], first + (q["answered"] and int(s.argmax()) in q["good"])
    model.train()
    return f"first of twelve {first/max(1,some):.3f} of {some}; AUC of answered questions {judge.auc(np.array(yes), np.array(no)):.3f} of {len(yes)} and {len(no)}"


def main():
    if sys.argv[1] == "write":
        package = judge.packaged(*sys.argv[2:4])
        return write(package, judge.load(package, sys.argv[5]), judge.Texts(package), sys.argv[4], sys.argv[6])
    wheel, tuned, data, out = sys.argv[1:5]
    minutes = float(sys.argv[5]) if len(sys.argv) > 5 else 30
    package = judge.packaged(wheel, tuned)
    torch.manual_seed(SEED)
    r = random.Random(SEED)
    every = asked(data, tune.Texts(package), tune.Tuned(package).eval())
    model, texts = judge.Judge(package), judge.Texts(package)
    train, held = [q for q in every if not q["held"]], [q for q in every if q["held"]]
    r.shuffle(held)
    held = held[:420]
    learnt = [q for q in model.parameters() if q.requires_grad]
    print("data", hashlib.sha256(open(data, "rb").read()).hexdigest()[:16], len(train), "questions;", sum(q.numel() for q in learnt), "weights", flush=True)
    opt = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
    began, step, share, losses = time.time(), 0, 0, []
    while share < 1:
        r.shuffle(train)
        batches = []
        for at in range(0, len(train), BATCH * 24):  # questions of like length together
            part = sorted(train[at : at + BATCH * 24], key=lambda q: sum(len(t) for t in q["rows"]))
            batches += [part[j : j + BATCH] for j in range(0, len(part), BATCH)]
        r.shuffle(batches)
        for b in batches:
            if (share := (time.time() - began) / 60 / minutes) >= 1:
                break
            for o in opt.param_groups:
                o["lr"] = RATE * min(1, (step + 1) / 30) * max(0.02, 0.5 * (1 + math.cos(math.pi * share)))

            def some(group):
                loss = 0
                for q, s in parts(scores(model, texts, group), group):
                    loss = loss + torch.logsumexp(torch.cat([s, torch.zeros(1)]), 0) - (torch.logsumexp(s[q["good"]], 0) if q["good"] else 0)
                loss = loss / len(b)
                return loss.item(), torch.autograd.grad(loss, learnt)

            done = list(judge.WORKERS.map(some, [b[0::2], b[1::2]] if len(b) > 1 else [b]))
            for q, *g in zip(learnt, *(g for _, g in done)):
                q.grad = sum(g)
            nn.utils.clip_grad_norm_(learnt, 1.0)
            opt.step()
            losses.append(sum(l for l, _ in done))
            step += 1
            if step % 20 == 0:
                print(f"{(time.time()-began)/60:.1f} min, step {step}, loss {sum(losses[-20:])/20:.3f}", flush=True)
    judge.save(model, out)
    print("after:", step, "steps;", examine(model, texts, held), flush=True)


def weighed(package):
    """What tells the weights from others of the same name, as memory/encode does."""
    sum = 0
    for i in range(LAYERS):
        at = f"encoder.layer.{i}."
        own = [at + f"attention.self.{n}" for n in ("query", "key", "value")]
        for names in (own, [at + "attention.output.dense"], [at + "intermediate.dense"], [at + "output.dense"]):
            sum = zlib.crc32(convert.rows(np.concatenate([package[n + ".weight"] for n in names]), 7)[1].astype("<f4").tobytes(), sum)
    return f"{sum:08x}"


def write(package, model, texts, data, out):
    """The adapter as memory/encode/adapter.go reads it, and the reference of its test."""
    w, out = convert.Writer(), pathlib.Path(out)
    head = {"of": weighed(package), "layers": LAYERS, "from": judge.FROZEN, "width": WIDTH, "inner": INNER, "longest": LONGEST, "first": FIRST, "numbers": len(judge.LABELS)}
    head = json.dumps(head).encode()
    w.add(b"assay adapter 1\n" + len(head).to_bytes(4, "little") + head)
    with torch.no_grad():
        for l in model.layers[judge.FROZEN :]:
            for m in (l.query, l.key, l.value, l.mix, l.inner, l.outer):
                # Both halves at one size, so that neither is rounded more than the other.
                q, r = torch.linalg.qr(m.down.T)
                u, s, v = torch.linalg.svd(m.up @ r.T, full_matrices=False)
                for half in ((q @ v.T * s.sqrt()).T, (u * s.sqrt()).T):
                    whole, scale = convert.rows(half.numpy(), 8)
                    w.add(whole)
                    w.add(scale.astype("<f4"))
        w.add(model.head.weight.numpy().astype("<f4"))
        w.add(model.head.bias.numpy().astype("<f4"))
    (out / "answers.bin").write_bytes(w.data)
    papers = [d for d in map(json.loads, open(data)) if left_out(d["doc"]) and d["doc"].endswith((".md", ".txt"))]
    shown = [{"q": a["q"], "rows": d["rows"][i : i + 2]} for d in papers[:24] for a in d["asked"][:1] for i in a["good"][:1]]
    model.eval()
    with torch.no_grad():
        reference = [{"Question": q["q"], "Texts": q["rows"], "Odds": [round(x.item(), 3) for x in scores(model, texts, [q])]} for q in shown]
    (out / "testdata" / "answers.json").write_text(json.dumps(reference, ensure_ascii=False, indent=1) + "\n")
    print(len(w.data), "bytes,", len(reference), "questions in the reference")


if __name__ == "__main__":
    main()
