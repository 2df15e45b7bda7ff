"""Writes accuracy_golden.h beside itself: how far PyTorch's float32 comes from its float64 in 100 steps.

    python3 tests/golden/accuracy_golden.py

Of the optimizers alone, both precisions given the same gradients; and of whole trainings. Weights, gradients and tokens
are not written: both sides make them by golden_hash. They are multiples of 2^-22 or less, which float holds exactly."""

import math

import torch
from torch import nn
from torch.nn import functional

STEPS, WARMUP, WEIGHTS, BIASES, SHOWN = 100, 20, 192, 64, 8
B, T, V, D, H, F = 8, 6, 11, 16, 2, 32
SEEDS, EVERY = 7, 10
# The second argument of golden_hash; initial numbers of a model's parameters count on from MODEL in PyTorch's order.
START, TREND, NOISE, TOKENS, MODEL = 0, 1, 2, 3, 4

torch.set_num_threads(1)


def golden_hash(seed, use, i):
    x = (seed * 73856093 ^ use * 19349663 ^ i * 83492791) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ x >> shift) * factor & 0xFFFFFFFF
    return x ^ x >> 16


def number(seed, use, i):
    return (golden_hash(seed, use, i) >> 9) / 2**22 - 1


def numbers(seed, use, shape):
    return torch.tensor([number(seed, use, i) for i in range(math.prod(shape))], dtype=torch.float64).reshape(shape)


def rate(schedule, peak, step):
    """As optim/schedule.h has it; the tests of schedules compare that with PyTorch's own."""
    if schedule == "noam":
        return peak * min(step**-0.5, step * WARMUP**-1.5) / math.sqrt(D)
    if step <= WARMUP:
        return peak * step / WARMUP
    p = (step - 1 - WARMUP) / (STEPS - WARMUP)
    return peak * {"constant": 1, "linear": 1 - p, "cosine": (1 + math.cos(math.pi * p)) / 2}[schedule]


OPTIMIZERS = {  # beta1, beta2, epsilon, weight decay
    "adam": (torch.optim.Adam, 0.9, 0.98, 1e-9, 0.01),
    "adamw": (torch.optim.AdamW, 0.9, 0.999, 1e-8, 0.01),
    "sgd": (torch.optim.SGD, 0.0, 0.0, 0.0, 0.01),
}
SCHEDULES = ("noam", "linear", "cosine", "constant")


def peak_of(optimizer, schedule):
    small = 0.125 if optimizer == "sgd" else 0.0078125
    return small * (16 if schedule == "noam" else 1)


