"""Writes optim_golden.h beside itself: optimizer steps and learning-rate schedules as PyTorch computes them in double.

    python3 tests/golden/optim_golden.py

Inputs are multiples of powers of two, which float holds exactly."""

import torch

STEPS, WEIGHTS, BIASES = 10, 6, 3
RUN, WARMUP = 12, 4


def dyadic(*shape):
    return torch.round(torch.randn(*shape, dtype=torch.float64) * 64) / 64


torch.manual_seed(1)
start = dyadic(WEIGHTS + BIASES)
# Gradients of very different sizes, some of them zero, so that epsilon and the corrections show.
sizes = torch.tensor([1, 1, 2**-10, 1, 4, 1, 1, 2**-20, 1], dtype=torch.float64)
grads = dyadic(STEPS, WEIGHTS + BIASES) * sizes
grads[:4, 3] = 0
rates = [(1 + step % 3) / 64 for step in range(STEPS)]

CASES = [  # name, optimizer, beta1, beta2, epsilon, weight decay
    ("HL_ADAM", torch.optim.Adam, 0.9, 0.98, 1e-9, 0.0),
    ("HL_ADAM", torch.optim.Adam, 0.9, 0.999, 1e-8, 0.25),
    ("HL_ADAMW", torch.optim.AdamW, 0.8, 0.99, 1e-3, 0.5),
    ("HL_SGD", torch.optim.SGD, 0.0, 0.0, 0.0, 0.25),
]


def run(optimizer, beta1, beta2, epsilon, decay):
    """The nine values after each step, and the moments after the last one (zeros for SGD)."""
    weights = start[:WEIGHTS].clone().requires_grad_()
    biases = start[WEIGHTS:].clone().requires_grad_()
    groups = [{"params": [weights], "weight_decay": decay}, {"params": [biases], "weight_decay": 0.0}]
    moments = {} if optimizer is torch.optim.SGD else {"betas": (beta1, beta2), "eps": epsilon}
    stepper = optimizer(groups, lr=1.0, foreach=False, **moments)
    values = []
    for rate, grad in zip(rates, grads):
        for group in stepper.param_groups:
            group["lr"] = rate
        weights.grad, biases.grad = grad[:WEIGHTS].clone(), grad[WEIGHTS:].clone()
        stepper.step()
        values.append(torch.cat([weights, biases]).tolist())
    if not moments:
        return values, [0.0] * (WEIGHTS + BIASES), [0.0] * (WEIGHTS + BIASES)
    state = [stepper.state[weights], stepper.state[biases]]
    return values, *(torch.cat([s[key] for s in state]).tolist() for key in ("exp_avg", "exp_avg_sq"))


def schedule(make, warmup):
    """The rates of updates 1 ... RUN + 1 of PyTorch's schedule after a linear warm-up to 1."""
    stepper = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    after = make(stepper, RUN - warmup)
    if warmup > 0:
        rise = torch.optim.lr_scheduler.LinearLR(stepper, 1 / warmup, 1.0, warmup - 1)
        after = torch.optim.lr_scheduler.SequentialLR(stepper, [rise, after], [warmup])
    rates = []
    for _ in range(RUN + 1):
        rates.append(stepper.param_groups[0]["lr"])
        stepper.step()
        after.step()
    return rates


def linear(stepper, steps):
    return torch.optim.lr_scheduler.LinearLR(stepper, 1.0, 0.0, steps)


def cosine(stepper, steps):
    return torch.optim.lr_scheduler.CosineAnnealingLR(stepper, steps)


def braces(numbers):
    if isinstance(numbers[0], list):
        return "{\n" + ",\n".join(braces(row) for row in numbers) + " }"
    return "{ " + ", ".join(repr(number) for number in numbers) + " }"


lines = [
    f"/* Written by tests/golden/optim_golden.py with PyTorch {torch.__version__}, in double. */",
    "/* clang-format off */",
    "#ifndef HL_TESTS_GOLDEN_OPTIM_GOLDEN_H",
    "#define HL_TESTS_GOLDEN_OPTIM_GOLDEN_H",
    "",
    '#include "optim/optimizer.h"',
    "",
    f"enum {{ GOLDEN_STEPS = {STEPS}, GOLDEN_WEIGHTS = {WEIGHTS}, GOLDEN_BIASES = {BIASES}, "
    f"GOLDEN_VALUES = {WEIGHTS + BIASES} }};",
    "/* Weights, which decay, and after them biases, which do not. */",
    f"static const double golden_start[GOLDEN_VALUES] = {braces(start.tolist())};",
    f"static const double golden_grads[GOLDEN_STEPS][GOLDEN_VALUES] = {braces(grads.tolist())};",
    f"static const double golden_rates[GOLDEN_STEPS] = {braces(rates)};",
    "",
    f"enum {{ GOLDEN_OPTIMIZERS = {len(CASES)} }};",
    "static const struct {",
    "    hl_optimizer_options options;",
    "    double values[GOLDEN_STEPS][GOLDEN_VALUES]; /* after each step */",
    "    double m[GOLDEN_VALUES], v[GOLDEN_VALUES];  /* after the last */",
    "} golden_optimizers[GOLDEN_OPTIMIZERS] = {",
]
for name, *case in CASES:
    values, m, v = run(*case)
    options = ", ".join([name] + [repr(number) for number in case[1:]])
    lines.append(f"{{ {{ {options} }}, {braces(values)},\n{braces(m)},\n{braces(v)} }},")
lines += [
    "};",
    "",
    "/* Full rate 1; rates of updates 1 ... GOLDEN_RUN + 1. */",
    f"enum {{ GOLDEN_RUN = {RUN}, GOLDEN_WARMUP = {WARMUP} }};",
]
for name, make in (("linear", linear), ("cosine", cosine)):
    for warmup, suffix in ((0, ""), (WARMUP, "_after_warmup")):
        rates = braces(schedule(make, warmup))
        lines.append(f"static const double golden_{name}{suffix}[GOLDEN_RUN + 1] = {rates};")
lines += ["", "#endif"]

with open(__file__.removesuffix(".py") + ".h", "w", encoding="ascii") as header:
    header.write("\n".join(lines) + "\n")
