#!/usr/bin/env python3
"""Compares the tokens of data/text/tokens.h with the `tokenizers` library, whose pieces they must be to the letter.

usage: check_tokens.py unicode TOKENS_OF     every code point of the planes that have characters, some of the others
       check_tokens.py every TOKENS_OF       every code point
       check_tokens.py nfc TOKENS_OF         the normalizer NFC of bpe: every code point, difficult strings, added tokens
       check_tokens.py added TOKENS_OF       added tokens with all their properties, in thousands of strings
       check_tokens.py text TOKENS_OF        100,000 random strings, and texts of HEADLIGHT_DATA=DIR: what encodes,
                                             what files say, what is learned

TOKENS_OF is the program of main.c. Random strings come from HEADLIGHT_SEED (0). Exits with 77, which ctest reports as
skipped, where the library (this version) or, for `text`, the texts are missing.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import tokenizers
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

VERSION = "0.23.3"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        if failures <= 20:
            print("FAILED:", what)


def ours(program, *arguments, lines=()):
    escaped = "".join(line.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") + "\n" for line in lines)
    done = subprocess.run([program, *arguments], input=escaped.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split("\n")[:-1]


# ---- code points ----


def is_one_of_many(code):
    """In planes that are reserved or for private use, where all are alike: all but a plane's ends and every 17th."""
    return code >> 16 in (*range(4, 14), 15, 16) and 256 <= code & 0xFFFF < 0xFF00 and code % 17 > 0


def check_unicode(program, every):
    def normalizer(**flags):
        every = dict.fromkeys(["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"], False)
        return normalizers.BertNormalizer(**{**every, **flags}).normalize_str

    clean, cjk = normalizer(clean_text=True), normalizer(handle_chinese_chars=True)
    strip, lower = normalizer(strip_accents=True), normalizer(lowercase=True)
    bert = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
    single = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    single.add_tokens([AddedToken("!", single_word=True, normalized=False)])
    lines = ours(program, "--unicode")
    check(len(lines) == 0x110000 - 0x800, "the number of code points")
    for line in lines:
        code, bits, mark, kind, word, *rest = line.split(" ")
        if not every and is_one_of_many(int(code, 16)):
            continue
        c, bits, mark = chr(int(code, 16)), int(bits), int(mark)
        stripped = "" if mark >= 254 else "".join(chr(int(x, 16)) for x in rest[0].split(","))
        lowered = "".join(chr(int(x, 16)) for x in rest[-1].split(","))
        check(clean(c) == ("" if bits & 1 else " " if bits & 2 else c), f"clean {code}")
        check(len(bert(f"a{c}a")) == (2 if bits & 2 else 3 if bits & 4 else 1), f"pre-tokenizer {code}")
        check(cjk(c) == (f" {c} " if bits & 8 else c), f"cjk {code}")
        check(strip(c) == stripped, f"accents {code}")
        check(lower(c) == lowered, f"lower {code}")
        is_kind = [len(byte_level(x + c)) == 1 for x in "a1!"]
        found = [1 in single.encode(text).ids for text in (c + "!", "!" + c)]
        check(c == "!" or found == [word == "0"] * 2, f"word {code}")
        check(is_kind == [kind == "1", kind == "2", kind == "0"], f"kind {code}")


# ---- texts ----