def stepper_of(name, decaying, others):
    make, beta1, beta2, epsilon, decay = OPTIMIZERS[name]
    groups = [{"params": decaying, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return make(groups, lr=1.0, **({} if name == "sgd" else {"betas": (beta1, beta2), "eps": epsilon}))


def set_rate(stepper, value):
    for group in stepper.param_groups:
        group["lr"] = value


def alone(name, schedule, dtype):
    """All weights after each step (STEPS, WEIGHTS + BIASES), from gradients with a trend and noise, of many sizes."""
    count = WEIGHTS + BIASES
    start, trend = numbers(0, START, (count,)), numbers(0, TREND, (count,))
    sizes = torch.tensor([2.0 ** -(i % 16) for i in range(count)], dtype=torch.float64)
    weights = start[:WEIGHTS].to(dtype).requires_grad_()
    biases = start[WEIGHTS:].to(dtype).requires_grad_()
    stepper = stepper_of(name, [weights], [biases])
    values = []
    for step in range(1, STEPS + 1):
        grad = ((trend + numbers(step, NOISE, (count,))) * sizes).to(dtype)
        weights.grad, biases.grad = grad[:WEIGHTS].clone(), grad[WEIGHTS:].clone()
        set_rate(stepper, rate(schedule, peak_of(name, schedule), step))
        stepper.step()
        values.append(torch.cat([weights, biases]).detach().double())
    return torch.stack(values)


def table(dtype):
    angle = [[place / 10000 ** (i / D) for i in range(0, D, 2)] for place in range(T)]
    angle = torch.tensor(angle, dtype=torch.float64)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(T, D).to(dtype)


def training(name, schedule, seed, dtype):
    """The losses of a small encoder that learns to say each token's successor."""
    layer = nn.TransformerEncoderLayer(D, H, F, 0.0, batch_first=True, norm_first=True)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(D), enable_nested_tensor=False)
    model = nn.ModuleDict({"embedding": nn.Embedding(V, D), "encoder": encoder, "output": nn.Linear(D, V)}).to(dtype)
    groups = [], []
    with torch.no_grad():
        for place, (key, parameter) in enumerate(model.named_parameters()):
            norm, matrix = "norm" in key and "weight" in key, parameter.dim() == 2
            scale = 0.375 if matrix else 0.125
            parameter.copy_(norm + scale * numbers(seed, MODEL + place, parameter.shape))
            groups[0 if matrix else 1].append(parameter)
    stepper = stepper_of(name, *groups)
    losses = []
    for step in range(1, STEPS + 1):
        tokens = [[1 + golden_hash(seed, TOKENS, (step * B + b) * T + t) % (V - 1) for t in range(T)] for b in range(B)]
        tokens = torch.tensor(tokens)
        targets = 1 + tokens.roll(1, 1) % (V - 1)
        stepper.zero_grad()
        x = model["embedding"](tokens) * math.sqrt(D) + table(dtype)
        loss = functional.cross_entropy(model["output"](model["encoder"](x)).flatten(0, 1), targets.flatten())
        loss.backward()
        set_rate(stepper, rate(schedule, peak_of(name, schedule), step))
        stepper.step()
        losses.append(loss.item())
    return losses[EVERY - 1 :: EVERY]


def braces(values):
    return "{ " + ", ".join(f"{value:.17g}" for value in values) + " }"


def options(name, schedule):
    _, *given = OPTIMIZERS[name]
    kind = f"{{ HL_{name.upper()}, {', '.join(map(repr, given))} }}"
    rates = f".name = HL_SCHEDULE_{schedule.upper()}, .learning_rate = {peak_of(name, schedule)!r}"
    return f"{kind},\n{{ {rates}, .warmup_steps = {WARMUP}, .steps = {STEPS}, .d_model = {D} }}"


lines = [
    f"/* Written by tests/golden/accuracy_golden.py with PyTorch {torch.__version__}. */",
    "/* clang-format off */",
    "#ifndef HL_TESTS_GOLDEN_ACCURACY_GOLDEN_H",
    "#define HL_TESTS_GOLDEN_ACCURACY_GOLDEN_H",
    "",
    '#include "optim/optimizer.h"',
    '#include "optim/schedule.h"',
    "",
    f"enum {{ ACCURACY_STEPS = {STEPS}, ACCURACY_WEIGHTS = {WEIGHTS}, ACCURACY_BIASES = {BIASES}, "
    f"ACCURACY_SHOWN = {SHOWN} }};",
    f"enum {{ ACCURACY_B = {B}, ACCURACY_T = {T}, ACCURACY_V = {V}, ACCURACY_D = {D}, ACCURACY_H = {H}, "
    f"ACCURACY_F = {F} }};",
    f"enum {{ ACCURACY_SEEDS = {SEEDS}, ACCURACY_EVERY = {EVERY}, ACCURACY_POINTS = {STEPS // EVERY} }};",
    "/* The second argument of golden_hash; a model's parameters count on from ACCURACY_MODEL. */",
    f"enum {{ ACCURACY_START = {START}, ACCURACY_TREND = {TREND}, ACCURACY_NOISE = {NOISE}, "
    f"ACCURACY_TOKENS = {TOKENS}, ACCURACY_MODEL = {MODEL} }};",
    "",
    "static inline uint32_t golden_hash(uint32_t seed, uint32_t use, uint32_t i)",
    "{",
    "    uint32_t x = seed * 73856093u ^ use * 19349663u ^ i * 83492791u;",
    "    x = (x ^ x >> 16) * 0x7feb352du;",
    "    x = (x ^ x >> 15) * 0x846ca68bu;",
    "    return x ^ x >> 16;",
    "}",
    "",
    "static const struct {",
    "    hl_optimizer_options options;",
    "    hl_schedule schedule;",
    "    double drift;                /* root mean square of float32 - float64, over all numbers and steps */",
    "    double last[ACCURACY_SHOWN]; /* the first numbers after the last step, in float64 */",
    "} accuracy_alone[] = {",
]
for name in OPTIMIZERS:
    for schedule in SCHEDULES:
        wide, single = (alone(name, schedule, dtype) for dtype in (torch.float64, torch.float32))
        drift = (single - wide).square().mean().sqrt().item()
        lines.append(f"{{ {options(name, schedule)},\n{drift:.6g}, {braces(wide[-1, :SHOWN].tolist())} }},")
lines += [
    "};",
    "",
    "static const struct {",
    "    hl_optimizer_options options;",
    "    hl_schedule schedule;",
    "    /* Losses of updates ACCURACY_EVERY, 2 ACCURACY_EVERY, ... of seeds 1, 2, ... */",
    "    double float64[ACCURACY_SEEDS][ACCURACY_POINTS], float32[ACCURACY_SEEDS][ACCURACY_POINTS];",
    "} accuracy_trainings[] = {",
]
for name, schedule in (("adam", "cosine"), ("adamw", "noam"), ("sgd", "cosine")):
    rows = [
        "{ " + ",\n".join(braces(training(name, schedule, seed, dtype)) for seed in range(1, SEEDS + 1)) + " }"
        for dtype in (torch.float64, torch.float32)
    ]
    lines.append(f"{{ {options(name, schedule)},\n{rows[0]},\n{rows[1]} }},")
lines += ["};", "", "#endif"]

with open(__file__.removesuffix(".py") + ".h", "w", encoding="ascii") as header:
    header.write("\n".join(lines) + "\n")
