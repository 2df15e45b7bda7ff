#!/usr/bin/env python3
"""nanoGPT's model and step can be set up in a config.

usage: check_nanogpt.py TRAIN_PROGRAM

A GPT written here as the published one is (pre-norm, exact GELU, learned positions, no bias, tied unscaled embedding)
gets GPT-2's initial weights, which `train --from` takes over. Compared are the logits before the first update, with one
example, and all weights after one update by AdamW, which decays matrices alone, behind clipping. The example of that
update is the one of all possible ones that has the loss that metrics.csv tells. Exits with 77, which ctest reports as
skipped, where PyTorch or NumPy is not installed.
"""

import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_weights import read_safetensors

LAYERS, HEADS, WIDTH, CONTEXT, RATE = 4, 4, 128, 64, 1e-3

CONFIG = f"""
[task]
name = copy
length = 3
symbols = 3
[model]
layers = {LAYERS}
heads = {HEADS}
d_model = {WIDTH}
max_length = {CONTEXT}
causal = true
norm = pre
activation = gelu
positions = learned
bias = false
tie_embedding = true
scale_embedding = false
initial_std = 0.02
scale_residual = true
[optimizer]
name = adamw
learning_rate = {RATE}
min_rate = 1e-4
schedule = cosine
warmup_steps = 0
beta1 = 0.9
beta2 = 0.99
epsilon = 1e-8
weight_decay = 0.1
clip_norm = 1
[train]
steps = 1
batch_size = 1
log_every = 1
eval_examples = 200
[patterns]
examples = 200
"""


class GPT(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList()
        for _ in range(LAYERS):
            self.blocks.append(
                nn.ModuleDict(
                    {
                        "norm1": nn.LayerNorm(WIDTH, bias=False),
                        "qkv": nn.Linear(WIDTH, 3 * WIDTH, bias=False),
                        "projection": nn.Linear(WIDTH, WIDTH, bias=False),
                        "norm2": nn.LayerNorm(WIDTH, bias=False),
                        "up": nn.Linear(WIDTH, 4 * WIDTH, bias=False),
                        "down": nn.Linear(4 * WIDTH, WIDTH, bias=False),
                    }
                )
            )
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                residual = "projection" in name or "down" in name
                nn.init.normal_(parameter, std=0.02 / (2 * LAYERS) ** 0.5 if residual else 0.02)

    def forward(self, tokens):
        B, T = tokens.shape
        x = self.tokens(tokens) + self.positions.weight[:T]
        for block in self.blocks:
            heads = block["qkv"](block["norm1"](x)).view(B, T, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            z = functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + block["projection"](z.transpose(1, 2).reshape(B, T, WIDTH))
            x = x + block["down"](functional.gelu(block["up"](block["norm2"](x))))
        return self.norm(x) @ self.tokens.weight.T

    def named(self):
        """The parameters under the names of our files."""
        names = {"embedding.weight": self.tokens.weight, "positions.weight": self.positions.weight}
        for i, block in enumerate(self.blocks):
            layer = f"encoder.layers.{i}."
            names[layer + "self_attn.in_proj_weight"] = block["qkv"].weight
            names[layer + "self_attn.out_proj.weight"] = block["projection"].weight
            names[layer + "linear1.weight"] = block["up"].weight
            names[layer + "linear2.weight"] = block["down"].weight
            names[layer + "norm1.weight"] = block["norm1"].weight
            names[layer + "norm2.weight"] = block["norm2"].weight
        names["encoder.norm.weight"] = self.norm.weight
        names["output.weight"] = self.tokens.weight
        return names


def write_safetensors(path, tensors):
    header, content = {}, b""
    for name, tensor in tensors.items():
        bytes_ = tensor.detach().numpy().astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(content), len(content) + len(bytes_)],
        }
        content += bytes_
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head + content)


def loss_of(model, tokens, targets):
    logits = model(torch.from_numpy(tokens[None].astype(np.int64)))[0]
    return functional.cross_entropy(logits, torch.from_numpy(targets.astype(np.int64)), ignore_index=-1)


def main():
    train = os.path.abspath(sys.argv[1])
    torch.manual_seed(3)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("gpt.ini", "w") as file:
            file.write(CONFIG)
        vocabulary = 3 + 3
        model = GPT(vocabulary)
        write_safetensors("gpt.safetensors", model.named())
        command = [train, "gpt.ini", "--out", "run", "--from", "gpt.safetensors", "--quiet"]
        subprocess.run(command, check=True)
        first = np.load("run/patterns/step_000000.npz")
        with open("run/metrics.csv") as file:
            row = next(row for row in csv.DictReader(file) if row["split"] == "train")

        tokens, targets = first["tokens"], first["targets"]
        with torch.no_grad():
            logits = model(torch.from_numpy(tokens.astype(np.int64))).numpy()
        difference = np.abs(logits - first["logits"]).max()
        print(f"logits: {difference:.2g}")
        assert difference < 1e-5, difference

        losses = []
        for symbols in itertools.product(range(3, 6), repeat=3):
            example = np.array([*symbols, *tokens[0, 3:]]), np.array([*targets[0, :4], *symbols])
            losses.append((abs(loss_of(model, *example).item() - float(row["loss"])), example))
        losses.sort(key=lambda pair: pair[0])
        assert losses[0][0] < 2e-6 and losses[1][0] > 1e-5, losses[:2]

        decayed = [p for p in model.parameters() if p.dim() > 1]
        others = [p for p in model.parameters() if p.dim() <= 1]
        groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
        optimizer = torch.optim.AdamW(groups, lr=float(row["learning_rate"]), betas=(0.9, 0.99), eps=1e-8)
        assert abs(float(row["learning_rate"]) - RATE) < 1e-9, row
        loss_of(model, *losses[0][1]).backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        assert norm > 1 and abs(norm - float(row["grad_norm"])) < 1e-4 * norm, (norm, row)
        optimizer.step()

        found = read_safetensors("run/checkpoint.safetensors")
        compared = 0
        for name, parameter in model.named().items():
            # Adam's first step is the gradient's sign, but where epsilon is as large: there rounding shows.
            clear = parameter.grad.abs() > 1e-6
            difference = (found[name] - parameter.detach()).abs()
            assert difference[clear].max() < 2e-6, (name, difference[clear].max())
            assert difference.max() <= 2 * RATE, (name, difference.max())
            compared += int(clear.sum())
        print(f"weights: {compared} after a step")
        assert compared > 500000, compared


if __name__ == "__main__":
    main()
