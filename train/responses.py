"""Joins the claims about papers into responses, for agent eval verify.

    python train/responses.py train/data/papers > train/data/papers/responses.jsonl

A response is about one paper and has two or three of its claims, each once: pairs of true claims first,
then what is left of them with the false ones.
"""

import json
import pathlib
import random
import sys


def sentence(text):
    return text if text[-1] in ".!?。" else text + "."


def main():
    folder, r = pathlib.Path(sys.argv[1]), random.Random(41)
    for paper in sorted((folder / "documents").iterdir()):
        claims = [c for c in map(json.loads, open(folder / (paper.stem + ".jsonl"))) if "claim" in c]
        r.shuffle(claims)
        true, false = ([c for c in claims if (c["label"] == "supported") == t] for t in (True, False))
        groups = []
        while len(true) >= 4:
            groups.append([true.pop(), true.pop()])
        while false:
            groups.append([false.pop()] + [x.pop() for x in (true, false) if x])
        for n, group in enumerate(groups, 1):
            r.shuffle(group)
            list_ = [{"claim": sentence(c["claim"]), "supported": c["label"] == "supported", "evidence": "" if c["label"] == "unsaid" else c["e"]} for c in group]
            print(json.dumps({"id": f"{paper.stem}-{n}", "response": " ".join(c["claim"] for c in list_), "claims": list_}, ensure_ascii=False))


main()
