#!/usr/bin/env python3
"""Compares unigram tokens with the `tokenizers` library: a model of SentencePiece with its nmt_nfkc normalisation, which
is trained here.

usage: check_unigram.py points TOKENS_OF     every code point, alone and beside others
       check_unigram.py strings TOKENS_OF    difficult strings, with every form of tokenizer.json that is supported
       check_unigram.py speed TOKENS_OF      10 MB of text, one thread each: at least twice as fast

TOKENS_OF is the program of main.c. Random strings come from HEADLIGHT_SEED (0). The library's offsets are wrong in two
cases, where they are not compared: after characters at the beginning of a text that vanish, and for a character that
becomes several before one that vanishes. Exits with 77, which ctest
reports as skipped, where a library is missing.
"""

import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import check_tokens
from check_tokens import VERSION, byte_ends, check, ours, random_strings

try:
    import sentencepiece
    import tokenizers
    from sentencepiece import sentencepiece_model_pb2
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SPACE = "\u2581"
SYLLABLES = {
    "latin": "ba de fi go ku la me ni po ru sa te vi xo zé ñu çà öl".split(),
    "greek": "αβ γε δι ζο ηθ κά λύ μω".split(),
    "cyrillic": "ба ве гд жи йо ку лы щё ъя".split(),
    "arabic": "با تي ثو جح خد ذر".split(),
    "devanagari": "का कि क्ष त्र नी मा".split(),
    "hangul": "가 나 다 한 글 말".split(),
    "han": "中 文 字 日 本 語".split(),
    "kana": "あ い う カ キ ク".split(),
}


def made_up_lines(draw, count):
    """Sentences of made-up words, which come back as words of a language do."""
    words = {name: ["".join(draw.choices(parts, k=draw.randint(1, 4))) for _ in range(1500)]
             for name, parts in SYLLABLES.items()}  # fmt: skip
    names = ["latin"] * 8 + list(SYLLABLES)
    for _ in range(count):
        lexicon = words[draw.choice(names)]
        chosen = [lexicon[int(len(lexicon) * draw.random() ** 3)] for _ in range(draw.randint(3, 14))]
        line = ("" if lexicon is words["han"] else " ").join(chosen)
        yield line.capitalize() + draw.choice([".", "!", "?", "...", " 12", " ½"])


def trained(lines, size=4000, rules=None):
    """The pieces with their scores, and the charsmap in base64: nmt_nfkc, or that of the rules in a file."""
    model = io.BytesIO()
    normalization = {"normalization_rule_tsv": str(rules)} if rules else {"normalization_rule_name": "nmt_nfkc"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type="unigram", minloglevel=2,
        character_coverage=0.9999, hard_vocab_limit=False, num_threads=1, **normalization,
    )  # fmt: skip
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    pieces = [(piece.piece, piece.score) for piece in proto.pieces]
    return pieces, b64encode(proto.normalizer_spec.precompiled_charsmap).decode()


def metaspace(**fields):
    return {"type": "Metaspace", "replacement": SPACE} | fields


def normalizers(charsmap, *others):
    first = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    return {"type": "Sequence", "normalizers": [first, *others]} if others else first


def replace(content):
    return {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": content}


def forms(charsmap):
    """Name, normalizer, pre_tokenizer."""
    split, strip = {"type": "WhitespaceSplit"}, {"type": "Strip", "strip_left": False, "strip_right": True}
    in_words = lambda **fields: {"type": "Sequence", "pretokenizers": [split, metaspace(**fields)]}  # noqa: E731
    yield "of today", normalizers(charsmap), in_words(prepend_scheme="always", split=True)
    yield "2020", normalizers(charsmap, replace(" ")), metaspace(str_rep=SPACE, add_prefix_space=True)
    yield "2024", normalizers(charsmap, strip, replace(SPACE)), metaspace(prepend_scheme="always", split=True)
    yield "first", normalizers(charsmap), metaspace(prepend_scheme="first", split=True)
    yield "first in words", normalizers(charsmap), in_words(prepend_scheme="first")
    yield "never", normalizers(charsmap, strip), metaspace(prepend_scheme="never", split=True)
    yield "never in words", normalizers(charsmap), in_words(prepend_scheme="never")
    yield "no charsmap", {"type": "Sequence", "normalizers": [strip, replace(SPACE)]}, metaspace(prepend_scheme="always")
    yield "no normalizer", None, in_words(prepend_scheme="always")


def tokenizer_json(pieces, normalizer, pre_tokenizer, normalized=False):
    """In the order of XLM-RoBERTa: <s> <pad> </s> <unk>, the pieces, <mask>; and tokens that were added later."""
    vocabulary = [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], *map(list, pieces[3:]), ["<mask>", 0.0]]
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    mask, n = len(vocabulary) - 1, len(vocabulary)
    added = [{"id": i, "content": vocabulary[i][0], **flags, "special": True} for i in (0, 1, 2, 3)]
    added += [
        {"id": mask, "content": "<mask>", **flags, "lstrip": True, "normalized": normalized, "special": True},
        {"id": n, "content": "newtok", **flags, "single_word": True, "normalized": True, "special": False},
        {"id": n + 1, "content": "ﬁrst", **flags, "rstrip": True, "normalized": normalized, "special": False},
    ]
    ends = {name: {"id": name, "ids": [i], "tokens": [name]} for i, name in ((0, "<s>"), (2, "</s>"))}
    a, b = ({"Sequence": {"id": text, "type_id": 0}} for text in "AB")
    begin, end = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ends)
    processor = {"type": "TemplateProcessing", "single": [begin, a, end], "pair": [begin, a, end, end, b, end],
                 "special_tokens": ends}  # fmt: skip
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": processor, "decoder": metaspace(prepend_scheme="always"),
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": False},
    }  # fmt: skip


