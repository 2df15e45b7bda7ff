"""The model of a run in PyTorch: parameters are named as in the file, the forward pass is that of docs/code.md."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from headlight.files import Array, Config, Error

# Keys of [model] that the forward pass needs or that change nothing in it once weights are there.
KEYS = frozenset(
    "layers d_model embedding_size heads kv_heads d_k d_v d_ff feed_forward activation norm norm_kind first_norm norm_eps embedding_norm positions "
    "position_offset vocabulary max_length token_types causal dropout dropout_attention dropout_concat "
    "dropout_residual dropout_ffn dropout_embedding dropout_pooler dropout_output bias norm_bias attention_bias feed_forward_bias head_bias tie_embedding tied_bias "
    "scale_embedding pooling pooler head initial_std scale_residual attention rotary_theta "
    "rotary_theta_local window global_every".split()
)
ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": functional.silu,
}
POOLERS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "relu": functional.relu,
    "gelu": functional.gelu,
}
HOLD = re.compile(r"L(\d+)H(\d+|\*)(?:@(\d+)-(\d*))?", re.IGNORECASE)
# What files that were written before a key was there mean, and the values that are known here.
DEFAULTS = {
    "embedding_size": 0, "norm_eps": 1e-5, "embedding_norm": False, "position_offset": 0, "token_types": 0,
    "dropout_pooler": 0.0, "dropout_output": 0.0, "tied_bias": False, "scale_embedding": True, "pooling": "first",
    "pooler": "none", "head": "linear", "feed_forward": "usual", "norm_kind": "layer",
    "first_norm": True, "rotary_theta": 10000.0, "rotary_theta_local": 0.0, "window": 0, "global_every": 0,
    "norm_bias": "auto", "attention_bias": "auto", "feed_forward_bias": "auto", "head_bias": "auto",
}  # fmt: skip
CHOICES = {
    "activation": tuple(ACTIVATIONS), "norm": ("pre", "post"), "norm_kind": ("layer", "rms"), "positions": ("sinusoidal", "learned", "none", "rotary"),
    "feed_forward": ("usual", "none", "gated"),
    **dict.fromkeys(("norm_bias", "attention_bias", "feed_forward_bias", "head_bias"), ("auto", True, False)),
    "pooling": ("first", "mean", "last"), "pooler": ("none", *POOLERS), "head": ("linear", "transform"),
}  # fmt: skip


def checked(path: Path, config: Config) -> dict[str, Any]:
    """The keys of [model]; refuses those that mean something which the forward pass here does not do."""
    m: dict[str, Any] = {**DEFAULTS, **config["model"]}
    for key in m:
        if key not in KEYS:
            raise Error(f"{path / 'config.ini'}: torch_model does not know model.{key}; use a newer one")
    for key, known in CHOICES.items():
        if m[key] not in known:
            raise Error(f"{path / 'config.ini'}: torch_model cannot do model.{key} = {m[key]}, only {', '.join(map(str, known))}")
    return m


def of_layer(value: Any, layer: int) -> int:
    return int(value[layer] if isinstance(value, tuple) else value)


def has_bias(m: Mapping[str, Any], part: str) -> bool:
    """Whether a part ("norm", "attention", ...) has biases: "auto" is as model.bias says."""
    value = m[f"{part}_bias"]
    return bool(m["bias"] if value == "auto" else value)


def window_of(m: Mapping[str, Any], layer: int) -> int:
    """How many keys a query of the layer sees; 0: all."""
    return 0 if m["global_every"] and layer % m["global_every"] == 0 else int(m["window"])


def rotate(x: Tensor, theta: float) -> Tensor:
    """Rotary positions of queries or keys (B, H, T, Dk): numbers i and i + Dk / 2 are rotated as one point."""
    half, T = x.shape[-1] // 2, x.shape[-2]
    place = torch.arange(T, dtype=torch.float64, device=x.device)[:, None]
    angle = place * theta ** (-2 * torch.arange(half, dtype=torch.float64, device=x.device) / x.shape[-1])
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second, rest = x.split([half, half, x.shape[-1] - 2 * half], -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine, rest], -1)


class Attention(nn.Module):
    def __init__(self, m: Mapping[str, Any], layer: int) -> None:
        super().__init__()
        d_model, bias = m["d_model"], has_bias(m, "attention")
        self.heads, self.kv_heads = of_layer(m["heads"], layer), of_layer(m["kv_heads"], layer)
        d_k, d_v = of_layer(m["d_k"], layer), of_layer(m["d_v"], layer)
        self.rows = [self.heads * d_k, self.kv_heads * d_k, self.kv_heads * d_v]
        self.packed = self.rows[0] == self.rows[2] == d_model and self.kv_heads == self.heads
        if self.packed:
            self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        else:
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight = (
                nn.Parameter(torch.empty(rows, d_model)) for rows in self.rows
            )
        self.rotary, self.window, self.causal = m["positions"] == "rotary", window_of(m, layer), m["causal"]
        self.theta = self.window and m["rotary_theta_local"] or m["rotary_theta"]
        self.register_parameter("in_proj_bias", nn.Parameter(torch.empty(sum(self.rows))) if bias else None)
        self.out_proj = nn.Linear(self.heads * d_v, d_model, bias)
        self.dropout_weights, self.dropout_concat = nn.Dropout(m["dropout_attention"]), nn.Dropout(m["dropout_concat"])

    def forward(self, x: Tensor, forbidden: Tensor) -> tuple[Tensor, Tensor]:
        """The output and the weights (B, H, T, T), before their dropout. forbidden: (B, 1, 1 or T, T)."""
        W = (
            self.in_proj_weight
            if self.packed
            else torch.cat([self.q_proj_weight, self.k_proj_weight, self.v_proj_weight])
        )
        q, k, v = functional.linear(x, W, self.in_proj_bias).split(self.rows, -1)
        shared = self.heads // self.kv_heads
        q = q.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = k.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2).repeat_interleave(shared, 1)
        v = v.unflatten(-1, (self.kv_heads, -1)).transpose(1, 2).repeat_interleave(shared, 1)
        if self.rotary:
            q, k = rotate(q, self.theta), rotate(k, self.theta)
        if self.window:
            place = torch.arange(x.shape[1], device=x.device)
            distance = place[:, None] - place
            far = distance >= self.window if self.causal else 2 * distance.abs() > self.window
            forbidden = forbidden | far
            # A query of padding may see no key at all: its softmax would be NaN.
            forbidden = forbidden & ~forbidden.all(-1, keepdim=True)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(forbidden, -math.inf).softmax(-1)
        z = (self.dropout_weights(weights) @ v).transpose(1, 2).flatten(2)
        return self.out_proj(self.dropout_concat(z)), weights


def norm_of(m: Mapping[str, Any], width: int) -> nn.Module:
    if m["norm_kind"] == "rms":
        return nn.RMSNorm(width, m["norm_eps"])
    return nn.LayerNorm(width, m["norm_eps"], bias=has_bias(m, "norm"))


class Layer(nn.Module):
    def __init__(self, m: Mapping[str, Any], layer: int) -> None:
        super().__init__()
        d_model, bias = m["d_model"], has_bias(m, "feed_forward")
        self.pre, self.activation = m["norm"] == "pre", ACTIVATIONS[m["activation"]]
        self.self_attn = Attention(m, layer)
        self.feeds = m["feed_forward"] != "none"
        if self.feeds:
            self.linear1, self.linear2 = nn.Linear(d_model, m["d_ff"], bias), nn.Linear(m["d_ff"], d_model, bias)
            self.linear3 = nn.Linear(d_model, m["d_ff"], bias) if m["feed_forward"] == "gated" else None
            self.norm2 = norm_of(m, d_model)
        self.norm1 = norm_of(m, d_model) if layer > 0 or m["first_norm"] else nn.Identity()
        self.dropout_ffn, self.dropout_residual = nn.Dropout(m["dropout_ffn"]), nn.Dropout(m["dropout_residual"])

    def feed_forward(self, x: Tensor) -> Tensor:
        h = self.activation(self.linear1(x))
        y: Tensor = self.linear2(self.dropout_ffn(h if self.linear3 is None else h * self.linear3(x)))
        return y

    def forward(self, x: Tensor, forbidden: Tensor) -> tuple[Tensor, Tensor]:
        z, weights = self.self_attn(self.norm1(x) if self.pre else x, forbidden)
        x = x + self.dropout_residual(z)
        x = x if self.pre else self.norm1(x)
        if not self.feeds:
            return x, weights
        if self.pre:
            return x + self.dropout_residual(self.feed_forward(self.norm2(x))), weights
        return self.norm2(x + self.dropout_residual(self.feed_forward(x))), weights


class Encoder(nn.Module):
    """Embeddings, layers and output of a run's config; V tokens have vectors, C targets are answered."""

    def __init__(self, m: Mapping[str, Any], vocabulary: int, targets: int) -> None:
        super().__init__()
        self.m, self.targets = dict(m), targets
        D, E, bias = m["d_model"], m["embedding_size"] or m["d_model"], m["bias"]
        self.embedding = nn.Embedding(vocabulary, E)
        if m["positions"] == "learned":
            self.positions = nn.Embedding(m["max_length"] + m["position_offset"], E)
        if m["token_types"]:
            self.token_types = nn.Embedding(m["token_types"], E)
        if m["embedding_norm"]:
            self.embedding_norm = norm_of(m, E)
        if E != D:
            self.embedding_projection = nn.Linear(E, D, bias)
        self.encoder = nn.Module()
        self.encoder.layers = nn.ModuleList(Layer(m, layer) for layer in range(m["layers"]))
        if m["norm"] == "pre":
            self.encoder.norm = norm_of(m, D)
        if m["pooler"] != "none":
            self.pooler = nn.Module()
            self.pooler.dense = nn.Linear(D, D, bias)
        transforms, tied = m["head"] == "transform", m["tie_embedding"]
        width, rows = E if transforms else D, vocabulary if tied else targets
        if transforms:
            self.head = nn.Module()
            self.head.dense, self.head.norm = nn.Linear(D, width, has_bias(m, "head")), norm_of(m, width)
            self.head.register_parameter("bias", nn.Parameter(torch.empty(rows)) if bias else None)
        self.output = nn.Linear(width, rows, not transforms and (m["tied_bias"] if tied else bias))
        if tied:
            self.output.weight = self.embedding.weight
        self.dropout_embedding = nn.Dropout(m["dropout_embedding"])
        self.dropout_pooler, self.dropout_output = nn.Dropout(m["dropout_pooler"]), nn.Dropout(m["dropout_output"])

    @classmethod
    def of_run(cls, path: Path, config: Config, weights: Mapping[str, Array], tokens: int, step: int) -> Encoder:
        m, vocabulary = checked(path, config), len(weights["embedding.weight"])
        m["token_types"] = len(weights.get("token_types.weight", ()))  # the data may need more than the config says
        try:
            model = cls(m, vocabulary, tokens if m["tie_embedding"] else len(weights["output.weight"]))
            model.load_state_dict({name: torch.tensor(tensor) for name, tensor in weights.items()}, strict=True)
        except (KeyError, RuntimeError) as error:
            raise Error(f"{path}: weights and config.ini do not fit: {' '.join(str(error).split())}") from None
        model.turn_off(str(config.get("train", {}).get("off", "")), step)
        model.eval()
        return model

    def turn_off(self, holds: str, step: int) -> None:
        """Heads that train.off holds off at this step, as in L0H1@0-500, L1H*@200-, write nothing."""
        for layer, number, first, end in HOLD.findall(holds):
            attention = self.encoder.layers[int(layer)].self_attn
            width = attention.rows[2] // attention.kv_heads
            for head in range(attention.heads) if number == "*" else [int(number)]:
                if int(first or 0) <= step < int(end or step + 1):
                    attention.out_proj.weight.data[:, head * width : (head + 1) * width] = 0

    def embed(self, tokens: Tensor, types: Tensor | None) -> Tensor:
        T, E = tokens.shape[1], self.embedding.weight.shape[1]
        x = self.embedding(tokens) * (math.sqrt(E) if self.m["scale_embedding"] else 1)
        if self.m["positions"] == "learned":
            x = x + self.positions.weight[self.m["position_offset"] :][:T]
        elif self.m["positions"] == "sinusoidal":
            place = torch.arange(T, dtype=torch.float64, device=x.device)[:, None]
            angle = place * 10000 ** (-torch.arange(0, E, 2, dtype=torch.float64, device=x.device) / E)
            x = x + torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[:, :E].to(x.dtype)
        if self.m["token_types"]:
            x = x + self.token_types(types if types is not None else torch.zeros_like(tokens))
        x = self.dropout_embedding(self.embedding_norm(x) if self.m["embedding_norm"] else x)
        return self.embedding_projection(x) if E != self.m["d_model"] else x

    def answer(self, x: Tensor) -> Tensor:
        if self.m["pooler"] != "none":
            x = POOLERS[self.m["pooler"]](self.pooler.dense(self.dropout_pooler(x)))
        bias = self.output.bias
        if self.m["head"] == "transform":
            x, bias = self.head.norm(ACTIVATIONS[self.m["activation"]](self.head.dense(x))), self.head.bias
        return functional.linear(self.dropout_output(x), self.output.weight, bias)[..., : self.targets]

    def forward(self, tokens: Tensor, lengths: Tensor | None = None, types: Tensor | None = None,
                return_weights: bool = False) -> Any:  # fmt: skip
        """Logits (B, T, C) of ids (B, T), or (B, C) where model.pooling is mean or last; with return_weights
        also each layer's attention weights (B, H, T, T). lengths (B): tokens without padding, all where it is None."""
        T = tokens.shape[1]
        if T > self.m["max_length"]:
            raise ValueError(f"{T} tokens are more than the model takes (model.max_length = {self.m['max_length']})")
        place = torch.arange(T, device=tokens.device)
        padding = place >= lengths[:, None] if lengths is not None else torch.zeros_like(tokens, dtype=torch.bool)
        forbidden = padding[:, None, None, :]
        if self.m["causal"]:
            forbidden = forbidden | (place[:, None] < place)
        x, weights = self.embed(tokens, types), []
        for layer in self.encoder.layers:
            x, layer_weights = layer(x, forbidden)
            weights.append(layer_weights)
        x = self.encoder.norm(x) if self.m["norm"] == "pre" else x
        if self.m["pooling"] == "mean":
            real = ~padding[:, :, None]
            x = (x * real).sum(1) / real.sum(1)
        elif self.m["pooling"] == "last":
            x = x[torch.arange(len(x), device=x.device), (~padding).sum(1) - 1]
        logits = self.answer(x)
        return (logits, weights) if return_weights else logits
