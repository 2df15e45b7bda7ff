#!/usr/bin/env python3
"""What heads write, against a second implementation of the whole model in NumPy, in double precision.

usage: numpy_writes.py TRAIN HEADS TINY [MODEL TEXT CORRUPT]

Trains a few small runs, and compares for each `heads writes`, `map --norms`, `map --writes`, `rollout`, `patch` and
`wires` with what NumPy computes from model.safetensors. The same, but for writes, for the open models of TINY
(tests/pretrained/tiny), and for another one in the layout of BERT or GPT-2: MODEL, on TEXT, with as many tokens as
CORRUPT. Writes of the open causal model are compared on windows of a file. Numbers may differ by 1e-5, relatively.
Exits with 77, which ctest reports as skipped, where NumPy is missing.
"""

import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from itertools import product

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOLERANCE = 1e-5


# ---- models ----


def tensors_of(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"]).astype(float)
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def erf(x):
    return np.vectorize(math.erf)(x)


def gelu(x):
    return x * 0.5 * (1 + erf(x / math.sqrt(2)))


def silu(x):
    return x / (1 + np.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    return np.maximum(x, 0)


RMS = False  # whether the norms of the model are RMS norms


def centred_of(x):
    return x if RMS else x - x.mean(-1, keepdims=True)


def norm(x, gain, bias, epsilon):
    centred = centred_of(x)
    scale = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return centred * scale * gain + bias, scale


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def rotated(x, theta):
    """Rotary positions (heads, T, Dk) by complex numbers; an odd last number stays."""
    half = x.shape[-1] // 2
    angle = np.arange(x.shape[1])[:, None] / theta ** (2 * np.arange(half) / x.shape[-1])
    z = (x[..., :half] + 1j * x[..., half : 2 * half]) * np.exp(1j * angle)
    return np.concatenate([z.real, z.imag, x[..., 2 * half :]], -1)


class Layer:
    """W_Q, W_K (heads, D, Dk), W_V (heads, D, Dv), W_O (heads, Dv, D), their biases, norms as (gain, bias)."""

    def __init__(self, q, k, v, o, heads, norms, feed_forward):
        (wq, bq), (wk, bk), (wv, bv), (wo, self.bo) = q, k, v, o
        cut = lambda w: np.stack(np.split(w, heads[0 if w is wq else 1], 0))
        group = heads[0] // heads[1]
        self.q, self.bq = cut(wq).transpose(0, 2, 1), bq.reshape(heads[0], -1)
        self.k = np.repeat(np.stack(np.split(wk, heads[1], 0)), group, 0).transpose(0, 2, 1)
        self.v = np.repeat(np.stack(np.split(wv, heads[1], 0)), group, 0).transpose(0, 2, 1)
        self.bk = np.repeat(bk.reshape(heads[1], -1), group, 0)
        self.bv = np.repeat(bv.reshape(heads[1], -1), group, 0)
        self.o = np.stack(np.split(wo.T, heads[0], 0))
        self.norm1, self.norm2 = norms
        self.feeds = feed_forward is not None
        if self.feeds:
            self.w1, self.b1, self.w2, self.b2, *self.gate = feed_forward


class Model:
    """embed(ids) gives the first layer's input; final is the last norm of a pre-norm model."""

    def __init__(self, embed, layers, pre, causal, act, epsilon, final, head, rotary=False):
        self.rotary = rotary
        self.windows = [(0, 10000)] * len(layers)  # of each layer: how many keys a query sees, 0: all; theta
        self.embed, self.layers, self.pre, self.causal = embed, layers, pre, causal
        self.act, self.epsilon, self.final, self.head = act, epsilon, final, head

    def run(self, ids, change=None):
        """change(kind, layer, value) may return another value in the place of z, feed_forward or residual."""
        change = change or (lambda kind, layer, value: value)
        x, kept = self.embed(ids), []
        for l, layer in enumerate(self.layers):
            s = {"x": x}
            y = norm(x, *layer.norm1, self.epsilon)[0] if self.pre and layer.norm1 else x
            q, k, v = y @ layer.q + layer.bq[:, None], y @ layer.k + layer.bk[:, None], y @ layer.v + layer.bv[:, None]
            if self.rotary:
                q, k = rotated(q, self.windows[l][1]), rotated(k, self.windows[l][1])
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
            if self.causal:
                scores = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, scores, -np.inf)
            if self.windows[l][0]:
                distance = np.abs(np.subtract.outer(np.arange(len(ids)), np.arange(len(ids))))
                most = self.windows[l][0] - 1 if self.causal else self.windows[l][0] / 2
                scores = np.where(distance <= most, scores, -np.inf)
            s["A"], s["v"] = softmax(scores), v
            s["z"] = change("z", l, s["A"] @ v)
            s["write"] = s["z"] @ layer.o
            x = x + s["write"].sum(0) + layer.bo
            if not self.pre:
                x, s["scale1"] = norm(x, *layer.norm1, self.epsilon)
            if layer.feeds:
                y = norm(x, *layer.norm2, self.epsilon)[0] if self.pre else x
                inner = self.act(y @ layer.w1.T + layer.b1)
                inner = inner * (y @ layer.gate[0].T + layer.gate[1]) if layer.gate else inner
                added = inner @ layer.w2.T + layer.b2
                s["feed_forward"] = change("feed_forward", l, added)
                x = x + s["feed_forward"]
                if not self.pre:
                    x, s["scale2"] = norm(x, *layer.norm2, self.epsilon)
            x = change("residual", l, x)
            s["out"] = x
            kept.append(s)
        scale = None
        if self.pre:
            x, scale = norm(x, *self.final, self.epsilon)
        return self.head(x), x, kept, scale


def module(t, name):
    weight = t[name + ".weight"]
    return weight, t.get(name + ".bias", np.zeros(weight.shape[0]))


def norm_of(t, name):
    return t[name + ".weight"], t.get(name + ".bias", 0 * t[name + ".weight"])


def sinusoids(n, width):
    at = np.arange(n)[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    table = np.zeros((n, width))
    table[:, 0::2], table[:, 1::2] = np.sin(at), np.cos(at)[:, : width // 2]
    return table


def run_of(folder):
    t = tensors_of(os.path.join(folder, "model.safetensors"))
    keys = dict(
        line.split(" = ", 1) for line in open(os.path.join(folder, "config.ini")).read().split("\n") if " = " in line
    )
    global RMS
    RMS = keys.get("norm_kind") == "rms"
    width, n = t["embedding.weight"].shape[1], int(keys["layers"])
    each = lambda key: [int(x) for x in keys[key].split(",")] * (n if "," not in keys[key] else 1)
    heads, kv = each("heads"), each("kv_heads")
    layers, feeds = [], keys["feed_forward"] != "none"
    for l in range(n):
        at = f"encoder.layers.{l}."
        if at + "self_attn.in_proj_weight" in t:
            weights = np.split(t[at + "self_attn.in_proj_weight"], 3)
        else:
            weights = [t[f"{at}self_attn.{x}_proj_weight"] for x in "qkv"]
        ends = np.cumsum([len(w) for w in weights])
        biases = np.split(t.get(at + "self_attn.in_proj_bias", np.zeros(ends[-1])), ends[:-1])
        layers.append(
            Layer(
                *zip(weights, biases),
                module(t, at + "self_attn.out_proj"),
                (heads[l], kv[l]),
                (norm_of(t, at + "norm1") if at + "norm1.weight" in t else None, norm_of(t, at + "norm2") if feeds else None),
                (
                    *module(t, at + "linear1"),
                    *module(t, at + "linear2"),
                    *(module(t, at + "linear3") if keys["feed_forward"] == "gated" else ()),
                )
                if feeds
                else None,
            )
        )
    positions = t["positions.weight"] if "positions.weight" in t else sinusoids(int(keys["max_length"]) or 512, width)
    positions = positions * (keys["positions"] != "rotary")
    scale = math.sqrt(width) if keys["scale_embedding"] == "true" else 1
    out = t["output.weight"] if "output.weight" in t else t["embedding.weight"]
    bias = t.get("output.bias", np.zeros(len(out)))

    def embed(ids):
        x = t["embedding.weight"][ids] * scale + positions[: len(ids)]
        return norm(x, *norm_of(t, "embedding_norm"), 1e-5)[0] if "embedding_norm.weight" in t else x

    pre = keys["norm"] == "pre"
    act = {"relu": relu, "gelu": gelu, "gelu_tanh": gelu_tanh, "silu": silu}[keys["activation"]]
    model = Model(embed, layers, pre, keys["causal"] == "true", act, 1e-5, norm_of(t, "encoder.norm") if pre else None,
                  lambda x: x @ out.T + bias, keys["positions"] == "rotary")
    every = int(keys["global_every"])
    for l in range(n):
        window = 0 if every and l % every == 0 else int(keys["window"])
        model.windows[l] = window, float(window and float(keys["rotary_theta_local"]) or keys["rotary_theta"])
    model.out, model.out_bias = out, bias
    model.names = open(os.path.join(folder, "vocab.txt"), encoding="utf-8").read().split("\n")
    return model


def gpt2_of(folder):
    t = {name.removeprefix("transformer."): x for name, x in tensors_of(os.path.join(folder, "model.safetensors")).items()}
    config = json.load(open(os.path.join(folder, "config.json")))
    turned = lambda name: (t[name + ".weight"].T, t[name + ".bias"])
    layers = []
    for l in range(config["n_layer"]):
        at, heads = f"h.{l}.", config["n_head"]
        w, b = turned(at + "attn.c_attn")
        layers.append(
            Layer(
                *zip(np.split(w, 3), np.split(b, 3)),
                turned(at + "attn.c_proj"),
                (heads, heads),
                (norm_of(t, at + "ln_1"), norm_of(t, at + "ln_2")),
                (*turned(at + "mlp.c_fc"), *turned(at + "mlp.c_proj")),
            )
        )
    out = t["wte.weight"]
    model = Model(
        lambda ids: t["wte.weight"][ids] + t["wpe.weight"][: len(ids)],
        layers, True, True, gelu_tanh, config["layer_norm_epsilon"], norm_of(t, "ln_f"), lambda x: x @ out.T,
    )
    model.out, model.out_bias = out, np.zeros(len(out))
    ids = json.load(open(os.path.join(folder, "vocab.json"), encoding="utf-8"))
    model.names = [name.replace("\u0120", " ") for name, _ in sorted(ids.items(), key=lambda entry: entry[1])]
    return model


def modernbert_of(folder):
    t = {name.removeprefix("model."): x for name, x in tensors_of(os.path.join(folder, "model.safetensors")).items()}
    config = json.load(open(os.path.join(folder, "config.json")))
    layers, every = [], config["layer_types"]
    for l, heads in enumerate([config["num_attention_heads"]] * len(every)):
        at = f"layers.{l}."
        weights = np.split(t[at + "attn.Wqkv.weight"], 3)
        inner, gate = np.split(t[at + "mlp.Wi.weight"], 2)
        none = np.zeros(len(inner))
        layers.append(
            Layer(
                *((w, np.zeros(len(w))) for w in weights),
                module(t, at + "attn.Wo"),
                (heads, heads),
                (norm_of(t, at + "attn_norm") if l else None, norm_of(t, at + "mlp_norm")),
                (inner, none, *module(t, at + "mlp.Wo"), gate, none),
            )
        )
    epsilon, out = config["norm_eps"], t["embeddings.tok_embeddings.weight"]
    embed = lambda ids: norm(out[ids], *norm_of(t, "embeddings.norm"), epsilon)[0]
    head = lambda x: norm(gelu(x @ t["head.dense.weight"].T), *norm_of(t, "head.norm"), epsilon)[0] @ out.T + t["decoder.bias"]
    model = Model(embed, layers, True, False, gelu, epsilon, norm_of(t, "final_norm"), head, True)
    rope = {name: value["rope_theta"] for name, value in config["rope_parameters"].items()}
    model.windows = [(config["local_attention"] * (kind != "full_attention"), rope[kind]) for kind in every]
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
        ids = json.load(file)["model"]["vocab"]
    model.names = [name.replace("\u0120", " ") for name, _ in sorted(ids.items(), key=lambda entry: entry[1])]
    return model


def bert_of(folder):
    t = {name.removeprefix("bert."): x for name, x in tensors_of(os.path.join(folder, "model.safetensors")).items()}
    config = json.load(open(os.path.join(folder, "config.json")))
    layers = []
    for l in range(config["num_hidden_layers"]):
        at, heads = f"encoder.layer.{l}.", config["num_attention_heads"]
        layers.append(
            Layer(
                *(module(t, at + "attention.self." + x) for x in ("query", "key", "value")),
                module(t, at + "attention.output.dense"),
                (heads, heads),
                (norm_of(t, at + "attention.output.LayerNorm"), norm_of(t, at + "output.LayerNorm")),
                (*module(t, at + "intermediate.dense"), *module(t, at + "output.dense")),
            )
        )
    epsilon, at = config["layer_norm_eps"], "embeddings."

    def embed(ids):
        x = t[at + "word_embeddings.weight"][ids] + t[at + "position_embeddings.weight"][: len(ids)]
        return norm(x + t[at + "token_type_embeddings.weight"][0], *norm_of(t, at + "LayerNorm"), epsilon)[0]

    def head(x):
        if "cls.predictions.bias" not in t:
            return x
        y = gelu(x @ t["cls.predictions.transform.dense.weight"].T + t["cls.predictions.transform.dense.bias"])
        y = norm(y, *norm_of(t, "cls.predictions.transform.LayerNorm"), epsilon)[0]
        return y @ t[at + "word_embeddings.weight"].T + t["cls.predictions.bias"]

    model = Model(embed, layers, False, False, gelu, epsilon, None, head)
    with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
        ids = json.load(file)["model"]["vocab"]
    model.names = [name for name, _ in sorted(ids.items(), key=lambda entry: entry[1])]
    return model


# ---- what is compared ----


def near(what, ours, theirs):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
    worst = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-30)
    assert worst < TOLERANCE, (what, worst)
    return worst


def shares(kept, layer):
    N = kept["A"] * np.linalg.norm(kept["v"] @ layer.o, axis=-1)[:, None, :]
    return N / N.sum(-1, keepdims=True)


def rollout(maps):
    below, found = None, []
    for W in maps:
        A = W + np.eye(len(W))
        A /= A.sum(-1, keepdims=True)
        below = A if below is None else A @ below
        found.append(below)
    return np.stack(found)


def writes_of(model, ids, rows, answers):
    """The terms of each answer, by the writers' names, pushed forwards through the norms with their scales fixed."""
    logits, _, kept, scale = model.run(ids)
    n = len(model.layers)

    def ahead(o, norms):
        for (gain, _), s in norms:
            o = centred_of(o) * s * gain
        return o

    def norms_from(l, second=False):
        if model.pre:
            return [(model.final, scale)]
        found = []
        for m in range(l, n):
            if not (second and m == l):
                found.append((model.layers[m].norm1, kept[m]["scale1"]))
            if model.layers[m].feeds:
                found.append((model.layers[m].norm2, kept[m]["scale2"]))
        return found

    ones = np.ones((len(ids), 1))
    parts = {"embedding": ahead(kept[0]["x"], norms_from(0))}
    for l, (layer, s) in enumerate(zip(model.layers, kept)):
        for h, write in enumerate(s["write"]):
            parts[f"L{l}H{h}"] = ahead(write, norms_from(l))
        parts[f"L{l} attention bias"] = ahead(ones * layer.bo, norms_from(l))
        if layer.feeds:
            parts[f"L{l} feed-forward"] = ahead(s["feed_forward"], norms_from(l, True))
        if not model.pre:
            parts[f"L{l} norm1 bias"] = ahead(ones * layer.norm1[1], norms_from(l, True))
        if not model.pre and layer.feeds:
            parts[f"L{l} norm2 bias"] = ahead(ones * layer.norm2[1], norms_from(l + 1))
    if model.pre:
        parts["last norm bias"] = ones * model.final[1]
    W = model.out - model.out.mean(0)
    found = {name: np.array([x[r] @ W[a] for r, a in zip(rows, answers)]) for name, x in parts.items()}
    found["output bias"] = (model.out_bias - model.out_bias.mean())[answers]
    logit = np.array([logits[r, a] - logits[r].mean() for r, a in zip(rows, answers)])
    assert np.abs(sum(found.values()) - logit).max() < 1e-9
    ratios = [np.linalg.norm(s["write"], axis=-1) / np.linalg.norm(s["x"], axis=-1) for s in kept]
    return found, logit, ratios, parts, kept


def check_writes(said, model, examples):
    """examples: (ids, rows, answers) of the odd-numbered ones."""
    means, logits, norms = {}, [], []
    for ids, rows, answers in examples:
        found, logit, ratios, _, _ = writes_of(model, ids, rows, answers)
        for name, terms in found.items():
            means.setdefault(name, []).append(terms.mean())
        logits.append(logit.mean())
        norms.append([r.mean(-1) for r in ratios])
    worst = near("logit", said["logit"], np.mean(logits))
    for row in said["writers"]:
        theirs = np.mean(means.pop(row["writer"]))
        worst = max(worst, abs(row["direct"] - theirs) / max(abs(np.mean(logits)), 1))
        assert worst < TOLERANCE, (row, theirs)
        if row["kind"] == "head":
            ratio = np.mean([n[row["layer"]][row["head"]] for n in norms])
            worst = max(worst, near(row["writer"], row["write_norm"], ratio))
    assert all(np.abs(left).max() == 0 for left in means.values()), means.keys()  # writers that the model lacks
    return worst


def check_input(program, folder, model, text, corrupt, position, work):
    npz = os.path.join(work, "a.npz")
    call = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    call("map", folder, "--input", text, "--npz", npz, "--writes")
    arrays = np.load(npz)
    ids = arrays["tokens"][0]
    _, _, kept, _ = model.run(ids)
    worst = 0
    for l, s in enumerate(kept):
        worst = max(worst, near("weights", arrays[f"layer_{l}"][0], s["A"]), near("z", arrays[f"z_{l}"][0], s["z"]),
                    near("write", arrays[f"write_{l}"][0], s["write"]))
    call("map", folder, "--input", text, "--npz", npz, "--norms")
    arrays = np.load(npz)
    norms = [shares(s, layer) for s, layer in zip(kept, model.layers)]
    for l, N in enumerate(norms):
        worst = max(worst, near("norms", arrays[f"layer_{l}"][0], N))
    call("rollout", folder, "--input", text, "--npz", npz)
    arrays = np.load(npz)
    means = [s["A"].mean(0) for s in kept]
    worst = max(worst, near("raw", arrays["raw"], means), near("rollout", arrays["rollout"], rollout(means)),
                near("rollout of norms", arrays["rollout_norms"], rollout([N.mean(0) for N in norms])))
    if corrupt is not None:
        worst = max(worst, check_patch(call, folder, model, text, corrupt, position))
    print(f"{os.path.basename(folder)}: maps, norms, rollout, patches differ by {worst:.1e}")


def ids_of(call, folder, text):
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        call("map", folder, "--input", text, "--npz", file.name)
        return np.load(file.name)["tokens"][0]


def check_patch(call, folder, model, text, corrupt, position):
    ids, theirs = ids_of(call, folder, text), ids_of(call, folder, corrupt)
    worst = 0
    for reverse, at in product((False, True), (None, 1)):
        words = ["--reverse"] * reverse + (["--at", str(at)] if at is not None else [])
        runs = [model.run(ids), model.run(theirs)]
        right, wrong = (int(r[0][position].argmax()) for r in runs)
        if right == wrong:  # then the answers must be named
            right, wrong = (int(x) for x in np.argsort(runs[0][0][position] - runs[1][0][position])[[-1, 0]])
        said = json.loads(call("patch", folder, "--clean", text, "--corrupt", corrupt, "--position", str(position),
                               "--answer", model.names[right], "--wrong", model.names[wrong], "--json", *words))
        d = [r[0][position, right] - r[0][position, wrong] for r in runs]
        worst = max(worst, near("d", [said["d_clean"], said["d_corrupt"]], d))
        into, source = (ids, runs[1][2]) if reverse else (theirs, runs[0][2])
        tokens = slice(None) if at is None else slice(at, at + 1)

        def effect(kind, layer, heads, tokens):
            def change(what, l, value):
                if what != kind or l != layer:
                    return value
                value = value.copy()
                other = source[l]["out" if kind == "residual" else kind]
                if kind == "z":
                    value[heads, tokens] = other[heads, tokens]
                else:
                    value[tokens] = other[tokens]
                return value

            logits = model.run(into, change)[0][position]
            patched = logits[right] - logits[wrong]
            return (d[0] - patched if reverse else patched - d[1]) / (d[0] - d[1])

        for row in said["rows"]:
            kind = "feed_forward" if row["kind"] == "feed_forward" else "z"
            heads = slice(None) if row["kind"] == "attention" else row["head"]
            mine = effect(kind, row["layer"], heads, tokens)
            worst = max(worst, abs(mine - row["effect"]))
            assert worst < 5 * TOLERANCE, (row, mine)
        for l, row in enumerate(said["residual"]):
            for t, value in enumerate(row):
                worst = max(worst, abs(effect("residual", l, None, slice(t, t + 1)) - value))
                assert worst < 5 * TOLERANCE, ("residual", l, t, value)
    return worst


def check_wires(program, folder, model):
    said = json.loads(subprocess.run([program, "wires", folder, "--json"], check=True, capture_output=True).stdout)
    worst = 0
    for wire in said["wires"]:
        a, b = wire["from_layer"], wire["to_layer"]
        i, j = wire["from_head"], wire["to_head"]
        gain = lambda l: model.layers[l].norm1[0][:, None] if model.pre and model.layers[l].norm1 else 1
        OV1 = (gain(a) * model.layers[a].v[i]) @ model.layers[a].o[i]
        between = np.ones(len(OV1))
        for l in range(a, b):
            layer = model.layers[l]
            between = between * (1 if model.pre else layer.norm1[0] * (layer.norm2[0] if layer.feeds else 1))
        if wire["by"] == "V":
            reads = (gain(b) * model.layers[b].v[j]) @ model.layers[b].o[j]
        else:
            reads = (gain(b) * model.layers[b].q[j]) @ (gain(b) * model.layers[b].k[j]).T
            reads = reads.T if wire["by"] == "K" else reads
        score = np.linalg.norm((OV1 * between) @ reads) / np.linalg.norm(OV1) / np.linalg.norm(reads)
        worst = max(worst, near(wire, wire["composition"], score))
    # What random matrices of these shapes reach, drawn here by another generator.
    first = said["wires"][0]
    shape = model.layers[0].v[0].shape, model.layers[0].o[0].shape
    last = model.layers[first["to_layer"]]
    draw, scores = np.random.default_rng(1), []
    for _ in range(400):
        one = draw.standard_normal(shape[0]) @ draw.standard_normal(shape[1])
        two = draw.standard_normal(last.q[0].shape) @ draw.standard_normal(last.k[0].shape).T
        scores.append(np.linalg.norm(one @ two) / np.linalg.norm(one) / np.linalg.norm(two))
    wire = next(w for w in said["wires"] if w["by"] == "Q" and w["to_layer"] == first["to_layer"] and w["from_layer"] == 0)
    chance = wire["composition"] - wire["beyond"]
    spread = np.std(scores)
    assert abs(chance - np.mean(scores)) < 5 * spread / math.sqrt(200), (chance, np.mean(scores), spread)
    assert abs(wire["chance_95"] - np.quantile(scores - np.mean(scores), 0.95)) < spread, (wire, spread)
    print(f"{os.path.basename(folder)}: {len(said['wires'])} wires differ by {worst:.1e}")


RUNS = {
    "pre": ["model.heads=4"],
    "post": ["model.norm=post", "model.embedding_norm=true", "model.activation=gelu"],
    "groups": ["model.heads=4,2", "model.kv_heads=2,1", "model.d_k=8,16", "model.d_v=16,24"],
    "alone": ["model.feed_forward=none", "model.heads=3", "model.d_k=5", "model.d_v=6", "model.positions=rotary"],
    "alone_post": ["model.feed_forward=none", "model.norm=post", "model.causal=true"],
    "gated": ["model.feed_forward=gated", "model.activation=gelu", "model.d_ff=37"],
    "rms": ["model.norm_kind=rms", "model.feed_forward=gated", "model.activation=silu", "model.positions=rotary"],
    "rms_post": ["model.norm_kind=rms", "model.norm=post"],
    "modern": ["model.layers=3", "model.embedding_norm=true", "model.first_norm=false", "model.feed_forward=gated",
               "model.positions=rotary", "model.rotary_theta=160000", "model.rotary_theta_local=100", "model.window=4",
               "model.global_every=2", "model.norm_bias=false", "model.attention_bias=false", "model.activation=gelu"],
    "windows": ["model.norm=post", "model.causal=true", "model.window=6", "model.bias=false", "model.norm_bias=true"],
    "bare": ["model.bias=false", "model.tie_embedding=true", "model.causal=true"],
}


def check_run(train, heads, name, keys, work):
    folder = os.path.join(work, name)
    configs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../configs/copy_task.ini")
    subprocess.run([train, configs, "--out", folder, "train.steps=60", "train.eval_every=30", "patterns.examples=12",
                    "task.min_length=6", *keys], check=True, capture_output=True)
    model = run_of(folder)
    arrays = np.load(os.path.join(folder, "patterns/step_000060.npz"))
    examples = []
    for e in range(1, len(arrays["lengths"]), 2):
        n = arrays["lengths"][e]
        rows = [t for t in range(n) if arrays["targets"][e, t] >= 0]
        examples.append((arrays["tokens"][e, :n], rows, arrays["targets"][e, rows]))
    said = json.loads(subprocess.run([heads, "writes", folder, "--json"], check=True, capture_output=True).stdout)
    assert said["exact"] and said["largest_gap"] < 1e-5, said["largest_gap"]
    print(f"{name}: {len(said['writers'])} writers differ by {check_writes(said, model, examples):.1e}")
    text, corrupt = ("a b c d <sep> <mask> <mask> <mask> <mask>", "a b k d <sep> <mask> <mask> <mask> <mask>")
    check_input(heads, folder, model, text, corrupt, 7, work)
    check_wires(heads, folder, model)


def check_windows(heads, folder, model, work):
    """Writes of an open causal model, on the windows of a text: as many that the last one, whose last answer is not in
    a window, does not score."""
    path, npz, T = os.path.join(work, "text.txt"), os.path.join(work, "windows.npz"), 8
    asked = [folder, "--file", path, f"task.length={T}", "patterns.examples=1000"]
    for times in range(5, 20):
        with open(path, "w", encoding="utf-8") as file:
            file.write("the cat sat on the mat and the dog barked. " * times)
        subprocess.run([heads, "map", *asked, "--npz", npz], check=True)
        windows = np.load(npz)["tokens"]
        if len(windows) % 2 == 1:
            break
    said = json.loads(subprocess.run([heads, "writes", *asked, "--json"], check=True, capture_output=True).stdout)
    stream = windows.reshape(-1)
    examples = [(w, list(range(T)), stream[e * T + 1 : (e + 1) * T + 1]) for e, w in enumerate(windows)][1::2]
    assert said["examples"] == len(examples), (said["examples"], len(examples))
    print(f"{os.path.basename(folder)}: writes differ by {check_writes(said, model, examples):.1e}")


def main():
    train, heads, tiny, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="headlight-writes-") as work:
        for name, keys in RUNS.items():
            check_run(train, heads, name, keys, work)
        gpt2, bert = os.path.join(tiny, "gpt2_next"), os.path.join(tiny, "bert_masked")
        check_input(heads, gpt2, gpt2_of(gpt2), "the cat sat on the mat", "the mat sat on the cat", 3, work)
        check_windows(heads, gpt2, gpt2_of(gpt2), work)
        check_wires(heads, gpt2, gpt2_of(gpt2))
        check_input(heads, bert, bert_of(bert), "the cat sat on the [MASK]", "the dog sat on the [MASK]", 3, work)
        check_wires(heads, bert, bert_of(bert))
        modern = os.path.join(tiny, "modernbert_masked")
        check_input(heads, modern, modernbert_of(modern), "the cat sat on the[MASK]", "the sat cat on the[MASK]", 3, work)
        check_wires(heads, modern, modernbert_of(modern))
        if more:
            folder, text = more[:2]
            model = (gpt2_of if "n_layer" in json.load(open(os.path.join(folder, "config.json"))) else bert_of)(folder)
            check_input(heads, folder, model, text, more[2] if len(more) > 2 else None, 3, work)
            check_wires(heads, folder, model)


if __name__ == "__main__":
    main()
