"""Writes layers_golden.h beside itself: modules and their gradients as PyTorch computes them in double.

    python3 tests/golden/layers_golden.py

Inputs and weights are not written: both sides make them by the formula of golden_number. They are multiples of 2^-6,
which float holds exactly. Every module is differentiated from dy = golden_numbers(DY, ...)."""

import math

import torch
from torch import nn
from torch.nn import functional

B, TQ, TK, D, H, F = 2, 3, 4, 4, 2, 5
N, V = 6, 5
LENGTHS_SELF, LENGTHS_CROSS = (3, 2), (1, 4)
IGNORE = -1
TOKENS = ((2, 0, 4), (3, 1, 0))
# What a number is used for; weights of a module count on from WEIGHTS in the order of PyTorch's state_dict.
X, MEMORY, DY, WEIGHTS = 0, 1, 2, 3


def golden_number(use, i):
    return ((i * i * 31 + i * 17 + use * 53 + 11) % 127 - 63) / 64


def numbers(use, *shape):
    count = math.prod(shape)
    return torch.tensor([golden_number(use, i) for i in range(count)], dtype=torch.float64).reshape(shape)


def fill(module):
    module.double()
    with torch.no_grad():
        for place, (name, parameter) in enumerate(module.named_parameters()):
            gain = 1 if "norm" in name and "weight" in name else 0
            parameter.copy_(gain + numbers(WEIGHTS + place, *parameter.shape))
    return module


def padding(lengths, keys):
    return torch.tensor([[key >= length for key in range(keys)] for length in lengths])


def future(tokens):
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1)


def grads(module, y):
    y.backward(numbers(DY, *y.shape))
    return torch.cat([parameter.grad.flatten() for parameter in module.parameters()])


def row(tensor):
    return "{ " + ", ".join(f"{number:.12g}" for number in tensor.flatten().tolist()) + " }"


def attention(name, cross, causal, lengths):
    module = fill(nn.MultiheadAttention(D, H, batch_first=True))
    x = numbers(X, B, TQ, D).requires_grad_()
    memory = numbers(MEMORY, B, TK, D).requires_grad_() if cross else x
    mask = future(TQ) if causal else None
    keys = padding(lengths, TK if cross else TQ) if lengths else None
    y, weights = module(x, memory, memory, key_padding_mask=keys, attn_mask=mask, average_attn_weights=False)
    grad = grads(module, y)
    dmemory = memory.grad if cross else torch.zeros(1)
    fields = ",\n".join(row(t) for t in (y, weights, x.grad, dmemory, grad))
    given = "{ " + ", ".join(map(str, lengths or (0, 0))) + " }"
    return f'{{ "{name}", {str(cross).lower()}, {str(causal).lower()}, {given},\n{fields} }},'


def encoder_layer(norm, activation):
    module = nn.TransformerEncoderLayer(D, H, F, 0.0, activation, batch_first=True, norm_first=norm == "PRE")
    fill(module)
    x = numbers(X, B, TQ, D).requires_grad_()
    y = module(x, src_key_padding_mask=padding(LENGTHS_SELF, TQ))
    grad = grads(module, y)
    return f"{{ HL_NORM_{norm}, HL_{activation.upper()},\n{row(y)},\n{row(x.grad)},\n{row(grad)} }},"


def cross_entropy(smoothing, targets):
    logits = (2 * numbers(X, N, V)).requires_grad_()
    loss = functional.cross_entropy(logits, torch.tensor(targets), label_smoothing=smoothing, ignore_index=IGNORE)
    loss.backward()
    given = ", ".join(map(str, targets))
    return f"{{ {smoothing}, {{ {given} }}, {loss.item()!r},\n{row(logits.grad)} }},"


def norm():
    module = nn.LayerNorm(D).double()
    with torch.no_grad():
        module.weight.copy_(1 + numbers(WEIGHTS, D))
        module.bias.copy_(numbers(WEIGHTS + 1, D))
    x = numbers(X, B, TQ, D).requires_grad_()
    y = module(x)
    grad = grads(module, y)
    return ",\n".join(row(t) for t in (y, x.grad, grad))


def position_table(tokens, width):
    """The formula of Vaswani et al. 2017, section 3.5."""
    table = torch.zeros(tokens, width, dtype=torch.float64)
    for place in range(tokens):
        for i in range(0, width, 2):
            angle = place / 10000 ** (i / width)
            table[place, i] = math.sin(angle)
            if i + 1 < width:
                table[place, i + 1] = math.cos(angle)
    return table


def model(norm, learned, causal, tied):
    """Logits of embedding * sqrt(D) + positions -> two encoder layers -> output."""
    pre = norm == "PRE"
    parts = {"embedding": nn.Embedding(V, D)}
    if learned:
        parts["positions"] = nn.Embedding(TQ + 1, D)
    layer = nn.TransformerEncoderLayer(D, H, F, 0.0, "gelu", batch_first=True, norm_first=pre)
    final = nn.LayerNorm(D) if pre else None
    parts["encoder"] = nn.TransformerEncoder(layer, 2, final, enable_nested_tensor=False)
    if not tied:
        parts["output"] = nn.Linear(D, V)
    module = fill(nn.ModuleDict(parts))
    x = module["embedding"](torch.tensor(TOKENS)) * math.sqrt(D)
    x = x + (module["positions"].weight[:TQ] if learned else position_table(TQ, D))
    mask = future(TQ) if causal else None
    x = module["encoder"](x, mask=mask, src_key_padding_mask=padding(LENGTHS_SELF, TQ))
    y = x @ module["embedding"].weight.T if tied else module["output"](x)
    flags = ", ".join(str(flag).lower() for flag in (causal, tied))
    kind = "LEARNED" if learned else "SINUSOIDAL"
    return f"{{ HL_NORM_{norm}, HL_POSITIONS_{kind}, {flags},\n{row(y)} }},"


