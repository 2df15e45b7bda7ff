#!/usr/bin/env python3
"""The peer of tests/peer/next.ini: a small GPT on the characters of a text, in PyTorch.

usage: torch_next.py FILE [--steps N] [--seed N] [--threads N]

The setting that nanoGPT's README gives for a CPU: 4 pre-norm layers of width 128 with 4 heads, exact gelu, no biases,
learned positions, an output layer that shares the embedding's matrix; windows of 64 characters, 12 a step; AdamW with
betas 0.9 and 0.99, decay 0.1 on matrices, gradients clipped to 1, the rate rising for 100 steps to 1e-3 and falling as
a cosine to 1e-4. Matrices begin with a standard deviation of 0.02, those that write to the residual stream with
0.02 / sqrt(2 * layers). The last tenth of the text is kept for scoring.

Prints one object of JSON: loss, the mean over all windows of 64 that lie side by side in the last tenth;
tokens_per_second, of the median step.
"""

import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

WINDOW, BATCH, LAYERS, HEADS, WIDTH = 64, 12, 4, 4, 128
PEAK, LEAST, WARM_UP = 1e-3, 1e-4, 100


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_attention = nn.LayerNorm(WIDTH, bias=False)
        self.attention_in = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.attention_out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.norm_feed_forward = nn.LayerNorm(WIDTH, bias=False)
        self.feed_forward_in = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.feed_forward_out = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        heads = self.attention_in(self.norm_attention(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        queries, keys, values = heads.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        x = x + self.attention_out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.feed_forward_out(functional.gelu(self.feed_forward_in(self.norm_feed_forward(x))))


class Model(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Parameter(torch.empty(WINDOW, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                residual = name.endswith(("attention_out.weight", "feed_forward_out.weight"))
                nn.init.normal_(parameter, 0, 0.02 / math.sqrt(2 * LAYERS) if residual else 0.02)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embedding.weight.T


def rate(step, steps):
    """Of step 1 .. steps."""
    if step <= WARM_UP:
        return PEAK * step / WARM_UP
    return LEAST + (PEAK - LEAST) * (1 + math.cos(math.pi * (step - WARM_UP) / (steps - WARM_UP))) / 2


def loss_of(model, windows):
    logits = model(windows[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def train(model, text, steps):
    matrices = [parameter for parameter in model.parameters() if parameter.dim() == 2]
    norms = [parameter for parameter in model.parameters() if parameter.dim() != 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": norms, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.99), fused=True)
    times = []
    for step in range(1, steps + 1):
        begin = time.perf_counter()
        starts = torch.randint(len(text) - WINDOW, (BATCH,))
        windows = torch.stack([text[start : start + WINDOW + 1] for start in starts])
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps)
        optimizer.zero_grad(set_to_none=True)
        loss_of(model, windows).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        times.append(time.perf_counter() - begin)
    return times


def score(model, text):
    count = (len(text) - 1) // WINDOW
    windows = torch.stack([text[i * WINDOW : (i + 1) * WINDOW + 1] for i in range(count)])
    with torch.no_grad():
        return sum(loss_of(model, part).item() * len(part) for part in windows.split(64)) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    with open(arguments.file, encoding="utf-8", newline="") as file:
        text = file.read()
    ids = {character: i for i, character in enumerate(sorted(set(text)))}
    text = torch.tensor([ids[character] for character in text])
    training = len(text) - int(0.1 * len(text))
    model = Model(len(ids))
    times = train(model, text[:training], arguments.steps)
    print(json.dumps({
        "loss": score(model, text[training:]),
        "tokens_per_second": BATCH * WINDOW / statistics.median(times),
    }))


if __name__ == "__main__":
    main()