def random_strings(count):
    draw = random.Random(int(os.environ.get("HEADLIGHT_SEED", "0")))
    scripts = [(0x20, 0x7E), (0x20, 0x7E), (0x61, 0x7A), (0, 0xFF), (0xC0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF),
               (0x400, 0x52F), (0x591, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F), (0x8D4, 0x8FF), (0xE00, 0xE7F),
               (0x1100, 0x11FF), (0x1B00, 0x1C4F), (0x1DC0, 0x1EFF), (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x2BFF),
               (0x3000, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3), (0xA880, 0xABFF), (0xE000, 0xF8FF), (0xF900, 0xFAFF),
               (0xFB1D, 0xFDFF), (0xFE00, 0xFFFF), (0x10000, 0x11FFF), (0x1D100, 0x1D24F), (0x1D400, 0x1D7FF),
               (0x1E000, 0x1E95F), (0x1F300, 0x1FAFF), (0x20000, 0x2FA1F), (0xE0000, 0xE01EF), (0x100000, 0x10FFFF)]
    marks = "\u0300\u0316\u0334\u0345\u034f\u08d4\u08e3\u093c\u094d\u09be\u1b44\u302e\u302f\u1dfb\ua953\U0001d165\U0001d16d\U0001e000"
    words = ["the", "can't", "we'll", "'S", "[SEP]", "[MASK]", "x[CLS]y", "<|endoftext|>", " ", "  ", "\t", "\u00a0", "\n",
             "\r\n", "...", "naïve", "Ångström", "İstanbul", "ΣΑΣ", "123", "½", "a" * 100, "b" * 101, "\u200b", "\u00ad"]
    for _ in range(count):
        low, high = draw.choice(scripts)
        text = ""
        for _ in range(draw.randint(0, 24)):
            kind = draw.random()
            if kind < 0.15:
                text += draw.choice(words)
            elif kind < 0.25:
                text += "".join(draw.choice(marks) for _ in range(draw.randint(1, 4)))
            elif kind < 0.35:
                low, high = draw.choice(scripts)
            elif kind < 0.45:
                text += draw.choice(" \t  '")
            else:
                c = draw.randint(low, high)
                text += chr(c) if not 0xD800 <= c <= 0xDFFF else "?"
        yield text


def treebank_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line[len("# text = "):].rstrip("\n") for line in file if line.startswith("# text = ")]


def byte_ends(text):
    ends = [0]
    for c in text:
        ends.append(ends[-1] + len(c.encode()))
    return ends


def expected(tokenizer, lines, pair):
    if pair:
        inputs = [tuple(line.split("\t")) if "\t" in line else line for line in lines]
        return tokenizer.encode_batch(inputs)
    return tokenizer.encode_batch(lines, add_special_tokens=False)


def compare(program, what, tokenizer, path, lines, *options, offsets=True):
    """Ids, types and, unless marks were put in order, offsets."""
    pair = "--pair" in options
    answers = ours(program, path, *options, lines=lines)
    check(len(answers) == len(lines), f"{what}: {len(answers)} answers to {len(lines)} lines")
    pieces = 0
    for line, answer, theirs in zip(lines, answers, expected(tokenizer, lines, pair)):
        mine = [tuple(map(int, piece.split(":"))) for piece in answer.split()]
        check([piece[0] for piece in mine] == theirs.ids, f"{what}: {line!r}: {[p[0] for p in mine]} {theirs.ids}")
        check([piece[3] for piece in mine] == theirs.type_ids, f"{what}: types of {line!r}")
        if offsets and not pair:
            ends = byte_ends(line)
            spans = [(ends[first], ends[last]) for first, last in theirs.offsets]
            check([piece[1:3] for piece in mine] == spans, f"{what}: offsets of {line!r}: {mine} {spans}")
        pieces += len(mine)
    print(f"{what}: {len(lines)} lines, {pieces} pieces: {'different' if failures else 'the same'}")


def compare_copies(program, folder, what, tokenizer, path, lines, *options, offsets=False):
    """What is written of the file, as tokens.json and as tokenizer.json."""
    for copy in ("tokens.json", "again_tokenizer.json"):
        ours(program, "--copy", str(path), str(folder / copy))
        compare(program, f"{what}, {copy}", tokenizer, str(folder / copy), lines, *options, offsets=offsets)


def wordpiece(lowercase, strip_accents=None):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def learned(program, folder, kind, size, lines, lowercase=False):
    """What is learned here, in the library: the path of our tokens.json, and a Tokenizer of its pieces."""
    (folder / "lines").write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    path = folder / "tokens.json"
    ours(program, "--learn", kind, str(size), str(folder / "lines"), str(path), *["--lowercase"] * lowercase)
    tokens = json.loads(path.read_text(encoding="utf-8"))
    pieces = tokens["pieces"]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    if kind == "bpe":
        tokenizer = bpe(False)
        tokenizer.model = models.BPE(vocabulary, [(pieces[a], pieces[b]) for a, b in tokens["merges"]])
    else:
        tokenizer = wordpiece(lowercase)
        tokenizer.model = models.WordPiece(vocabulary, unk_token="[UNK]")
    tokenizer.add_special_tokens([pieces[special[0]] for special in tokens["special"]])
    return str(path), tokenizer


