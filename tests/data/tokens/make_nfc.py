#!/usr/bin/env python3
"""Writes nfc_tokenizer.json, which the suite reads: a small byte-level BPE with the normalizer NFC, made of accented words. Prints
texts, and the pieces and offsets of the `tokenizers` library, as test_tokens_nfc.c has them.

usage: make_nfc.py
"""

from pathlib import Path

from check_tokens import bpe, byte_ends, train
from tokenizers import AddedToken, normalizers, pre_tokenizers

WORDS = ["café crème", "Ångström", "ệ ế", "한국 가각", "\u0958\u0915", "ö"]
TEXTS = [
    "cafe\u0301 cr\u00e8me cafe\u0300s",
    "\u212bngstro\u0308m \u212b",  # a token with normalized true, one with false
    "e\u0323\u0302 e\u0302\u0323 \u1eb9\u0302 \u00ea\u0323",
    "\u0301\u0323e\u0344\u0344",
    "\u1112\u1161\u11ab\uad6d \uac00\u11a7 \uac00\u11a8 \u1100\u1161\u11a8\u11a8",
    "\u0958 \u0915\u093c \U0001d160",  # composition exclusions
    "A\u0301\u0300 A\u0327\u0301\u0327 A\u030a\u0301",
    "\u0dd9\u0dcf\u0dca\u09c7\u09be a\u09be",  # starters that compose
    "e\u0301\u0327\u0334\u0345\u0301\u0327 e\u0305\u0301",
    "e\u0301  \u00e9   |||IP_ADDRESS|||e\u0301[MASK]e\u0301 [MASK]\u2019s",
    "caf\u00e9 |||IP_ADDRESS|||  ok",
    "O\u0308 oo\u0308 o\u0308",
    "\U0001f44d\U0001f3fd\u200d\ufe0f\u037e\u0f73\u0f71",
]


def main():
    tokenizer = bpe(False)
    tokenizer.normalizer = normalizers.NFC()
    train(tokenizer, [f"{word} {word}" for word in WORDS], 320, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    tokenizer.add_tokens(["|||IP_ADDRESS|||", "o\u0308", "\u2126", "  ", "   "])
    tokenizer.add_tokens([AddedToken("\u212b", normalized=False)])
    path = Path(__file__).with_name("nfc_tokenizer.json")
    tokenizer.save(str(path), pretty=False)
    escape = lambda text: "".join(chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}" for b in text.encode())  # noqa: E731
    added = tokenizer.get_added_tokens_decoder()
    for text in TEXTS:
        answer, ends = tokenizer.encode(text, add_special_tokens=False), byte_ends(text)
        names = [added[id_].content if id_ in added else tokenizer.id_to_token(id_) for id_ in answer.ids]
        pieces = [f"{name}@{ends[first]}-{ends[last]}" for name, (first, last) in zip(names, answer.offsets)]
        print(f'    {{ "{escape(text)}",\n      "{escape(" ".join(pieces))}" }},')


main()
