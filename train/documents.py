"""Joins train/data with the stretches that train/rows prints, as train/tune.py reads them.

    python train/documents.py ROWS.jsonl train/data MANUALS [PACKAGE ...] > documents.jsonl

MANUALS is a folder with the unpacked packages that train/data/manuals.jsonl names; without them
only the papers are joined. The packages that are named are left out, for measuring.

A line is {"doc", "corpus": its package, or "papers", "rows": [stretches as memory/answer reads them], "asked": [{"q",
"good": [indexes of rows]}]}; a question without good is not answered there.
"""

import json
import os
import random
import re
import sys


def plain(text):
    return re.sub(r"\s+", " ", text).strip(" -*|")


def inside(a, b):
    """Whether one of two stretches stands in the other."""
    a, b = plain(a), plain(b)
    return len(b) > 3 and len(a) > 0 and (a in b or b in a)


def main():
    rows, data, manuals, *without = sys.argv[1:]
    r = random.Random(5)
    read = {os.path.normpath(o["file"]): o["rows"] or [] for o in map(json.loads, open(rows))}
    asked_of = {}
    for line in open(os.path.join(data, "manuals.jsonl")):
        o = json.loads(line)
        asked_of.setdefault(o["id"].rsplit(":", 1)[0], []).append(o)
    for file, list_ in read.items():
        name = os.path.join(data, "papers", os.path.splitext(os.path.basename(file))[0] + ".jsonl")
        if os.path.basename(os.path.dirname(file)) != "documents" or not os.path.exists(name):
            continue
        list_, asked = list_[:150], []
        for o in map(json.loads, open(name)):
            if "q" not in o:
                continue
            answers = o["a"] if isinstance(o["a"], list) else [o["a"]] if o["a"] else []
            good = [i for i, x in enumerate(list_) if any(inside(a, x["raw"]) for a in answers)]
            if bool(answers) == (0 < len(good) <= 6):
                asked.append({"q": o["q"], "good": good})
        show(os.path.basename(file), "papers", list_, asked)
    for file, questions in asked_of.items():
        list_ = read.get(os.path.normpath(os.path.join(manuals, file)))
        corpus = file.split("/")[0]
        if not list_ or corpus in without:
            continue
        starts = {int(o["id"].rsplit(":", 1)[1].split("-")[0]) for o in questions}
        own = [x for x in list_ if x["passage"] in starts]
        others = [x for x in list_ if x["passage"] not in starts]
        asked = []
        for o in questions:
            if "none" in o:
                asked.append({"q": o["none"], "good": []})
                continue
            start = int(o["id"].rsplit(":", 1)[1].split("-")[0])
            good = [i for i, x in enumerate(own) if x["passage"] == start and x["start"] < o["at"][1] and o["at"][0] < x["end"]]
            if 0 < len(good) <= 6:
                asked += [{"q": o[k], "good": good} for k in ("plain", "more", "near") if o.get(k)]
        show(file, corpus, own + r.sample(others, min(len(others), 60)), asked)


def show(doc, corpus, rows, asked):
    if asked:
        print(json.dumps({"doc": doc, "corpus": corpus, "rows": [x["text"] for x in rows], "asked": asked}, ensure_ascii=False))


main()