def bpe(prefix_space):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train(tokenizer, lines, size, **options):
    trainer = trainers.WordPieceTrainer if isinstance(tokenizer.model, models.WordPiece) else trainers.BpeTrainer
    tokenizer.train_from_iterator(lines, trainer(vocab_size=size, show_progress=False, **options))
    return tokenizer


def check_wordpiece(program, folder, texts, strings):
    for lowercase in (True, False):
        for accents in (None, True, False):
            tokenizer = train(wordpiece(lowercase, accents), texts + strings, 12000, special_tokens=SPECIAL)
            tokenizer.post_processor = processors.TemplateProcessing(
                single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                special_tokens=[(s, tokenizer.token_to_id(s)) for s in ("[CLS]", "[SEP]")])
            path = str(folder / "tokenizer.json")
            tokenizer.save(path)
            name = f"wordpiece lowercase={lowercase} strip_accents={accents}"
            stripped = lowercase if accents is None else accents
            compare(program, name + ", texts", tokenizer, path, texts, "--specials")
            compare(program, name + ", random", tokenizer, path, strings, "--specials", offsets=not stripped)
            if accents is None:
                pairs = [f"{a}\t{b}" for a, b in zip(texts[:500], texts[500:1000])] + ["\tb"]
                compare(program, name + ", pairs", tokenizer, path, texts[:100] + pairs, "--specials", "--pair")
                vocabulary = folder / "vocab.txt"
                pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
                vocabulary.write_bytes("".join(piece + "\r\n" for piece, _ in pieces).encode())
                compare(program, name + ", vocab.txt", tokenizer, str(vocabulary), strings[:20000], "--specials",
                        *["--lowercase"] * lowercase, offsets=not stripped)


def check_bpe(program, folder, texts, strings):
    for prefix_space in (False, True):
        for alphabet in (pre_tokenizers.ByteLevel.alphabet(), []):
            tokenizer = train(bpe(prefix_space), texts + strings, 9000, special_tokens=["<|endoftext|>"],
                              initial_alphabet=alphabet)
            tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True), AddedToken("[SEP]", rstrip=True)])
            path = str(folder / "tokenizer.json")
            tokenizer.save(path)
            name = f"bpe add_prefix_space={prefix_space}"
            compare(program, name + ", texts", tokenizer, path, texts, "--specials")
            compare(program, name + ", random", tokenizer, path, strings, "--specials")
            if prefix_space is False:
                tokenizer = train(bpe(False), texts, 9000, initial_alphabet=alphabet)
                tokenizer.model.save(str(folder))
                compare(program, name + ", vocab.json", tokenizer, str(folder / "vocab.json"), strings[:20000],
                        offsets=len(alphabet) > 0)  # theirs are wrong behind a byte that is left out


# None begins with white space: where a token before it takes that along, the library panics.
ADDED = ["newtok", "New Tok", "tok", "newt", "##ing", "É", "naïve", "ﬁ", "a", "中", "x.y", "don't", "can't", "İ", "_", "-",
         "end ", "[NEW]", "<|new|>", "[MASK]", "Å", "e\u0301", "to", "the", "\u0130stanbul", "12", "Ġthe", "Ā"]


def added_strings(draw, texts, count):
    """Strings of which half is the texts of added tokens, in another case, cut, run together, beside all white space."""
    between = ["", "", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\u200b", "_", ".", "-", "s", "1", "é", "\u0301", "\u200d", "½",
               "中", "'", "the", "##", "can't", "\x0b", "\u1680"]
    for random_one in random_strings(count):
        text = ""
        for _ in range(draw.randint(1, 8)):
            one = draw.choice(texts)
            kind = draw.random()
            if kind < 0.2:
                one = draw.choice([one.upper(), one.lower(), one[:-1], one[1:], one + one])
            elif kind < 0.3:
                one = random_one[:4]
            text += draw.choice(between) + one
        yield text + draw.choice(between)


