#!/usr/bin/env python3
"""A second peer that bench is held against: the same training steps in JAX.

usage: jax_step.py WORKLOAD [--threads N] [--seconds S] [--least N] [--dropout P] [--batch N] [--length N]
                   [--d-model N] [--heads N] [--d-ff N] [--json]

The steps of torch_step.py but those of gpt2, in float32: forward, backward and Adam are one function under jax.jit, whose old weights and
moments may be overwritten. JAX takes a thread for each CPU that it may use: N of them are left to it. It compiles in the
first of three steps, which are run before the clock starts.
"""

import math
import os
import sys

sys.dont_write_bytecode = True

from steps import BETAS, ENCODERS, EPSILON, LEARNING_RATE, arguments_of, parser_of, report

if __name__ == "__main__":  # JAX counts the CPUs when it is imported
    PARSER, CPUS = parser_of(__doc__.splitlines()[0], ENCODERS), sorted(os.sched_getaffinity(0))
    ARGUMENTS, SIZES = arguments_of(PARSER)
    if ARGUMENTS.threads > len(CPUS):
        PARSER.error(f"--threads {ARGUMENTS.threads}: JAX takes a thread for each CPU, and here are {len(CPUS)}")
    os.sched_setaffinity(0, CPUS[: ARGUMENTS.threads])

import jax
import jax.numpy as jnp
import numpy as np


def positions(length, d_model):
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return jnp.asarray(np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(length, d_model), jnp.float32)


def random_weights(sizes):
    """By the names of model.safetensors, each (out, in)."""
    generator = np.random.default_rng(1)
    width, d_ff = sizes.d_model, sizes.d_ff
    weights = {"embedding.weight": generator.normal(size=(sizes.vocabulary, width), scale=width**-0.5)}

    def linear(name, n_out, n_in, bias=".bias", weight=".weight"):
        weights[name + weight] = generator.normal(size=(n_out, n_in), scale=n_in**-0.5)
        weights[name + bias] = np.zeros(n_out)

    def norm(name):
        weights[name + ".weight"], weights[name + ".bias"] = np.ones(width), np.zeros(width)

    for layer in range(sizes.layers):
        at = f"encoder.layers.{layer}."
        linear(at + "self_attn.in_proj", 3 * width, width, "_bias", "_weight")
        linear(at + "self_attn.out_proj", width, width)
        linear(at + "linear1", d_ff, width)
        linear(at + "linear2", width, d_ff)
        norm(at + "norm1")
        norm(at + "norm2")
    norm("encoder.norm")
    linear("output", sizes.vocabulary, width)
    return weights


def model_of(sizes, dropout):
    """logits(weights, tokens, key); without dropout the key is not used."""
    table, d_k = positions(sizes.length, sizes.d_model), sizes.d_model // sizes.heads

    def linear(weights, name, x):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(weights, name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * weights[name + ".weight"] + weights[name + ".bias"]

    def drop(key, n, x):
        if dropout == 0:
            return x
        kept = jax.random.bernoulli(jax.random.fold_in(key, n), 1 - dropout, x.shape)
        return jnp.where(kept, x / (1 - dropout), 0)

    def attention(weights, at, x, key, n):
        projected = x @ weights[at + "in_proj_weight"].T + weights[at + "in_proj_bias"]
        q, k, v = jnp.moveaxis(projected.reshape(*x.shape[:2], 3, sizes.heads, d_k), 2, 0)
        scores = jnp.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(d_k)
        z = jnp.einsum("bhij,bjhd->bihd", drop(key, n, jax.nn.softmax(scores)), v)
        return linear(weights, at + "out_proj", z.reshape(x.shape))

    def logits(weights, tokens, key):
        x = weights["embedding.weight"][tokens] * math.sqrt(sizes.d_model) + table
        for layer in range(sizes.layers):
            at, n = f"encoder.layers.{layer}.", 4 * layer
            x = x + drop(key, n + 1, attention(weights, at + "self_attn.", norm(weights, at + "norm1", x), key, n))
            hidden = jax.nn.relu(linear(weights, at + "linear1", norm(weights, at + "norm2", x)))
            x = x + drop(key, n + 3, linear(weights, at + "linear2", drop(key, n + 2, hidden)))
        return linear(weights, "output", norm(weights, "encoder.norm", x))

    return logits


class Training:
    def __init__(self, sizes, dropout):
        self.model = model_of(sizes, dropout)
        tokens = np.random.default_rng(1).integers(sizes.vocabulary, size=(sizes.batch, sizes.length))
        self.load(random_weights(sizes), tokens)
        self.update = jax.jit(self._update, donate_argnums=0)

    def load(self, tensors, tokens):
        """The weights, NumPy arrays by name, and the batch of all steps."""
        weights = {name: jnp.asarray(values, jnp.float32) for name, values in tensors.items()}
        moments = [{name: jnp.zeros_like(values) for name, values in weights.items()} for _ in range(2)]
        self.tokens = jnp.asarray(tokens)
        self.state = (weights, *moments, jnp.zeros((), jnp.int32))

    def logits(self):
        return np.asarray(self.model(self.state[0], self.tokens, jax.random.key(0)))

    def _update(self, state, tokens):
        weights, means, squares, n = state

        def loss_of(weights):
            logs = jax.nn.log_softmax(self.model(weights, tokens, jax.random.fold_in(jax.random.key(1), n)))
            return -jnp.take_along_axis(logs, tokens[..., None], axis=-1).mean()

        loss, gradients = jax.value_and_grad(loss_of)(weights)
        n = n + 1
        first, second = BETAS
        means = jax.tree.map(lambda m, g: first * m + (1 - first) * g, means, gradients)
        squares = jax.tree.map(lambda v, g: second * v + (1 - second) * g * g, squares, gradients)
        weights = jax.tree.map(
            lambda w, m, v: w - LEARNING_RATE * (m / (1 - first**n)) / (jnp.sqrt(v / (1 - second**n)) + EPSILON),
            weights,
            means,
            squares,
        )
        return (weights, means, squares, n), loss

    def step(self):
        """An update, waited for; returns the loss before it."""
        self.state, loss = self.update(self.state, self.tokens)
        jax.block_until_ready(self.state)
        return float(loss)


def main():
    training = Training(SIZES, ARGUMENTS.dropout)
    report(ARGUMENTS, SIZES, training.step, jax=jax.__version__, precision="float")
    return 0


if __name__ == "__main__":
    sys.exit(main())
