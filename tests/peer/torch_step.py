#!/usr/bin/env python3
"""The peer that bench is held against: the same training steps in PyTorch.

usage: torch_step.py WORKLOAD [--threads N] [--seconds S] [--least N] [--dropout P] [--compile] [--bf16]
                     [--batch N] [--length N] [--d-model N] [--heads N] [--d-ff N] [--json]

A step is what bench calls one: forward, backward and Adam of a pre-norm nn.TransformerEncoder between an embedding
(scaled by sqrt(d_model), plus sinusoidal positions) and a linear output layer; float32, ReLU, dropout P (0.1) on the
attention weights, on both sublayers' outputs and after the activation; cross-entropy at every position, no clipping.
WORKLOAD is a name of configs/bench: tiny, copy, small, base, long, t1024, t2048, t4096, gpt2 or modernbert, whose sizes other
options change. gpt2 is GPT-2: causal, learned positions, embeddings that are not scaled, GELU (its tanh formula), and an output
layer that shares the embedding's matrix and has no bias. modernbert is ModernBERT-base: rotary positions, a window of 128
keys in two of three layers, GeGLU, no biases, and the embedding shared by the output layer, behind a linear layer, GELU and
a norm. One process measures one workload, so that its peak memory is its own. --compile runs the model through
torch.compile (PyTorch 2), --bf16 forward through torch.autocast. Three steps are run before the clock starts.
"""

import functools
import math
import sys

sys.dont_write_bytecode = True

import torch
from steps import BETAS, EPSILON, LEARNING_RATE, arguments_of, parser_of, report
from torch import nn
from torch.nn import functional


POSITIONS = 1024  # that GPT-2 has learned


def positions(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)


def stack_of(sizes, dropout, activation):
    layer = nn.TransformerEncoderLayer(
        sizes.d_model, sizes.heads, sizes.d_ff, dropout, activation, batch_first=True, norm_first=True
    )
    norm = nn.LayerNorm(sizes.d_model)
    return nn.TransformerEncoder(layer, sizes.layers, norm=norm, enable_nested_tensor=False)


class Encoder(nn.Module):
    """Its parameters have the names of model.safetensors."""

    def __init__(self, sizes, dropout):
        super().__init__()
        self.scale = math.sqrt(sizes.d_model)
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.d_model)
        self.register_buffer("positions", positions(sizes.length, sizes.d_model), persistent=False)
        self.encoder = stack_of(sizes, dropout, "relu")
        self.output = nn.Linear(sizes.d_model, sizes.vocabulary)

    def forward(self, tokens):
        return self.output(self.encoder(self.embedding(tokens) * self.scale + self.positions))


class Gpt2(nn.Module):
    """Likewise. The mask says to attention what is_causal says, which spares it the reading."""

    def __init__(self, sizes, dropout):
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.d_model)
        self.positions = nn.Embedding(POSITIONS, sizes.d_model)
        self.encoder = stack_of(sizes, dropout, functools.partial(functional.gelu, approximate="tanh"))
        self.output = nn.Linear(sizes.d_model, sizes.vocabulary, bias=False)
        self.output.weight = nn.init.normal_(self.embedding.weight, std=0.02)
        mask = nn.Transformer.generate_square_subsequent_mask(sizes.length)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions.weight[: tokens.shape[1]]
        return self.output(self.encoder(x, mask=self.mask, is_causal=True))


def rotary_table(length, width, theta):
    angles = torch.arange(length)[:, None] / theta ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)))


class ModernBertAttention(nn.Module):
    def __init__(self, sizes, dropout):
        super().__init__()
        self.heads, self.dropout = sizes.heads, dropout
        self.in_proj_weight = nn.Parameter(torch.empty(3 * sizes.d_model, sizes.d_model))
        self.out_proj = nn.Linear(sizes.d_model, sizes.d_model, bias=False)

    def forward(self, x, table, mask):
        batch, length, width = x.shape
        qkv = functional.linear(x, self.in_proj_weight).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        first, second = qkv[:2].chunk(2, dim=-1)
        q, k = qkv[:2] * table[0] + torch.cat((-second, first), -1) * table[1]
        drop = self.dropout if self.training else 0.0
        heads = functional.scaled_dot_product_attention(q.to(x.dtype), k.to(x.dtype), qkv[2].to(x.dtype), mask, drop)
        return self.out_proj(heads.transpose(1, 2).reshape(batch, length, width))