def check_added(program, folder):
    draw = random.Random(int(os.environ.get("HEADLIGHT_SEED", "0")) + 1)
    texts = list(random_strings(3000))
    for round_ in range(60):
        tokenizer, lowercase = (wordpiece(round_ % 4 < 2, (None, True, False)[round_ % 3]), round_ % 4 < 2)
        if round_ % 2:
            tokenizer = bpe(round_ % 4 == 1)
        train(tokenizer, texts + ["the newtok tok ends"] * 9, 700, special_tokens=SPECIAL,
              **({"initial_alphabet": pre_tokenizers.ByteLevel.alphabet()} if round_ % 2 else {}))
        normal, seen = tokenizer.normalizer.normalize_str if tokenizer.normalizer else str, set()
        for content in draw.sample(ADDED, draw.randint(1, 12)):
            if normal(content) in seen:  # of two that are the same once they are normalized the library finds any
                continue
            seen.add(normal(content))
            token = AddedToken(content, single_word=draw.random() < 0.4, lstrip=draw.random() < 0.3,
                               rstrip=draw.random() < 0.3, normalized=draw.random() < 0.6)
            (tokenizer.add_special_tokens if draw.random() < 0.3 else tokenizer.add_tokens)([token])
        path = folder / "tokenizer.json"
        tokenizer.save(str(path))
        tokenizer = Tokenizer.from_file(str(path))  # which forgets what a token was before it was added again
        contents = [token["content"] for token in json.loads(path.read_text(encoding="utf-8"))["added_tokens"]]
        lines = list(added_strings(draw, contents, 400))
        marks = round_ % 2 == 0 and (lowercase if round_ % 3 == 0 else round_ % 3 == 1)
        name = f"added {round_}, {'bpe' if round_ % 2 else 'wordpiece'}"
        for specials in (["--specials"], []):
            tokenizer.encode_special_tokens = not specials
            compare(program, f"{name} {' '.join(specials)}", tokenizer, str(path), lines, *specials, offsets=not marks)
            compare_copies(program, folder, name, tokenizer, path, lines, *specials)
        again = Tokenizer.from_file(str(folder / "again_tokenizer.json"))
        tokenizer.encode_special_tokens = False
        theirs = [[text.ids for text in expected(one, lines, False)] for one in (tokenizer, again)]
        check(theirs[0] == theirs[1], f"{name}: what is written, in the library")
        check(tokenizer.get_added_tokens_decoder() == again.get_added_tokens_decoder(), f"{name}: written properties")


# ---- NFC ----


def nfc_strings(draw, count):
    """Strings of parts of decomposed characters, of marks in any order, of composed characters and of what excludes itself
    from composition; in between letters, spaces, and a run of many marks."""
    nfd = normalizers.NFD().normalize_str
    codes = [code for code in range(0x80, 0x110000) if not 0xD800 <= code <= 0xDFFF]
    changed = [chr(code) for code in codes if nfd(chr(code)) != chr(code) and not 0xAC00 <= code <= 0xD7A3]
    parts = sorted({part for c in changed for part in nfd(c)})
    marks = [c for c in parts if nfd("\u0334" + c) != "\u0334" + c or nfd(c + "\u0334") != c + "\u0334"]
    special = list("\u212b\u212a\u2126\u0344\u0340\u0341\u0343\u0374\u037e\u0387\u0958\u09dc\u0f43\u0f73\u0f75\u0f81\u2adc\ufb1d"
                   "\ufb4e\U0001d15e\U0001d160\U0001d1c0\uf900\U0002f800\u0b92\u0bd7\u09c7\u09be\u0dd9\u0dcf\u0dca\u1b05\u1b35"
                   "\U00011099\U000110ba\U00011935\U00011930\U00011938\U0001f44d\U0001f3fd\u200d\ufe0f")
    hangul = [chr(code) for first, n in ((0x1100, 20), (0x1160, 24), (0x11A6, 31)) for code in range(first, first + n)]
    for _ in range(count):
        text = ""
        for _ in range(draw.randint(1, 10)):
            kind = draw.random()
            if kind < 0.25:
                text += nfd(draw.choice(changed))
            elif kind < 0.35:
                text += draw.choice(changed)
            elif kind < 0.55:
                text += "".join(draw.choice(marks) for _ in range(draw.choice((1, 1, 2, 3, 5))))
            elif kind < 0.65:
                text += "".join(draw.choice(hangul) for _ in range(draw.randint(1, 4)))
            elif kind < 0.7:
                text += chr(draw.randint(0xAC00, 0xD7A3)) + draw.choice(hangul)
            elif kind < 0.8:
                text += draw.choice(special)
            elif kind < 0.9:
                text += draw.choice(parts)
            else:
                text += draw.choice(["a", "the", " ", "  ", "\t", "\n", "'s", "E", "o", "1", "|||IP_ADDRESS|||", "    ", "[MASK]"])
        yield text


