#!/usr/bin/env python3
"""The peer that bench is held against: the same training steps in PyTorch.

usage: torch_step.py WORKLOAD [--threads N] [--seconds S] [--dropout P] [--compile] [--json]

A step is what bench calls one: forward, backward and Adam of a pre-norm nn.TransformerEncoder between an embedding
(scaled by sqrt(d_model), plus sinusoidal positions) and a linear output layer; float32, ReLU, dropout P (0.1) on the
attention weights, on both sublayers' outputs and after the activation; cross-entropy at every position, no clipping.
WORKLOAD is a name of configs/bench: tiny, copy, small, base, long, t1024, t2048 or t4096. One process measures one
workload, so that its peak memory is its own. --compile runs the model through torch.compile (PyTorch 2). Three steps are
run before the clock starts.
"""

import argparse
import json
import math
import resource
import sys
import time
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Sizes:
    batch: int
    length: int
    d_model: int
    heads: int
    layers: int
    d_ff: int
    vocabulary: int

    def flops(self):
        """Of the matrix products of a step; a multiply-add counts 2, backward twice as much as forward."""
        projections = 4 * 2 * self.d_model**2
        feed_forward = 2 * 2 * self.d_model * self.d_ff
        attention = 2 * 2 * self.length * self.d_model
        output = 2 * self.d_model * self.vocabulary
        a_token = self.layers * (projections + feed_forward + attention) + output
        return 3 * self.batch * self.length * a_token


WORKLOADS = {
    "tiny": Sizes(batch=16, length=10, d_model=32, heads=4, layers=1, d_ff=64, vocabulary=16),
    "copy": Sizes(batch=64, length=32, d_model=64, heads=4, layers=2, d_ff=256, vocabulary=32),
    "small": Sizes(batch=32, length=64, d_model=128, heads=8, layers=4, d_ff=512, vocabulary=256),
    "base": Sizes(batch=16, length=64, d_model=512, heads=8, layers=6, d_ff=2048, vocabulary=1000),
    "long": Sizes(batch=4, length=512, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t1024": Sizes(batch=4, length=1024, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t2048": Sizes(batch=2, length=2048, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t4096": Sizes(batch=1, length=4096, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
}
WARM_UP, LEAST_STEPS = 3, 5


def positions(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


class Encoder(nn.Module):
    def __init__(self, sizes, dropout):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            sizes.d_model, sizes.heads, sizes.d_ff, dropout=dropout, batch_first=True, norm_first=True
        )
        self.scale = math.sqrt(sizes.d_model)
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.d_model)
        self.register_buffer("positions", positions(sizes.length, sizes.d_model))
        self.encoder = nn.TransformerEncoder(layer, sizes.layers, enable_nested_tensor=False)
        self.output = nn.Linear(sizes.d_model, sizes.vocabulary)

    def forward(self, tokens):
        return self.output(self.encoder(self.embedding(tokens) * self.scale + self.positions))


def make_step(sizes, dropout, compiled):
    torch.manual_seed(1)
    model = Encoder(sizes, dropout).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    run = torch.compile(model) if compiled else model
    tokens = torch.randint(sizes.vocabulary, (sizes.batch, sizes.length))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(run(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()

    return step


def measure(step, seconds):
    """The sorted times of single steps, in seconds."""
    for _ in range(WARM_UP):
        step()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST_STEPS or time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return sorted(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    sizes = WORKLOADS[arguments.workload]
    times = measure(make_step(sizes, arguments.dropout, arguments.compile), arguments.seconds)
    median = times[len(times) // 2]
    figures = {
        "name": arguments.workload,
        "torch": torch.__version__,
        "threads": arguments.threads,
        "compiled": arguments.compile,
        "steps": len(times),
        "ms_median": 1e3 * median,
        "tokens_per_second": sizes.batch * sizes.length / median,
        "gflops": sizes.flops() / median / 1e9,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(
            "{name}: {ms_median:.3f} ms a step, {tokens_per_second:.0f} tokens/s, {gflops:.1f} GFLOP/s, "
            "peak {peak_rss_mib:.0f} MiB".format(**figures)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
