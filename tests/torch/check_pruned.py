#!/usr/bin/env python3
"""A pruned model, of which each layer has heads of its own number, is 40 lines of PyTorch.

usage: check_pruned.py TRAIN_PROGRAM HEADS_PROGRAM

Trains small models, prunes them by `heads prune --to`, runs the command that it prints, and compares the logits of that
run's snapshot of step 0, which are the pruned model's, with those of the module below on the file's tensors: within
1e-5 of the largest. Read by safetensors.torch.load_file where that is installed, else by the reader of check_weights.py. Exits with 77,
which ctest reports as skipped, where PyTorch or NumPy is not installed.
"""

import json
import math
import os
import shlex
import subprocess
import sys
import tempfile

from check_weights import np, read_safetensors, torch, worst  # exits with 77 where they are missing

try:
    from safetensors.torch import load_file
except ImportError:
    load_file = read_safetensors

F = torch.nn.functional
CONFIGS = {
    "pre-norm": (5, []),
    "post-norm, gelu, causal, widths of their own": (
        4, ["model.norm=post", "model.activation=gelu", "model.causal=true", "model.d_k=5", "model.d_v=3"]),
    "no biases": (3, ["model.bias=false"]),
    "shared keys and values": (5, ["model.kv_heads=2,1,1"]),
}
CONFIG = """
[task]
name = copy
length = 6
min_length = 3
symbols = 8
[model]
layers = 3
d_model = 24
heads = 4, 2, 3
d_k = 6
d_v = 6
[optimizer]
learning_rate = 0.01
[train]
steps = 20
batch_size = 16
eval_examples = 24
[patterns]
examples = 12
"""


class Pruned(torch.nn.Module):
    """An encoder from its tensors: heads of layer n are what heads[n] says, key/value heads what its k_proj has."""

    def __init__(self, tensors, heads, d_k, pre, activation, causal):
        super().__init__()
        self.t, self.heads, self.d_k, self.pre, self.causal = tensors, heads, d_k, pre, causal
        self.activation = activation

    def linear(self, x, name):
        return F.linear(x, self.t[name + ".weight"], self.t.get(name + ".bias"))

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.t[name + ".weight"], self.t.get(name + ".bias"))

    def attention(self, x, n, mask):
        p, H, Dk = f"encoder.layers.{n}.self_attn.", self.heads[n], self.d_k[n]
        if p + "in_proj_weight" in self.t:
            weights = self.t[p + "in_proj_weight"].chunk(3)
        else:
            weights = [self.t[p + which + "_proj_weight"] for which in "qkv"]
        projected = torch.cat([F.linear(x, w) for w in weights], -1) + self.t.get(p + "in_proj_bias", 0)
        q, k, v = projected.split([len(w) for w in weights], -1)
        groups = len(weights[1]) // Dk
        q, k, v = (y.unflatten(-1, (h, -1)).transpose(1, 2) for y, h in ((q, H), (k, groups), (v, groups)))
        k, v = k.repeat_interleave(H // groups, 1), v.repeat_interleave(H // groups, 1)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(Dk)).masked_fill(mask, -math.inf).softmax(-1)
        return self.linear((weights @ v).transpose(1, 2).flatten(2), p + "out_proj")

    def layer(self, x, n, mask):
        p = f"encoder.layers.{n}."
        feed = lambda x: self.linear(self.activation(self.linear(x, p + "linear1")), p + "linear2")
        if self.pre:
            x = x + self.attention(self.norm(x, p + "norm1"), n, mask)
            return x + feed(self.norm(x, p + "norm2"))
        x = self.norm(x + self.attention(x, n, mask), p + "norm1")
        return self.norm(x + feed(x), p + "norm2")

    def forward(self, tokens, lengths):
        T, D = tokens.shape[1], self.t["embedding.weight"].shape[1]
        angles = torch.arange(T)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        x = self.t["embedding.weight"][tokens] * math.sqrt(D)
        x = x + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :D]
        mask = (torch.arange(T) >= lengths[:, None])[:, None, None, :]
        mask = mask | torch.ones(T, T, dtype=torch.bool).triu(1) if self.causal else mask
        for n in range(len(self.heads)):
            x = self.layer(x, n, mask)
        return self.linear(self.norm(x, "encoder.norm") if self.pre else x, "output")


def metadata(path):
    with open(path, "rb") as file:
        return json.loads(file.read(int.from_bytes(file.read(8), "little")))["__metadata__"]


def per_layer(config, key, layers):
    line = next(line for line in config.splitlines() if line.startswith(key + " = "))
    values = [int(value) for value in line.split("=")[1].split(",")]
    return values if len(values) == layers else values * layers


def check(train, heads, folder, name, left, overrides):
    config, run, path = (os.path.join(folder, part) for part in ("config.ini", "run", "pruned.safetensors"))
    with open(config, "w") as file:
        file.write(CONFIG)
    subprocess.run([train, config, *overrides, "--quiet", "--out", run], check=True)
    prune = [heads, "prune", run, "--to", str(left), "--out", path]
    told = subprocess.run(prune, check=True, capture_output=True, text=True).stdout
    subprocess.run([train, *shlex.split(told.splitlines()[-1])[1:], "train.steps=1", "--quiet"], check=True)

    about = metadata(path)
    config = about["config"]
    n_heads, d_k = per_layer(config, "heads", 3), per_layer(config, "d_k", 3)
    assert sum(n_heads) == left == len(about["heads"].split(",")), about["heads"]
    activation = F.gelu if "activation = gelu" in config else F.relu
    model = Pruned(load_file(path), n_heads, d_k, "norm = pre" in config, activation, "causal = true" in config)
    snapshot = np.load(os.path.join(run + "-pruned", "patterns", "step_000000.npz"))
    tokens, lengths = (torch.from_numpy(snapshot[key]).long() for key in ("tokens", "lengths"))
    real = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
    logits = torch.from_numpy(snapshot["logits"])
    with torch.no_grad():
        error = worst(logits, model(tokens, lengths), real[:, :, None]) / logits.abs().max().item()
    good = error <= 1e-5
    print(f"{'ok' if good else 'FAILED'}  {name}: {about['heads']}; logits within {error:.1e} of the largest")
    return good


def main():
    torch.set_num_threads(1)
    good = True
    for name, (left, overrides) in CONFIGS.items():
        with tempfile.TemporaryDirectory() as folder:
            good = check(sys.argv[1], sys.argv[2], folder, name, left, overrides) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