def check_nfc(program, folder):
    draw = random.Random(int(os.environ.get("HEADLIGHT_SEED", "0")) + 2)
    every = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code <= 0xDFFF]
    strings, others = list(nfc_strings(draw, 40_000)), list(random_strings(40_000))
    long = ["a" + "\u0301\u0323\u0334\u0345" * 20_000, "\u0323\u0301" * 20_000, "e\u0301" * 20_000, "\u1100\u1161\u11a8" * 5_000]
    for prefix_space in (False, True):
        tokenizer = bpe(prefix_space)
        tokenizer.normalizer = normalizers.NFC()
        train(tokenizer, strings[:5000] + others[:5000], 3000, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]"],
              initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
        tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
        tokenizer.add_tokens(["|||IP_ADDRESS|||", "e\u0301", *(" " * n for n in range(2, 25))])
        tokenizer.add_tokens([AddedToken(text, normalized=False) for text in ("\u212b", "\u0915\u093c", "|||EMAIL|||")])
        tokenizer.add_tokens([AddedToken("\u00f6", single_word=True), AddedToken("\u2126", lstrip=True, rstrip=True)])
        path = str(folder / "tokenizer.json")
        tokenizer.save(path)
        name = f"nfc add_prefix_space={prefix_space}"
        alone = ("in words", [f"a{c} \u0301{c}\u0323b" for c in every]) if prefix_space else ("alone", every)
        for what, lines in (alone, ("difficult", strings), ("random", others), ("long", long)):
            compare(program, f"{name}, {what}", tokenizer, path, lines, "--specials")
        compare_copies(program, folder, name, tokenizer, path, strings, "--specials", offsets=True)
        again = Tokenizer.from_file(str(folder / "again_tokenizer.json"))
        theirs = [[text.ids for text in expected(one, strings, False)] for one in (tokenizer, again)]
        check(theirs[0] == theirs[1], f"{name}: what is written, in the library")


def check_learned(program, folder, texts):
    """Of the texts of the suite's digests, too; a bpe has to be the one that the library learns."""
    strings = subprocess.run([program, "--strings"], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
    for name, lines, sizes in (("the suite's", strings, (4000, 2000)), ("texts'", texts, (8000, 8000))):
        for lowercase in (True, False):
            path, tokenizer = learned(program, folder, "wordpiece", sizes[0], lines, lowercase)
            stripped = lowercase and lines is strings
            compare(program, f"{name} own wordpiece lowercase={lowercase}", tokenizer, path, lines, "--specials",
                    offsets=not stripped)
        path, tokenizer = learned(program, folder, "bpe", sizes[1], lines)
        compare(program, f"{name} own bpe", tokenizer, path, lines, "--specials")
        theirs = train(bpe(False), lines, sizes[1], special_tokens=["<unk>"],
                       initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
        check(theirs.get_vocab() == tokenizer.get_vocab(), f"{name} own bpe is the one that the library learns")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("unicode", "every", "nfc", "added", "text"):
        sys.exit(__doc__)
    if tokenizers.__version__ != VERSION:
        print(f"skipped: tokenizers {tokenizers.__version__}, not {VERSION}")
        sys.exit(77)
    program = sys.argv[2]
    if sys.argv[1] in ("nfc", "added"):
        with tempfile.TemporaryDirectory() as folder:
            (check_nfc if sys.argv[1] == "nfc" else check_added)(program, Path(folder))
        sys.exit(failures > 0)
    if sys.argv[1] != "text":
        check_unicode(program, sys.argv[1] == "every")
        sys.exit(failures > 0)
    data = os.environ.get("HEADLIGHT_DATA")
    if data is None:
        print("skipped: HEADLIGHT_DATA names no folder of texts")
        sys.exit(77)
    texts = [line for file in sorted(Path(data).rglob("*.conllu.gz")) for line in treebank_lines(file)]
    strings = list(random_strings(100_000))
    with tempfile.TemporaryDirectory() as folder:
        check_learned(program, Path(folder), texts)
        check_wordpiece(program, Path(folder), texts, strings)
        check_bpe(program, Path(folder), texts, strings)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