ATTENTION_GRADS = 3 * D * D + 3 * D + D * D + D
LAYER_GRADS = ATTENTION_GRADS + 2 * F * D + F + D + 4 * D
TABLE = (5, 6, 7)
lines = [
    f"/* Written by tests/golden/layers_golden.py with PyTorch {torch.__version__}, in double. */",
    "/* clang-format off */",
    "#ifndef HL_TESTS_GOLDEN_LAYERS_GOLDEN_H",
    "#define HL_TESTS_GOLDEN_LAYERS_GOLDEN_H",
    "",
    '#include "layers/model.h"',
    "",
    f"enum {{ GOLDEN_B = {B}, GOLDEN_TQ = {TQ}, GOLDEN_TK = {TK}, GOLDEN_D = {D}, GOLDEN_H = {H}, GOLDEN_F = {F} }};",
    f"enum {{ GOLDEN_N = {N}, GOLDEN_V = {V} }};",
    f"enum {{ GOLDEN_T = {TABLE[0]}, GOLDEN_EVEN = {TABLE[1]}, GOLDEN_ODD = {TABLE[2]} }};",
    "/* The first argument of golden_number; a module's parameters count on from GOLDEN_WEIGHTS. */",
    f"enum {{ GOLDEN_X = {X}, GOLDEN_MEMORY = {MEMORY}, GOLDEN_DY = {DY}, GOLDEN_WEIGHTS = {WEIGHTS} }};",
    "",
    "static inline double golden_number(int use, int i)",
    "{",
    "    return ((i * i * 31 + i * 17 + use * 53 + 11) % 127 - 63) / 64.0;",
    "}",
    "",
    "static const struct {",
    "    const char *name;",
    "    bool cross, causal;",
    "    int32_t lengths[GOLDEN_B]; /* of the keys; 0, 0: all are there */",
    f"    double y[{B * TQ * D}], weights[{B * H * TQ * TK}], dx[{B * TQ * D}], dmemory[{B * TK * D}];",
    f"    double grads[{ATTENTION_GRADS}]; /* of in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias */",
    "} golden_attention[] = {",
    attention("self", False, False, None),
    attention("self, key padding", False, False, LENGTHS_SELF),
    attention("self, causal", False, True, None),
    attention("cross, key padding", True, False, LENGTHS_CROSS),
    "};",
    "",
    "static const struct {",
    "    hl_norm_place norm;",
    "    hl_activation activation;",
    f"    double y[{B * TQ * D}], dx[{B * TQ * D}];",
    f"    double grads[{LAYER_GRADS}]; /* of self_attn.*, linear1.*, linear2.*, norm1.*, norm2.* */",
    "} golden_layers[] = {",
    encoder_layer("PRE", "gelu"),
    encoder_layer("POST", "relu"),
    "};",
    "/* Of encoder layers and models. */",
    f"static const int32_t golden_lengths[GOLDEN_B] = {{ {', '.join(map(str, LENGTHS_SELF))} }};",
    "",
    "/* Of logits 2 * golden_number(GOLDEN_X, i). */",
    "static const struct {",
    "    double smoothing;",
    "    int32_t targets[GOLDEN_N];",
    f"    double loss, dlogits[{N * V}];",
    "} golden_losses[] = {",
    cross_entropy(0.0, [0, 3, 4, 1, 2, 2]),
    cross_entropy(0.125, [0, IGNORE, 4, 1, IGNORE, 2]),
    "};",
    "",
    "static const struct {",
    f"    double y[{B * TQ * D}], dx[{B * TQ * D}], grads[{2 * D}];",
    "} golden_norm = {",
    norm(),
    "};",
    "",
    f"static const int32_t golden_tokens[GOLDEN_B * GOLDEN_TQ] = {{ {', '.join(str(t) for r in TOKENS for t in r)} }};",
    "/* Two layers with GELU, positions for one token more than there are. */",
    "static const struct {",
    "    hl_norm_place norm;",
    "    hl_positions_kind positions;",
    "    bool causal, tied;",
    f"    double logits[{B * TQ * V}]; /* what stands past the lengths is not to be compared */",
    "} golden_models[] = {",
    model("PRE", True, True, False),
    model("POST", False, False, True),
    "};",
    "",
    "/* Sinusoidal positions of an even and an odd width. */",
    f"static const double golden_even[GOLDEN_T * GOLDEN_EVEN] = {row(position_table(TABLE[0], TABLE[1]))};",
    f"static const double golden_odd[GOLDEN_T * GOLDEN_ODD] = {row(position_table(TABLE[0], TABLE[2]))};",
    "",
    "#endif",
]

with open(__file__.removesuffix(".py") + ".h", "w", encoding="ascii") as header:
    header.write("\n".join(lines) + "\n")
