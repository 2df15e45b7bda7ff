#!/usr/bin/env python3
"""Writes unigram_tokenizer.json, which the suite reads: a small model of SentencePiece, of made-up words.

usage: make_unigram.py

Its normalisation has few rules, so that the file stays small: a few of those of nmt_nfkc, of all sorts.
"""

import random
import tempfile
import unicodedata
from pathlib import Path

from check_unigram import forms, made_up_lines, save, tokenizer_json, trained


def rules():
    """Characters and what they become, in SentencePiece's form: code points in hexadecimal, and a tab between the sides."""
    becomes = {c: " " for c in "\t\n\r\u00a0\u3000\u200b\u2028"} | {c: "" for c in "\x07\x7f\u00ad\ufeff\u200d"}
    for first, last in ((0xFF10, 0xFF5A), (0xFB00, 0xFB06), (0x2460, 0x2470), (0xBC, 0xBE), (0x340, 0x344), (0x958, 0x95F),
                        (0xFDF0, 0xFDFB), (0x1D400, 0x1D420), (0x3300, 0x3310)):  # fmt: skip
        becomes |= {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(first, last)}
    for mark in "\u0300\u0301\u0308":
        for letter in "aeiouAEOnαе":
            composed = unicodedata.normalize("NFC", letter + mark)
            becomes |= {letter + mark: composed} if len(composed) == 1 else {}
    spell = lambda text: " ".join(f"{ord(c):X}" for c in text)  # noqa: E731
    return "".join(f"{spell(a)}\t{spell(b)}\n" for a, b in sorted(becomes.items()) if a != b)


def main():
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rules.tsv"
        table.write_text(rules(), encoding="utf-8")
        pieces, charsmap = trained(made_up_lines(random.Random(3), 2000), 500, table)
    path = save(Path(__file__).parent, tokenizer_json(pieces, *list(forms(charsmap))[0][1:]))[0]
    Path(path).rename(Path(path).with_name("unigram_tokenizer.json"))


main()
