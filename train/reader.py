"""Teaches the encoder to read a question and a stretch together: does the second answer the first?

    python train/reader.py DOCUMENTS.jsonl memory/encode OUT.npz [minutes]
    python train/reader.py write DOCUMENTS.jsonl memory/encode OUT.npz

DOCUMENTS is as train/documents.py writes it. A question is shown with up to two stretches that answer it
and others of its corpus that are near; it has to tell the right ones from the others, and from nothing, which has
the log-odds 0. It goes on from the adapter that is there. Each epoch has the questions about papers twice and every
other one about manuals, since there are more of these. The documents that tune.py left out are left out here, too;
the figures printed are theirs, of the twelve stretches of the whole corpus that are nearest.
The second form writes what memory/encode reads.
"""

import hashlib
import json
import random
import sys
import zlib

import numpy as np
import torch

import pairs
import tune
from bert import Shipped

SEED, LONGEST, FIRST, BATCH, RATE = 31, 96, 24, 12, 6e-4


def left_out(doc):
    return zlib.crc32(doc.encode()) % 16 == 0


def asked(documents, texts, model):
    """Questions with the stretches that they are shown with."""
    (rows, questions, corpora), r, out = tune.load(documents), random.Random(29), []
    table, vectors = texts.table(model, rows), texts.table(model, [q["q"] for q in questions])
    for q, v in zip(questions, vectors):
        if left_out(q["doc"]):
            corpus = corpora[q["corpus"]]
            cosines = table[corpus] @ v
            order = [int(corpus[i]) for i in np.argsort(-cosines, kind="stable")[:12]]
            out.append({"q": q["q"], "rows": [rows[i] for i in order], "good": [j for j, i in enumerate(order) if i in q["good"]], "answered": bool(q["good"]), "held": True, "paper": q["corpus"] == "papers"})
            continue
        others = tune.near(q, table, v, rows, corpora)
        good = sorted(q["good"], key=lambda g: -float(table[g] @ v))[:2]
        shown = good + others[:3] + r.sample(others[3:25], min(2, len(others[3:25])))
        out.append({"q": q["q"], "rows": [rows[i] for i in shown], "good": list(range(len(good))), "answered": bool(good), "held": False})
    return out


def shown(questions):
    return [(q["q"], t) for q in questions for t in q["rows"]]


def parts(s, questions):
    at = 0
    for q in questions:
        yield q, s[at : at + len(q["rows"])]
        at += len(q["rows"])


def loss_of(model, questions):
    loss = 0
    for q, s in parts(model(shown(questions))[:, 0], questions):
        every, right = torch.logsumexp(torch.cat([s, torch.zeros(1)]), 0), 0
        if q["good"]:
            right = torch.logsumexp(s[q["good"]], 0)
            loss = loss + 0.5 * (torch.logsumexp(s, 0) - right)
        loss = loss + every - right
    return loss / len(questions)


def examine(model, questions):
    first, near, some, yes, no = 0, 0, 0, [], []
    for q, s in parts(model.told(shown(questions))[:, 0], questions):
        (yes if q["answered"] else no).append(s.max())
        if q["answered"]:
            some, first, near = some + 1, first + (int(s.argmax()) in q["good"]), near + (0 in q["good"])
    return f"first of twelve {first/some:.3f} (by cosine {near/some:.3f}) of {some}; AUC of answered questions {pairs.auc(np.array(yes), np.array(no)):.3f} of {len(yes)} and {len(no)}"


def main():
    writes = sys.argv[1] == "write"
    data, folder, out = sys.argv[1 + writes : 4 + writes]
    package = Shipped(folder)
    torch.manual_seed(SEED)
    model = pairs.Reader(package, 1, LONGEST, FIRST)
    if writes:
        model.load(out)
        return write(package, model, data, folder)
    r = random.Random(SEED)
    model.begin_with(folder + "/answers.bin")
    every = asked(data, tune.Texts(package), tune.Tuned(package).eval())
    train, held = [q for q in every if not q["held"]], [q for q in every if q["held"]]
    r.shuffle(held)
    papers, manuals = ([q for q in train if q["paper"] == kind] for kind in (True, False))
    kept = [q for q in held if q["paper"]], [q for q in held if not q["paper"]][:250]
    look = lambda: f"papers: {examine(model, kept[0])}; manuals: {examine(model, kept[1])}"
    print("data", hashlib.sha256(open(data, "rb").read()).hexdigest()[:16], len(papers), len(manuals), "before:", look(), flush=True)
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 60
    batches = lambda: pairs.by_size(2 * papers + r.sample(manuals, len(manuals) // 2), lambda q: sum(map(len, q["rows"])), BATCH, r)
    pairs.learn(model, batches, lambda b: loss_of(model, b), minutes, RATE, 12, look)
    model.save(out)


def write(package, model, data, folder):
    """The adapter, and the reference of its test."""
    n = model.write(package, folder + "/answers.bin")
    papers = [d for d in map(json.loads, open(data)) if left_out(d["doc"]) and d["doc"].endswith((".md", ".txt"))]
    chosen = [{"q": a["q"], "rows": d["rows"][i : i + 2]} for d in papers[:24] for a in d["asked"][:1] for i in a["good"][:1]]
    reference = [{"Question": q["q"], "Texts": q["rows"], "Odds": [round(float(x), 3) for x in model.told(shown([q]))[:, 0]]} for q in chosen]
    with open(folder + "/testdata/answers.json", "w") as f:
        f.write(json.dumps(reference, ensure_ascii=False, indent=1) + "\n")
    print(n, "bytes,", len(reference), "questions in the reference")


if __name__ == "__main__":
    main()