def save(folder, root):
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(root, ensure_ascii=False) + "\n", encoding="utf-8")
    return str(path), tokenizers.Tokenizer.from_file(str(path))


def misleads_the_library(tokenizer, text):
    """Whether a character vanishes at the beginning of the text, or of a part behind a special token; or directly after one
    that becomes several."""
    normal = tokenizer.normalizer.normalize_str if tokenizer.normalizer else str
    if any(normal(a) == "" for a in text):
        parts = re.split("<s>|<pad>|</s>|<unk>| *<mask>|ﬁrst *", text)
        if any(part != "" and "" in (normal(part[:1]), normal(part[:2]), normal(part[:3])) for part in parts):
            return True
        return any(len(normal(a)) > 1 and normal(b) == "" for a, b in zip(text, text[1:]))
    return False


def compare(program, what, tokenizer, path, lines, *options):
    answers = ours(program, path, *options, lines=lines)
    check(len(answers) == len(lines), f"{what}: {len(answers)} answers to {len(lines)} lines")
    pair, compared, pieces = "--pair" in options, 0, 0
    for line, answer, theirs in zip(lines, answers, check_tokens.expected(tokenizer, lines, pair)):
        mine = [tuple(map(int, piece.split(":"))) for piece in answer.split()]
        check([piece[0] for piece in mine] == theirs.ids, f"{what}: {line!r}: {[p[0] for p in mine]} {theirs.ids}")
        check([piece[3] for piece in mine] == theirs.type_ids, f"{what}: types of {line!r}")
        if not pair and not misleads_the_library(tokenizer, line):
            ends = byte_ends(line)
            spans = [(ends[first], ends[last]) for first, last in theirs.offsets]
            check([piece[1:3] for piece in mine] == spans, f"{what}: offsets of {line!r}: {mine} {spans}")
            compared += 1
        pieces += len(mine)
    print(f"{what}: {len(lines)} lines, {pieces} pieces, offsets in {compared} lines: "
          f"{'different' if check_tokens.failures else 'the same'}")  # fmt: skip


def check_points(program, folder, pieces, charsmap):
    path, tokenizer = save(folder, tokenizer_json(pieces, *list(forms(charsmap))[0][1:]))
    codes = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
    compare(program, "code points", tokenizer, path, codes)
    compare(program, "between letters", tokenizer, path, [f"a{c}b" for c in codes])
    compare(program, "with marks", tokenizer, path, [f"x{c}\u0301" for c in codes])
    compare(program, "after a mark", tokenizer, path, [f"e\u0301{c}\u0340\u0308" for c in codes])
    compare(program, "in clusters", tokenizer, path, [f"\u0915\u094d{c}\u0958\u0301" for c in codes])


def difficult_strings(draw, pieces, count):
    """Mixtures of what makes pieces differ."""
    parts = ["", " ", "  ", "   ", "\t", "\n", "\r\n", "\u3000", "\u00a0", "\u200b", "\u200d", "\u200c", "\ufeff", "\x00", "\x07", "\x7f",
             "\u0301", "\u0340", "\u0344\u0301", "\u0308\u0301", "e\u0301", "\u0915\u094d\u0937", "\u0958\u0301", "\u0958\u094d\u0958\u0301",
             "\u1112\u1161\u11ab", "\u1112\u1161\u0340", "\ud55c\u11ab\u0301", "\u1161\u0340", "Ａｂｃ１２", "ﬁ", "ﬃ", "ﬁ\u0301", "½", "…",
             "ﷺ", "ﷲ", "\ufe8d\ufe91\u064b", "👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "©\u200d®\u0301", "©\u200d\u0340", "🇩🇪🇫🇷", "🏳\ufe0f\u200d🌈", "👍🏽",
             "\u0600a\u0301", "\u0601\u0340\u0301", "<s>", "</s>", "<mask>", "<unk>", "<pad>", " <mask> ", "newtok", "ﬁrst", "first ",
             SPACE, SPACE * 2, "▁a", "x" * 130, "中" * 20, "㍿", "ｶﾞ", "カ\u3099", "Å", "ẛ\u0323", "ſ"]  # fmt: skip
    texts = [piece.replace(SPACE, " ") for piece, _ in pieces]
    others = random_strings(count)
    for _ in range(count):
        other = next(others)
        text = ""
        for _ in range(draw.randint(0, 9)):
            kind = draw.random()
            text += draw.choice(parts) if kind < 0.55 else draw.choice(texts) if kind < 0.8 else other[: draw.randint(0, 8)]
        yield text if draw.random() < 0.8 else other


