#!/usr/bin/env python3
"""The peer of a masked model with a large vocabulary: the same training steps in PyTorch.

usage: torch_masked.py [--threads N] [--steps N] [--dense] [--tied] [--json]

30,522 tokens, 4 layers of 4 heads, 256 wide, batch 32 x 128, dropout 0.1, GELU, pre-norm, learned positions; 19 tokens
of each example (15%) are targets. A step is forward, backward, clipping and AdamW, float32. The output layer runs on the
targets' rows alone, or with --dense on all rows, as nn.CrossEntropyLoss with ignore_index leads to. Prints medians of
the steps' time, of the processor time they took, and the peak memory of the process.
"""

import argparse
import json
import resource
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

VOCABULARY, LAYERS, HEADS, WIDTH, BATCH, LENGTH, DROPOUT = 30522, 4, 4, 256, 32, 128, 0.1
TARGETS = round(0.15 * LENGTH)  # of each example
MASK, IGNORE = 4, -100
WARM_UP = 2


class Masked(nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=DROPOUT, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.output = nn.Linear(WIDTH, VOCABULARY)
        nn.init.normal_(self.embedding.weight, std=WIDTH**-0.5)
        if tied:
            self.output.weight = self.embedding.weight

    def loss(self, tokens, targets, dense):
        x = self.embedding(tokens) * WIDTH**0.5 + self.positions.weight
        x = self.encoder(x)
        if not dense:
            chosen = targets != IGNORE
            x, targets = x[chosen], targets[chosen]
        return functional.cross_entropy(self.output(x).flatten(0, -2), targets.flatten(), ignore_index=IGNORE)


def batch():
    tokens = torch.randint(VOCABULARY, (BATCH, LENGTH))
    chosen = torch.rand(BATCH, LENGTH).argsort(1) < TARGETS
    return tokens.masked_fill(chosen, MASK), tokens.masked_fill(~chosen, IGNORE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--tied", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model = Masked(options.tied)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01)
    wall, processor = [], []
    for _ in range(WARM_UP + options.steps):
        tokens, targets = batch()
        begin, begin_processor = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        model.loss(tokens, targets, options.dense).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        wall.append(1e3 * (time.perf_counter() - begin))
        processor.append(1e3 * (time.process_time() - begin_processor))
    found = {
        "ms_median": round(statistics.median(wall[WARM_UP:]), 1),
        "processor_ms_median": round(statistics.median(processor[WARM_UP:]), 1),
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
