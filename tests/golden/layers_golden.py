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
TYPES = ((0, 0, 1), (0, 0, 0))
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


FUNCTIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "tanh": torch.tanh,
}


def encoder_layer(norm, activation):
    function = FUNCTIONS[activation]
    module = nn.TransformerEncoderLayer(D, H, F, 0.0, function, batch_first=True, norm_first=norm == "PRE")
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


class Bias(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(size))


def model_parts(size, offset, types, embedding_norm, activation, pre, learned, pooler, transform, tied, targets, epsilon):
    """The modules of `model`, in the order of our registration."""
    parts = {"embedding": nn.Embedding(V, size)}
    if types:
        parts["token_types"] = nn.Embedding(types, size)
    if learned:
        parts["positions"] = nn.Embedding(TQ + 1 + offset, size)
    if embedding_norm:
        parts["embedding_norm"] = nn.LayerNorm(size, epsilon)
    if size != D:
        parts["projection"] = nn.Linear(size, D)
    layer = nn.TransformerEncoderLayer(D, H, F, 0.0, FUNCTIONS[activation], batch_first=True, norm_first=pre,
                                       layer_norm_eps=epsilon)
    final = nn.LayerNorm(D, epsilon) if pre else None
    parts["encoder"] = nn.TransformerEncoder(layer, 2, final, enable_nested_tensor=False)
    if pooler:
        parts["pooler"] = nn.Linear(D, D)
    if transform:
        parts["dense"] = nn.Linear(D, size)
        parts["norm"] = nn.LayerNorm(size, epsilon)
    if not tied:
        parts["output"] = nn.Linear(size if transform else D, targets, bias=not transform)
    if transform:
        parts["head"] = Bias(targets)
    return fill(nn.ModuleDict(parts))


def model(norm, positions, causal, tied, scaled=True, activation="gelu", size=D, offset=0, types=0,
          embedding_norm=False, pooler=None, transform=False, targets=V, epsilon=1e-5):
    """Logits: embedding * sqrt(size) + positions + types -> norm -> projection -> two encoder layers -> pooler ->
    transform -> output."""
    learned = positions == "LEARNED"
    module = model_parts(size, offset, types, embedding_norm, activation, norm == "PRE", learned, pooler, transform, tied,
                         targets, epsilon)
    x = module["embedding"](torch.tensor(TOKENS)) * (math.sqrt(size) if scaled else 1)
    x = x + (module["positions"].weight[offset:offset + TQ] if learned else position_table(TQ, size))
    if types:
        x = x + module["token_types"](torch.tensor(TYPES).clamp(max=types - 1))
    if embedding_norm:
        x = module["embedding_norm"](x)
    if size != D:
        x = module["projection"](x)
    mask = future(TQ) if causal else None
    x = module["encoder"](x, mask=mask, src_key_padding_mask=padding(LENGTHS_SELF, TQ))
    if pooler:
        x = FUNCTIONS[pooler](module["pooler"](x))
    if transform:
        x = module["norm"](FUNCTIONS[activation](module["dense"](x)))
    y = x @ module["embedding"].weight.T if tied else module["output"](x)
    if transform:
        y = y + module["head"].bias
    fields = {
        "norm": f"HL_NORM_{norm}",
        "positions": f"HL_POSITIONS_{positions}",
        "causal": str(causal).lower(),
        "tie_embedding": str(tied).lower(),
        "unscaled_embedding": str(not scaled).lower(),
        "activation": f"HL_{activation.upper()}",
        "embedding_size": size,
        "position_offset": offset,
        "token_types": types,
        "embedding_norm": str(embedding_norm).lower(),
        "pooler": f"HL_POOLER_{pooler.upper() if pooler else 'NONE'}",
        "head": "HL_HEAD_TRANSFORM" if transform else "HL_HEAD_LINEAR",
        "targets": targets,
        "norm_epsilon": f"(hl_real){epsilon}",
    }
    config = ", ".join(f".{name} = {value}" for name, value in fields.items())
    return f"{{ {{ {config} }},\n{row(y)} }},"


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
    encoder_layer("POST", "gelu_tanh"),
    encoder_layer("PRE", "quick_gelu"),
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
    "/* Two layers; positions for one token more than there are. */",
    "static const struct {",
    "    hl_model_config config; /* what differs among them */",
    f"    double logits[{B * TQ * V}]; /* (B, T, targets); what stands past the lengths is not to be compared */",
    "} golden_models[] = {",
    model("PRE", "LEARNED", True, False),
    model("POST", "SINUSOIDAL", False, True),
    "/* BERT's masked model, ELECTRA's generator, RoBERTa's classifier, DistilBERT's, GPT-2, and one of all else. */",
    model("POST", "LEARNED", False, True, False, types=2, embedding_norm=True, transform=True, epsilon=1e-12),
    model("POST", "LEARNED", False, True, False, size=3, types=2, embedding_norm=True, transform=True, epsilon=1e-12),
    model("POST", "LEARNED", False, False, False, offset=2, types=1, embedding_norm=True, pooler="tanh", targets=3),
    model("POST", "LEARNED", False, False, False, embedding_norm=True, pooler="relu", targets=2, epsilon=1e-12),
    model("PRE", "LEARNED", True, True, False, activation="gelu_tanh"),
    model("PRE", "SINUSOIDAL", False, False, activation="quick_gelu", size=6, pooler="gelu", transform=True, targets=4),
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
