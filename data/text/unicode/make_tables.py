#!/usr/bin/env python3
"""Writes class_table.c, composition_table.c and lower_case_table.c beside this script: what the `tokenizers` library
knows of Unicode, asked of it code point by code point.

usage: make_tables.py

Its NFC, BertNormalizer, BertPreTokenizer, ByteLevel and Precompiled each have classes of their own, from Unicode's tables of different
years, so no other library would do. The version that this asks must be the one below. What the tables cannot say
(Hangul, and one capital letter that becomes two characters) stands in the sources beside them; this script fails where
that is no longer all.
"""

import struct
import sys
from pathlib import Path

import tokenizers
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import NFC, NFD, BertNormalizer, Precompiled
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel

VERSION = "0.23.3"
CODES = [code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
HANGUL = range(0xAC00, 0xD7A4)
DOTTED_I = 0x130
LOWEST, HIGHEST = "\u0334", "\u0345"  # marks of the combining classes 1 and 240
CLASSES = {"dropped": 1, "white": 2, "punctuation": 4, "cjk": 8}
KINDS = {"letter": 1, "number": 2, "white": 3}
REMOVED = 128
LATIN = 256
SEARCHED = {"hl_class_starts", "hl_decompositions", "hl_compositions", "hl_bert_lower"}
CLUSTERS = {"joins": 1, "control": 2, "prepended": 4, "picture": 8, "consonant": 16, "linker": 32, "conjoins": 64}


def normalizer(**flags):
    every = dict.fromkeys(["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"], False)
    return BertNormalizer(**{**every, **flags}).normalize_str


def bert_classes():
    clean, cjk, split = normalizer(clean_text=True), normalizer(handle_chinese_chars=True), BertPreTokenizer()
    values = {}
    for code in CODES:
        c = chr(code)
        parts = len(split.pre_tokenize_str(f"a{c}a"))
        values[code] = (
            CLASSES["dropped"] * (clean(c) == "")
            + CLASSES["white"] * (parts == 2)
            + CLASSES["punctuation"] * (parts == 3)
            + CLASSES["cjk"] * (cjk(c) != c)
        )
        space = values[code] & 3 == CLASSES["white"]
        assert clean(c) == (" " if space else "" if values[code] & 1 else c)
        assert cjk(c) == (f" {c} " if values[code] & 8 else c)
    return values


def is_starter(c, nfd):
    return nfd(HIGHEST + c) == HIGHEST + nfd(c) and nfd(c + LOWEST) == nfd(c) + LOWEST


def combining_classes(nfd):
    """A mark for each combining class that there is, in order, found by how NFD orders any two of them."""
    marks = [chr(code) for code in CODES if nfd(chr(code)) == chr(code) and not is_starter(chr(code), nfd)]
    order = []
    for mark in marks:
        place = next((i for i, other in enumerate(order) if nfd(other + mark) != other + mark), len(order))
        if place == 0 or nfd(mark + order[place - 1]) != mark + order[place - 1]:
            order.insert(place, mark)
    return order


def accents():
    """Marks: the rank of the combining class, and whether stripping accents removes it. Also all decompositions."""
    strip, nfd = normalizer(strip_accents=True), NFD().normalize_str
    order = combining_classes(nfd)
    assert len(order) < REMOVED
    marks, parts = {}, {}
    for code in CODES:
        c = chr(code)
        first = nfd(c)[0]
        rank = 0 if is_starter(first, nfd) else 1 + next(i for i, mark in enumerate(order) if nfd(first + mark) == first + mark)
        marks[code] = rank + REMOVED * (strip(c) == "")
        if nfd(c) != c and code not in HANGUL:
            parts[code] = [ord(x) for x in nfd(c)]
    return marks, parts


def composition(parts):
    """The runs of code points that become equally many characters each; what they become, end to end; and where the pairs
    that NFC makes one character are in that, sorted. Of a pair, the first character may itself become several: the pair is
    what NFC composes last. What NFC does not compose becomes all its characters at once."""
    nfc = NFC().normalize_str
    runs, becomes, pairs = [], [], []
    for code, to in sorted(parts.items()):
        text = "".join(map(chr, to))
        if len(to) > 1 and nfc(text) == chr(code):
            first = ord(nfc(text[:-1]))
            assert nfc(chr(first) + text[-1]) == chr(code) and to == parts.get(first, [first]) + to[-1:]
            to = [first, to[-1]]
            pairs.append((to, len(becomes)))
        else:
            assert not any(part in parts for part in to)
        if runs and runs[-1][1] == code - 1 and runs[-1][2] == len(to):
            runs[-1][1] = code
        else:
            runs.append([code, code, len(to), len(becomes)])
        becomes += to
    return (
        [f"{{ {{ {first:#x}, {last:#x}, {n} }}, {at} }}" for first, last, n, at in runs],
        [f"{c:#x}" for c in becomes],
        [str(at) for _, at in sorted(pairs)],
    )


def bert_lower():
    lower = normalizer(lowercase=True)
    changes = {code: lower(chr(code)) for code in CODES if lower(chr(code)) != chr(code)}
    assert changes.pop(DOTTED_I) == "i\u0307"
    return {code: ord(c) for code, c in changes.items()}


def byte_level_kinds():
    split = ByteLevel(add_prefix_space=False).pre_tokenize_str
    kinds = {}
    for code in CODES:
        c = chr(code)
        if len(split("a" + c)) == 1:
            kinds[code] = KINDS["letter"]
        elif len(split("1" + c)) == 1:
            kinds[code] = KINDS["number"]
        elif len(split("!" + c)) == 2:
            kinds[code] = KINDS["white"]
    return kinds


def words():
    """Whether a character beside a token with single_word hides it, before it as behind it."""
    tokenizer = Tokenizer(WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.add_tokens([AddedToken("!", single_word=True, normalized=False)])
    before = tokenizer.encode_batch([chr(code) + "!" for code in CODES])
    behind = tokenizer.encode_batch(["!" + chr(code) for code in CODES])
    hidden = [[1 not in text.ids for text in texts] for texts in (before, behind)]
    assert hidden[0] == hidden[1]
    return dict(zip(CODES, hidden[0]))


def replacing(key):
    """A Precompiled that replaces this text by Y. Its double array has a block of 256 units for each byte."""
    units, at, base = [0] * 256 * (len(key.encode()) + 2), 0, 256
    for byte in key.encode():
        units[at] |= (base ^ at) << 10
        at, base = base ^ byte, base + 256
        units[at] = byte
    units[at] |= (base ^ at) << 10 | 1 << 8
    return Precompiled(struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"Y\0").normalize_str


def clusters():
    """The classes of grapheme clusters. Precompiled replaces a whole cluster of less than 6 bytes by what its beginning
    becomes, and a longer one character by character: this shows where clusters end."""
    accent, ka, kha, virama, zwj, copyright = "\u0301", "\u0915", "\u0916", "\u094d", "\u200d", "\u00a9"
    after_a, accents = replacing("a"), replacing(accent)
    pictures, conjuncts = replacing(copyright), replacing(kha)
    values = {}
    for code in CODES:
        c = chr(code)
        prepended = after_a(c + "a" + accent) == c + "Y" + accent
        joins = after_a("a" + c) == "Y"
        values[code] = (
            CLUSTERS["joins"] * joins
            + CLUSTERS["control"] * (c != accent and accents(c + accent + accent) == c + "Y")
            + CLUSTERS["prepended"] * prepended
            + CLUSTERS["picture"] * (c == copyright or (not joins and pictures(copyright + zwj + c) == "Y" + zwj + c))
            + CLUSTERS["consonant"] * conjuncts(c + virama + kha + accent).endswith("Y" + accent)
            + CLUSTERS["linker"] * (joins and conjuncts(ka + c + kha + accent).endswith("Y" + accent))
            + CLUSTERS["conjoins"] * (joins and conjuncts(ka + virama + c + kha + accent).endswith("Y" + accent))
        )
    return values


def classes(*properties):
    """The different combinations of properties, numbered from the usual one on: nothing. Also the numbers of the first
    LATIN characters, and where among all others a run of characters begins, with their number in the lowest byte."""
    found, numbers = {(0,) * len(properties): 0}, {}
    for code in CODES:
        numbers[code] = found.setdefault(tuple(int(values.get(code, 0)) for values in properties), len(found))
    others = range(LATIN, 0x110000)
    starts = [code for code in others if code == LATIN or numbers.get(code, 0) != numbers.get(code - 1, 0)]
    return (
        ["{ " + ", ".join(map(str, values)) + " }" for values in found],
        [str(numbers[code]) for code in range(LATIN)],
        [f"{code << 8 | numbers.get(code, 0):#x}" for code in starts],
    )


def runs(changes):
    """Code points a step of 1 or 2 apart that change by the same difference."""
    found = []
    for code in sorted(changes):
        by, last = changes[code] - code, found[-1] if found else None
        if last and last[3] == by and code - last[1] in ((1, 2) if last[0] == last[1] else (last[2],)):
            last[1:3] = code, code - last[1]
        else:
            found.append([code, code, 1, by])
    return [f"{{ {{ {first:#x}, {last:#x}, {step} }}, {by} }}" for first, last, step, by in found]


def write(name, *tables):
    """Writes a file of tables: their types, names and entries. What is searched has its number of entries beside it."""
    about = f"Generated by data/text/unicode/make_tables.py from tokenizers {VERSION}; what it means: private/tables.h"
    lines = [f"/* {about} */", '#include "data/text/unicode/private/tables.h"', "", "/* clang-format off */"]
    for kind, table, entries in tables:
        lines += ["", f"const {kind} {table}[] = {{", "   "]
        for entry in entries:
            if len(lines[-1]) + len(entry) > 116:
                lines.append("   ")
            lines[-1] += f" {entry},"
        lines.append("};")
        if table in SEARCHED:
            lines.append(f"const size_t {table}_n = sizeof {table} / sizeof {table}[0];")
    Path(__file__).with_name(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    if tokenizers.__version__ != VERSION:
        sys.exit(f"needs tokenizers {VERSION}, not {tokenizers.__version__}")
    marks, parts = accents()
    runs_of_parts, becomes, pairs = composition(parts)
    every, latin, starts = classes(bert_classes(), marks, byte_level_kinds(), words(), clusters())
    write(
        "class_table.c",
        ("hl_code_class", "hl_code_classes", every),
        ("unsigned char", "hl_latin_classes", latin),
        ("uint32_t", "hl_class_starts", starts),
    )
    write(
        "composition_table.c",
        ("hl_code_parts", "hl_decompositions", runs_of_parts),
        ("uint32_t", "hl_parts", becomes),
        ("uint16_t", "hl_compositions", pairs),
    )
    write("lower_case_table.c", ("hl_code_run", "hl_bert_lower", runs(bert_lower())))


main()
