"""Makes pairs of claim and evidence of the claims about papers, for judge.py.

    python train/claims.py rows.jsonl train/data/papers > pairs.jsonl

A claim is paired with the row that decides it, and as "unsaid" with the rows of its paper that share
most words with it. Further pairs are made by program ("made"): a claim that holds is denied or gets
another number, and sentences of the papers are claims of themselves, as they are and altered. The claims of
train/data/claims follow, each stretch with one that is true, the same with a few words changed that is
false, sometimes one that it leaves open, and one of them beside another stretch of the paper.
"""

import json
import math
import pathlib
import random
import re
import sys
from collections import Counter

SEED = 5
AUXILIARY = re.compile(r"\b(is|are|was|were|has|had|have|will|can|could|did|does|do|would|should|must|may)\b(?! not)")
NUMBER = re.compile(r"(?<![\w.,:-])\d{1,4}(?:\.\d+)?(?![\w:]|[.,-]\d)")
WORDS = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty".split()
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b")


def denied(claim):
    if re.search(r"\b(not|no|never|nobody|nothing|none|without)\b|n't\b|cannot", claim, re.I):
        return None
    m = AUXILIARY.search(claim)
    return m and claim[: m.end()] + " not" + claim[m.end() :]


def recounted(claim, r):
    found = [m for m in NUMBER.finditer(claim)] + [m for m in WORD.finditer(claim)]
    if not found:
        return None
    m = r.choice(found)
    old = m.group()
    if old in WORDS:
        new = r.choice([w for w in WORDS if w != old])
    elif "." in old:
        new = "%.2f" % (float(old) + r.choice([0.5, 1.3, 2]))
    else:
        new = str(max(0, int(old) + r.choice([-3, -2, -1, 1, 2, 5, 10])))
    return new != old and claim[: m.start()] + new + claim[m.end() :]


def terms(text):
    return {w[:6] for w in re.findall(r"[a-z0-9]+", text.lower()) if len(w) > 2}


def evidence(row):
    """A row without the title of its document, as the judge reads it."""
    parts = row["text"].split(" | ")
    raw = " ".join(row["raw"].split())
    return " | ".join(parts[1:] if len(parts) > 1 and parts[0] not in raw else parts)


def counterparts(path):
    r = random.Random(SEED)
    rows = [json.loads(l) for l in open(path)]
    of = {}
    for d in rows:
        of.setdefault(d["doc"], []).append(d["e"])
    for d in rows:
        invented = {} if d["doc"].endswith((".md", ".txt")) else {"made": True}
        out = lambda claim, e, label, **more: print(json.dumps({"doc": d["doc"], "claim": claim, "evidence": e, "label": label, **invented, **more}, ensure_ascii=False))
        out(d["t"], d["e"], "supported")
        out(d["f"], d["e"], "contradicted")
        if "n" in d:
            out(d["n"], d["e"], "unsaid")
        share = lambda e: -len(terms(e) & terms(d["t"])) / (3 + len(terms(e)) ** 0.5)
        if near := sorted((e for e in set(of[d["doc"]]) if e != d["e"]), key=lambda e: (share(e), e))[:4]:
            out(r.choice([d["t"], d["f"]]), r.choice(near), "unsaid", gold=False)


def main():
    r = random.Random(SEED)
    folder = pathlib.Path(sys.argv[2])
    for name in ("papers", "invented"):
        counterparts(folder.parent / "claims" / (name + ".jsonl"))
    for line in open(sys.argv[1]):
        d = json.loads(line)
        name = pathlib.Path(d["file"]).name
        text = (folder / "documents" / name).read_bytes()
        rows = d["rows"]
        for w in rows:
            w["words"], w["evidence"] = terms(w["text"]), evidence(w)
        seen = Counter(t for w in rows for t in w["words"])
        weight = {t: math.log(1 + len(rows) / n) for t, n in seen.items()}

        def out(claim, row, label, **more):
            print(json.dumps({"doc": name, "claim": claim, "evidence": row, "label": label, **more}, ensure_ascii=False))

        def others(claim, good, n):
            share = lambda w: sum(weight[t] for t in w["words"] & terms(claim))
            rest = sorted((w for w in rows if w not in good), key=share, reverse=True)
            return rest[:n]

        for item in map(json.loads, open(folder / (pathlib.Path(name).stem + ".jsonl"))):
            if "claim" not in item:
                continue
            claim, e = item["claim"], item["e"].encode()
            at = text.find(e)
            overlap = lambda w: min(at + len(e), w["passage"] + w["end"]) - max(at, w["passage"] + w["start"])
            good = [w for w in rows if at >= 0 and overlap(w) > 3] if at >= 0 else []
            good.sort(key=overlap, reverse=True)
            stretch = good[0]["evidence"] if len(good) == 1 else " ".join(item["e"].split())
            if item["label"] == "unsaid":
                out(claim, stretch, "unsaid", gold=True)
                for w in others(claim, good, 1):
                    out(claim, w["evidence"], "unsaid", gold=False)
                continue
            out(claim, stretch, item["label"], gold=True)
            rest = others(claim, good, 2)
            if good:  # its neighbour
                i = rows.index(good[0])
                rest += [rows[j] for j in r.sample([i - 1, i + 1], 2) if 0 <= j < len(rows) and rows[j] not in good + rest][:1]
            for w in r.sample(rest, min(1, len(rest))):
                out(claim, w["evidence"], "unsaid", gold=False)
            if item["label"] == "supported":
                for altered in (denied(claim),) if item["kind"] == "counterpart" else (denied(claim), recounted(claim, r)):
                    if altered:
                        out(altered, stretch, "contradicted", made=True)
        sentences = [w for w in rows if 4 <= len(w["raw"].split()) <= 22 and w["raw"].rstrip().endswith(".")]
        for w in r.sample(sentences, min(4, len(sentences))):
            claim = " ".join(w["raw"].split()).lstrip("-* ")
            out(claim, w["evidence"], "supported", made=True)
            altered = [a for a in (denied(claim), recounted(claim, r)) if a]
            if altered:
                out(r.choice(altered), w["evidence"], "contradicted", made=True)


if __name__ == "__main__":
    main()
