#!/usr/bin/env python3
"""by_hand.py [SIZE] >FILE: the weights of docs/lessons/1-what-a-head-is.md, small whole numbers, as safetensors.

SIZE (2) is the only number in W_Q and W_K. Without it the file is by_hand.safetensors, word for word."""

import json
import struct
import sys

SIZE = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0

#            a     b     <mask> <sep>: what each of the four numbers of x stands for
W_Q = [[0, 0, SIZE, 0],  # head 0: a mask asks ...
       [0, 0, 0, 0],
       [SIZE, SIZE, SIZE, SIZE],  # head 1: every token asks ...
       [0, 0, 0, 0]]
W_K = [[SIZE, SIZE, 0, 0],  # head 0: ... for a symbol
       [0, 0, 0, 0],
       [0, 0, 0, SIZE],  # head 1: ... for the separator
       [0, 0, 0, 0]]
W_V = [[1, 0, 0, 0],  # head 0 hands on which symbol it is
       [0, 1, 0, 0],
       [0, 0, 1, 0],  # head 1 hands on whether it is a mask or the separator
       [0, 0, 0, 1]]
EMBEDDING = [[0, 0, 0, 0],  # <pad>
             [0, 0, 0, 1],  # <sep>
             [0, 0, 1, 0],  # <mask>
             [1, 0, 0, 0],  # a
             [0, 1, 0, 0]]  # b
OUTPUT = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [10, 0, 0, 0], [0, 10, 0, 0]]
IDENTITY = [[float(i == j) for j in range(4)] for i in range(4)]


def zero(*shape):
    return [[0] * shape[1]] * shape[0] if len(shape) == 2 else [0] * shape[0]


LAYER = "encoder.layers.0."
TENSORS = {
    "embedding.weight": EMBEDDING,
    LAYER + "self_attn.in_proj_weight": W_Q + W_K + W_V,
    LAYER + "self_attn.in_proj_bias": zero(12),
    LAYER + "self_attn.out_proj.weight": IDENTITY,
    LAYER + "self_attn.out_proj.bias": zero(4),
    LAYER + "linear1.weight": zero(4, 4),
    LAYER + "linear1.bias": zero(4),
    LAYER + "linear2.weight": zero(4, 4),
    LAYER + "linear2.bias": zero(4),
    LAYER + "norm1.weight": [1] * 4,
    LAYER + "norm1.bias": zero(4),
    LAYER + "norm2.weight": [1] * 4,
    LAYER + "norm2.bias": zero(4),
    "output.weight": OUTPUT,
    "output.bias": zero(5),
}

header, data = {"__metadata__": {"format": "pt"}}, b""
for name, rows in TENSORS.items():
    shape = [len(rows), len(rows[0])] if isinstance(rows[0], list) else [len(rows)]
    numbers = [number for row in rows for number in row] if len(shape) == 2 else rows
    packed = struct.pack(f"<{len(numbers)}f", *numbers)
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
    data += packed
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
sys.stdout.buffer.write(struct.pack("<Q", len(text)) + text + data)