class ModernBertLayer(nn.Module):
    def __init__(self, sizes, dropout, first):
        super().__init__()
        self.norm1 = nn.Identity() if first else nn.LayerNorm(sizes.d_model, bias=False)
        self.self_attn = ModernBertAttention(sizes, dropout)
        self.norm2 = nn.LayerNorm(sizes.d_model, bias=False)
        self.linear1 = nn.Linear(sizes.d_model, sizes.d_ff, bias=False)
        self.linear3 = nn.Linear(sizes.d_model, sizes.d_ff, bias=False)
        self.linear2 = nn.Linear(sizes.d_ff, sizes.d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, table, mask):
        x = x + self.drop(self.self_attn(self.norm1(x), table, mask))
        inner = self.drop(functional.gelu(self.linear1(y := self.norm2(x))) * self.linear3(y))
        return x + self.drop(self.linear2(inner))


class ModernBertHead(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.dense = nn.Linear(sizes.d_model, sizes.d_model, bias=False)
        self.norm = nn.LayerNorm(sizes.d_model, bias=False)
        self.bias = nn.Parameter(torch.zeros(sizes.vocabulary))


class ModernBert(nn.Module):
    """Likewise."""

    def __init__(self, sizes, dropout):
        super().__init__()
        self.windows = sizes.windows()
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.d_model)
        self.embedding_norm = nn.LayerNorm(sizes.d_model, bias=False)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(ModernBertLayer(sizes, dropout, i == 0) for i in range(sizes.layers))
        self.encoder.norm = nn.LayerNorm(sizes.d_model, bias=False)
        self.head = ModernBertHead(sizes)
        self.output = nn.Linear(sizes.d_model, sizes.vocabulary, bias=False)
        self.output.weight = self.embedding.weight
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)
        width = sizes.d_model // sizes.heads
        self.register_buffer("table", rotary_table(sizes.length, width, 160000.0), persistent=False)
        self.register_buffer("table_local", rotary_table(sizes.length, width, 10000.0), persistent=False)
        distance = (torch.arange(sizes.length)[:, None] - torch.arange(sizes.length)).abs()
        self.register_buffer("mask", distance <= sizes.window // 2, persistent=False)

    def forward(self, tokens):
        x = self.embedding_norm(self.embedding(tokens))
        for layer, side in zip(self.encoder.layers, self.windows):
            x = layer(x, self.table, None) if side is None else layer(x, self.table_local, self.mask)
        x = self.head.norm(functional.gelu(self.head.dense(self.encoder.norm(x))))
        return self.output(x) + self.head.bias


class Training:
    def __init__(self, sizes, dropout, compiled=False, bf16=False):
        torch.manual_seed(1)
        self.model = (Gpt2 if sizes.gpt2 else ModernBert if sizes.modernbert else Encoder)(sizes, dropout).train()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=LEARNING_RATE, betas=BETAS, eps=EPSILON)
        self.run = torch.compile(self.model) if compiled else self.model
        self.bf16 = bf16
        self.tokens = torch.randint(sizes.vocabulary, (sizes.batch, sizes.length))

    def load(self, tensors, tokens):
        """The weights, NumPy arrays by name, and the batch of all steps."""
        self.model.load_state_dict({name: torch.from_numpy(values) for name, values in tensors.items()})
        self.tokens = torch.from_numpy(tokens).long()

    def logits(self):
        with torch.no_grad():
            return self.run(self.tokens).numpy()

    def step(self):
        """An update; returns the loss before it."""
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            loss = functional.cross_entropy(self.run(self.tokens).flatten(0, 1), self.tokens.flatten())
        loss.backward()
        self.optimizer.step()
        return loss.item()


def main():
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    arguments, sizes = arguments_of(parser)
    torch.set_num_threads(arguments.threads)
    training = Training(sizes, arguments.dropout, arguments.compile, arguments.bf16)
    precision = "bf16" if arguments.bf16 else "float"
    report(arguments, sizes, training.step, torch=torch.__version__, compiled=arguments.compile, precision=precision)
    return 0


if __name__ == "__main__":
    sys.exit(main())