def check_strings(program, folder, pieces, charsmap):
    draw = random.Random(int(os.environ.get("HEADLIGHT_SEED", "0")))
    lines = list(difficult_strings(draw, pieces, 2000))
    for name, normalizer, pre_tokenizer in forms(charsmap):
        for normalized in (False, True):
            root = tokenizer_json(pieces, normalizer, pre_tokenizer, normalized)
            what = f"{name}{', normalized' * normalized}"
            path, tokenizer = save(folder, root)
            compare(program, what, tokenizer, path, lines, "--specials")
            tokenizer.encode_special_tokens = True
            compare(program, f"{what}, no specials", tokenizer, path, lines)
            tokenizer.encode_special_tokens = False
            compare(program, f"{what}, pairs", tokenizer, path, [f"{a}\tb {a}" for a in lines if "\t" not in a][:300],
                    "--specials", "--pair")  # fmt: skip
            for copy in ("tokens.json", "again_tokenizer.json"):
                ours(program, "--copy", path, str(folder / copy))
                compare(program, f"{what}, {copy}", tokenizer, str(folder / copy), lines, "--specials")
            again = tokenizers.Tokenizer.from_file(str(folder / "again_tokenizer.json"))
            theirs = [[text.ids for text in one.encode_batch(lines)] for one in (tokenizer, again)]
            check(theirs[0] == theirs[1], f"{what}: what is written, in the library")


def check_own(program):
    """The strings of the suite's digest, with its tokenizer."""
    path = str(Path(__file__).parent / "unigram_tokenizer.json")
    lines = subprocess.run([program, "--strings"], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    compare(program, "the suite's", tokenizers.Tokenizer.from_file(path), path, lines, "--specials")


def check_ties(program, folder):
    """Scores that are equal, and sums that differ in their last bit: order and rounding decide."""
    draw = random.Random(1)
    for round_ in range(40):
        letters = "abc"[: draw.randint(1, 3)]
        pieces = {"".join(draw.choices(letters, k=draw.randint(1, 4))) for _ in range(12)}
        score = lambda: draw.choice([-1.0, -0.5, -2.25, -0.1, -0.7, -13.816990852355957, 1.5, draw.uniform(-3, 0)])  # noqa
        vocabulary = [("<unk>", 0.0)] * 3 + [(piece, score()) for piece in sorted(pieces)]
        root = tokenizer_json(vocabulary, None, metaspace(prepend_scheme="never"))
        path, tokenizer = save(folder, root)
        lines = ["".join(draw.choices(letters + "d", k=draw.randint(1, 30))) for _ in range(500)]
        compare(program, f"ties {round_}", tokenizer, path, lines)


def check_speed(program, folder, pieces, charsmap):
    draw = random.Random(2)
    path, tokenizer = save(folder, tokenizer_json(pieces, *list(forms(charsmap))[0][1:]))
    lines = list(made_up_lines(draw, 130_000))
    size = sum(len(line.encode()) for line in lines)
    while size < 10_000_000:
        lines += lines[: (10_000_000 - size) * len(lines) // size + 1]
        size = sum(len(line.encode()) for line in lines)
    text = "".join(line + "\n" for line in lines).encode()
    seconds = {"ours": [], "theirs": []}
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run([program, path, "--silent"], input=text, stdout=subprocess.DEVNULL, check=True)
        seconds["ours"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        tokenizer.encode_batch(lines, add_special_tokens=False)
        seconds["theirs"].append(time.perf_counter() - begin)
    ratio = min(seconds["theirs"]) / min(seconds["ours"])
    print(f"{size / 1e6:.1f} MB: ours {min(seconds['ours']):.2f} s, tokenizers {min(seconds['theirs']):.2f} s: {ratio:.1f}x")
    check(ratio >= 2, "not twice as fast")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("points", "strings", "speed"):
        sys.exit(__doc__)
    if tokenizers.__version__ != VERSION:
        print(f"skipped: tokenizers {tokenizers.__version__}, not {VERSION}")
        sys.exit(77)
    what, program = sys.argv[1:]
    pieces, charsmap = trained(made_up_lines(random.Random(0), 20_000))
    with tempfile.TemporaryDirectory() as folder:
        if what == "strings":
            check_own(program)
            check_ties(program, Path(folder))
        {"points": check_points, "strings": check_strings, "speed": check_speed}[what](
            program, Path(folder), pieces, charsmap
        )
    sys.exit(check_tokens.failures > 0)


if __name__ == "__main__":
    main()
