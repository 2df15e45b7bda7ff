#!/usr/bin/env python3
"""PyTorch loads what `train` writes, and computes the same.

usage: check_weights.py TRAIN_PROGRAM

The one test in Python: what it shows is a claim about PyTorch itself. Trains tiny models of different configs, loads
model.safetensors with strict=True into nn.Embedding, nn.TransformerEncoder and nn.Linear, and with the weights of
checkpoint.safetensors compares the last snapshot: logits within 1e-4, every head's attention weights within 1e-5.
Exits with 77, which ctest reports as skipped, where PyTorch or NumPy is not installed.
"""

import configparser
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BASE = """
[task]
name = copy
symbols = 6
{task}
[model]
d_model = 16
{model}
[optimizer]
learning_rate = 0.01
[train]
steps = 25
batch_size = 16
eval_examples = 20
eval_every = 5
[patterns]
examples = 12
"""

CONFIGS = {
    "packed, pre-norm": ("length = 4", "layers = 2\nheads = 4\nnorm = pre\ndropout = 0.1"),
    "causal, post-norm, gelu, learned positions, variable length": (
        "length = 6\nmin_length = 2",
        "layers = 3\nheads = 2\nd_ff = 24\nnorm = post\nactivation = gelu\npositions = learned\nmax_length = 20\n"
        "causal = true",
    ),
    "tied, no biases, variable length": (
        "length = 5\nmin_length = 1",
        "layers = 2\nheads = 8\nbias = false\ntie_embedding = true",
    ),
    "pre-norm, tied with a bias, unscaled, a large epsilon": (
        "length = 4",
        "layers = 2\nheads = 2\nbias = false\ntie_embedding = true\ntied_bias = true\nscale_embedding = false\n"
        "norm_eps = 0.125\ninitial_std = 0.1\nscale_residual = true",
    ),
    "post-norm, tied, no positions": ("length = 3", "layers = 1\nheads = 1\nnorm = post\npositions = none\ntie_embedding = true"),
}


def read_safetensors(path):
    """The tensors of a safetensors file, by the format's own description: length, JSON header, numbers."""
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", entry
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(content[start + begin : start + end], dtype="<f4").reshape(entry["shape"])
        tensors[name] = torch.from_numpy(numbers.copy())
    return tensors


class Model(nn.Module):
    """What a user of PyTorch would write for a config: three modules under the names of the file."""

    def __init__(self, config, vocabulary):
        super().__init__()
        m = config["model"]
        self.d_model = m.getint("d_model")
        self.kind = m["positions"]
        self.causal = m.getboolean("causal")
        bias, pre = m.getboolean("bias"), m["norm"] == "pre"
        heads, tied = m.getint("heads"), m.getboolean("tie_embedding")
        layer = nn.TransformerEncoderLayer(
            self.d_model, heads, m.getint("d_ff"), dropout=0.0, activation=m["activation"], batch_first=True,
            norm_first=pre, bias=bias, layer_norm_eps=m.getfloat("norm_eps"),
        )  # fmt: skip
        self.embedding = nn.Embedding(vocabulary, self.d_model)
        if self.kind == "learned":
            self.positions = nn.Embedding(m.getint("max_length"), self.d_model)
        norm = nn.LayerNorm(self.d_model, m.getfloat("norm_eps"), bias=bias) if pre else None
        self.encoder = nn.TransformerEncoder(layer, m.getint("layers"), norm=norm, enable_nested_tensor=False)
        self.output = nn.Linear(self.d_model, vocabulary, bias=m.getboolean("tied_bias") or (bias and not tied))
        self.scale = math.sqrt(self.d_model) if m.getboolean("scale_embedding") else 1
        if tied:
            self.output.weight = self.embedding.weight

    def sinusoids(self, length):
        angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (
            torch.arange(0, self.d_model, 2, dtype=torch.float64) / self.d_model
        )
        return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, -1)[:, : self.d_model].float()

    def forward(self, tokens, lengths):
        """Logits, and each layer's attention weights (examples, heads, queries, keys)."""
        length = tokens.shape[1]
        x = self.embedding(tokens) * self.scale
        if self.kind == "learned":
            x = x + self.positions(torch.arange(length))
        elif self.kind == "sinusoidal":
            x = x + self.sinusoids(length)
        padding = torch.arange(length)[None, :] >= lengths[:, None]
        mask = torch.ones(length, length, dtype=torch.bool).triu(1) if self.causal else None
        inputs = []
        hooks = [
            layer.register_forward_pre_hook(lambda _, arguments: inputs.append(arguments[0]))
            for layer in self.encoder.layers
        ]
        y = self.encoder(x, mask=mask, src_key_padding_mask=padding)
        for hook in hooks:
            hook.remove()
        weights = []
        for layer, z in zip(self.encoder.layers, inputs):
            z = layer.norm1(z) if layer.norm_first else z
            weights.append(
                layer.self_attn(
                    z, z, z, key_padding_mask=padding, attn_mask=mask, need_weights=True, average_attn_weights=False
                )[1]
            )
        return self.output(y), weights


def worst(found, expected, real):
    """The largest difference where `real` is true; NaN counts as infinite."""
    difference = (found - expected).abs()[real.expand_as(found)]
    return float("inf") if difference.isnan().any() else difference.max().item()


def check(program, folder, name, task, model_keys):
    config_path = os.path.join(folder, "config.ini")
    with open(config_path, "w") as file:
        file.write(BASE.format(task=task, model=model_keys))
    run = os.path.join(folder, "run")
    subprocess.run([program, config_path, "--quiet", "--out", run], check=True)
    config = configparser.ConfigParser()
    config.read(os.path.join(run, "config.ini"))
    with open(os.path.join(run, "vocab.txt")) as file:
        vocabulary = len(file.read().splitlines())

    model = Model(config, vocabulary).eval()
    model.load_state_dict(read_safetensors(os.path.join(run, "model.safetensors")), strict=True)
    checkpoint = read_safetensors(os.path.join(run, "checkpoint.safetensors"))
    weights = {key: value for key, value in checkpoint.items() if not key.startswith("optimizer.")}
    model.load_state_dict(weights, strict=True)
    assert {f"optimizer.{moment}.{key}" for moment in "mv" for key, _ in model.named_parameters()} == set(
        checkpoint
    ) - set(weights)

    snapshots = sorted(os.listdir(os.path.join(run, "patterns")))
    snapshot = np.load(os.path.join(run, "patterns", snapshots[-1]))
    assert int(snapshot["step"]) == config["train"].getint("steps")
    tokens = torch.from_numpy(snapshot["tokens"]).long()
    lengths = torch.from_numpy(snapshot["lengths"]).long()
    real = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
    with torch.no_grad():
        logits, attention = model(tokens, lengths)
    errors = [worst(torch.from_numpy(snapshot["logits"]), logits, real[:, :, None])]
    for layer, found in enumerate(attention):
        recorded = torch.from_numpy(snapshot[f"layer_{layer}"])
        assert recorded.shape == found.shape, (recorded.shape, found.shape)
        errors.append(worst(recorded, found, real[:, None, :, None]))
        assert recorded[~(real[:, None, :, None] & real[:, None, None, :]).expand_as(recorded)].abs().sum() == 0
    good = errors[0] <= 1e-4 and max(errors[1:]) <= 1e-5
    print(f"{'ok' if good else 'FAILED'}  {name}: logits within {errors[0]:.1e}, weights within {max(errors[1:]):.1e}")
    return good


def main():
    print(f"PyTorch {torch.__version__}")
    torch.set_num_threads(1)
    good = True
    for name, (task, model_keys) in CONFIGS.items():
        with tempfile.TemporaryDirectory() as folder:
            good = check(sys.argv[1], folder, name, task, model_keys) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
