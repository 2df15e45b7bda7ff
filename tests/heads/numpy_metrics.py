#!/usr/bin/env python3
"""The metrics and labels of heads, computed from snapshots with NumPy alone, are those of heads.csv.

usage: numpy_metrics.py TRAIN_PROGRAM HEADS_CSV_OF_PROGRAM

Trains tiny models and makes up snapshots with more in them (gold relations, heads of every label), then computes every
metric again from the .npz files, by the definitions and without speed, and compares: the same rows, values and
baselines within 1e-5, the same labels. Exits with 77, which ctest reports as skipped, where NumPy is not installed.
"""

import collections
import csv
import glob
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOLERANCE = 1e-5
SPECIAL = 3  # ids below are <pad>, <sep>, <mask>
SPECIAL_BIT, FIRST_BIT, SEPARATOR_BIT, UNKNOWN_BIT, PUNCTUATION_BIT = 1, 2, 4, 16, 32  # hl_token_kind
KINDS = np.array([64, 1 | 4, 1 | 8, 0, 32, 0, 16, 1 | 2, 1 | 2 | 4], dtype=np.int32)  # of the made-up tokens of texts
FORM_KINDS = np.array([16, 32, 0, 0, 0, 32, 0, 0, 0], dtype=np.int32)

Score = collections.namedtuple("Score", "value baseline")


class Example:
    """One head on one example: weights (n, n) of real tokens, what a query may attend to, and what the task says."""

    def __init__(self, weights, tokens, source, relations, causal, text=None):
        self.n = len(tokens)
        self.a = np.where(np.tri(self.n, dtype=bool), weights, 0) if causal else weights
        self.allowed = np.tri(self.n, dtype=bool) if causal else np.ones((self.n, self.n), dtype=bool)
        self.n_keys = self.allowed.sum(axis=1)
        self.tokens, self.source, self.relations = tokens, source, relations
        self.argmax = np.where(self.allowed, self.a, -1).argmax(axis=1)  # the first of equals
        self.text = text
        self.ordinary = tokens >= SPECIAL if text is None else KINDS[tokens] & (SPECIAL_BIT | UNKNOWN_BIT) == 0

    def words(self):
        """The example with words in the place of their pieces: what a word attends to need not sum to 1."""
        belongs = self.text["words"][None, :] == np.arange(self.text["words"].max(initial=-1) + 1)[:, None]
        first = belongs.argmax(axis=1)
        joined = Example.__new__(Example)
        joined.n = len(belongs)
        joined.a = belongs / belongs.sum(axis=1, keepdims=True) @ self.a @ belongs.T
        joined.allowed = self.allowed[np.ix_(first, first)]
        joined.n_keys = joined.allowed.sum(axis=1)
        joined.argmax = np.where(joined.allowed, joined.a, -1).argmax(axis=1) if joined.n else np.zeros(0)
        joined.forms, joined.rarest = self.text["forms"][first], self.text["rarest"]
        return joined


def mean(values):
    return float(np.mean(values)) if len(values) else 0.0


def offset(examples, k):
    """Value, uniform baseline and hit rate over the queries that have key i + k; None without such queries."""
    found = [(e, i) for e in examples for i in range(e.n) if 0 <= i + k < e.n and e.allowed[i, i + k]]
    if not found:
        return None
    value = mean([e.a[i, i + k] for e, i in found])
    return value, mean([1 / e.n_keys[i] for e, i in found]), mean([e.argmax[i] == i + k for e, i in found]), len(found)


def best_offset(examples):
    """(k, score) of every candidate, the best one first."""
    queries = sum(e.n for e in examples)
    longest = max(e.n for e in examples)
    scores = {k: offset(examples, k) for k in range(1 - longest, longest)}
    candidates = [(k, s[0]) for k, s in scores.items() if s is not None and 4 * s[3] >= queries]
    return sorted(candidates, key=lambda c: (-c[1], c[0]))


def paired(examples, partners):
    """Metrics of queries that have one right key: weight, hit rate, uniform, and the rate of each fixed offset."""
    found = [(e, i, int(partners(e)[i])) for e in examples for i in range(e.n) if partners(e)[i] >= 0]
    if not found:
        return None
    seen = [(e, i, j) for e, i, j in found if e.allowed[i, j]]
    rates = collections.Counter(j - i for _, i, j in seen)
    return {
        "weight": sum(e.a[i, j] for e, i, j in seen) / len(found),
        "hits": sum(e.argmax[i] == j for e, i, j in seen) / len(found),
        "uniform": sum(1 / e.n_keys[i] for e, i, j in seen) / len(found),
        "fixed": {k: n / len(found) for k, n in rates.items()},
    }


def fixed_rate(choosing, scoring, partners):
    """The rate, on the scoring half, of the offset that is best on the choosing half."""
    chosen = paired(choosing, partners)
    best = min(chosen["fixed"].items(), key=lambda c: (-c[1], c[0]))[0] if chosen and chosen["fixed"] else 0
    return paired(scoring, partners)["fixed"].get(best, 0.0)


def share(examples, keys, all_queries):
    """Mean weight on the keys of each query, and their share of its keys. `keys` gives a boolean (n, n)."""
    value, baseline = [], []
    for e in examples:
        named = keys(e) & e.allowed
        use = np.ones(e.n, dtype=bool) if all_queries else named.any(axis=1)
        value += list((e.a * named).sum(axis=1)[use])
        baseline += list((named.sum(axis=1) / e.n_keys)[use])
    return Score(mean(value), mean(baseline)) if value else None


def special_keys(e):
    if e.text is None:
        return np.tile(e.tokens < SPECIAL, (e.n, 1))
    separators = KINDS[e.tokens] & SEPARATOR_BIT != 0
    separators[0] &= KINDS[e.tokens[0]] & FIRST_BIT == 0
    return np.tile(separators, (e.n, 1))


def first_keys(e):
    return np.tile(np.arange(e.n) == 0, (e.n, 1))


def duplicate_keys(e):
    same = (e.tokens[:, None] == e.tokens[None, :]) & e.ordinary[:, None]
    return same & ~np.eye(e.n, dtype=bool)


def induction_keys(e, mirrored=False):
    keys = np.zeros((e.n, e.n), dtype=bool)
    for i in range(e.n):
        for p in range(e.n):
            if (p > i if mirrored else p < i) and e.tokens[p] == e.tokens[i] and e.ordinary[i]:
                neighbour = p - 1 if mirrored else p + 1
                keys[i, neighbour] = e.ordinary[neighbour]
    return keys


def same_word_keys(e):
    same = (e.forms[:, None] == e.forms[None, :]) & (FORM_KINDS[e.forms] & UNKNOWN_BIT == 0)[:, None]
    return same & ~np.eye(e.n, dtype=bool)


def punctuation_keys(e):
    return np.tile(FORM_KINDS[e.forms] & PUNCTUATION_BIT != 0, (e.n, 1))


def rare_keys(e):
    return np.tile(np.arange(e.n) == e.rarest, (e.n, 1))


# The labels that are earned by such a share, in the order in which they are tried, and the keys they are about.
SHARE_LABELS = {"induction": induction_keys, "duplicate": duplicate_keys, "first": first_keys, "special": special_keys}


def later(e):
    return np.arange(e.n)[None, :] > np.arange(e.n)[:, None]


def row_entropies(examples):
    for e in examples:
        for i in range(e.n):
            row = e.a[i][e.a[i] > 0].astype(np.float64)
            yield -float(np.sum(row * np.log(row))), int(e.n_keys[i])


def divergence(a, b):
    rows = []
    for x, y in zip(a, b):
        for p, q in zip(x.a, y.a):
            m = (p + q) / 2
            kl = lambda r: float(np.sum(r[r > 0] * np.log(r[r > 0] / m[r > 0])))
            rows.append((kl(p) + kl(q)) / 2)
    return mean(rows)


def histogram_fits(counts, entropies):
    """Whether the bins hold these entropies / ln n; those next to an edge may lie on either side of it."""
    normalised = np.array([h / math.log(n) for h, n in entropies if n > 1])
    edges = np.arange(1, 20) / 20
    below, slack = np.cumsum(counts)[:-1], 1e-5
    fewest, most = [np.array([(normalised < edge + s).sum() for edge in edges]) for s in (-slack, slack)]
    return counts.sum() == len(normalised) and (fewest <= below).all() and (below <= most).all()


def metrics_of_all(examples):
    """The metrics all.*, but for offsets."""
    rows = metrics_of(examples, examples, 0, 0)
    names = "entropy", "entropy.normalised", "confidence", "distance", "distance.signed"
    return {f"all.{name}": rows[name] for name in names if name in rows}


def metrics_of(choosing, scoring, k, n_relations):
    """All metrics of a head but offset(k) and js, in no order. `k` is the best offset."""
    rows = {}
    best = offset(scoring, k)
    if best:
        rows["best"] = Score(best[0], best[1])
        rows["best.offset"] = Score(k, None)
    aligned = paired(scoring, lambda e: e.source)
    if aligned:
        baseline = max(aligned["uniform"], fixed_rate(choosing, scoring, lambda e: e.source))
        rows["alignment"] = Score(aligned["weight"], baseline)
        rows["alignment.hit_rate"] = Score(aligned["hits"], baseline)
    entropies = list(row_entropies(scoring))
    rows["entropy"] = Score(mean([h for h, _ in entropies]), mean([math.log(n) for _, n in entropies]))
    normalised = [h / math.log(n) for h, n in entropies if n > 1]
    if normalised:
        rows["entropy.normalised"] = Score(mean(normalised), 1)
    even = [np.where(e.allowed, 1 / e.n_keys[:, None], 0) for e in scoring]
    ahead = [np.arange(e.n)[None, :] - np.arange(e.n)[:, None] for e in scoring]
    confidences = [e.a[i].max() for e in scoring for i in range(e.n)]
    rows["confidence"] = Score(mean(confidences), mean([1 / n for e in scoring for n in e.n_keys]))
    for name, d in ("distance", [abs(x) for x in ahead]), ("distance.signed", ahead):
        value = [x for e, far in zip(scoring, d) for x in (e.a * far).sum(axis=1)]
        rows[name] = Score(mean(value), mean([x for u, far in zip(even, d) for x in (u * far).sum(axis=1)]))
    rows["special"] = share(scoring, special_keys, True)
    rows["first"] = share(scoring, first_keys, True)
    rows["duplicate"] = share(scoring, duplicate_keys, False)
    rows["duplicate.past"] = share(scoring, lambda e: duplicate_keys(e) & ~later(e), False)
    rows["duplicate.future"] = share(scoring, lambda e: duplicate_keys(e) & later(e), False)
    rows["induction"] = share(scoring, induction_keys, False)
    rows["induction.mirrored"] = share(scoring, lambda e: induction_keys(e, mirrored=True), False)
    if scoring[0].text is not None:
        words = [e.words() for e in scoring]
        for name, at in ("previous_word", -1), ("next_word", 1):
            found = offset(words, at)
            rows[name] = Score(found[0], found[1]) if found else None
        rows["same_word"] = share(words, same_word_keys, False)
        rows["punctuation"] = share(words, punctuation_keys, True)
        rows["rare"] = share(words, rare_keys, False)
    for r in range(n_relations):
        partners = lambda e, r=r: e.relations[r]
        found = paired(scoring, partners)
        if found:
            rows[f"relation({r})"] = Score(
                found["hits"], max(found["uniform"], fixed_rate(choosing, scoring, partners))
            )
    return {name: score for name, score in rows.items() if score is not None}


def lift(value, baseline):
    return (value - baseline) / (1 - baseline) if baseline < 1 else -math.inf


def label_of_text(scoring, rows, k):
    words = [e.words() for e in scoring]
    offsets = ("previous_word", words, -1), ("next_word", words, 1), ("self", scoring, 0), (f"offset({k})", scoring, k)
    for name, examples, at in offsets:
        score = offset(examples, at)
        if score and lift(score[0], score[1]) >= 0.5 and score[2] >= 0.9:
            return name
    for name in "induction", "same_word", "first", "special", "punctuation", "rare":
        if name in rows and lift(*rows[name]) >= 0.5:
            return name
    return "uniform" if rows.get("entropy.normalised", Score(0, 1)).value > 0.95 else "mixed"


def label_of(choosing, scoring, rows, k, n_relations):
    """The first label that is earned."""
    if scoring[0].text is not None:
        return label_of_text(scoring, rows, k)
    for name, at in ("previous", -1), ("next", 1), ("self", 0), (f"offset({k})", k):
        score = offset(scoring, at)
        if score and lift(score[0], score[1]) >= 0.5 and score[2] >= 0.9:
            return name
    aligned = paired(scoring, lambda e: e.source)
    if aligned and lift(aligned["weight"], aligned["uniform"]) >= 0.5:
        if max(aligned["fixed"].values(), default=0) < 0.9:
            return "alignment"
    lifts = []
    for r in range(n_relations):
        found = paired(choosing, lambda e, r=r: e.relations[r])
        if found:
            lifts.append((-lift(found["hits"], found["uniform"]), r))
    if lifts:
        r = min(lifts)[1]
        found = paired(scoring, lambda e: e.relations[r])
        if found and lift(found["hits"], found["uniform"]) >= 0.5:
            return f"relation({r})"
    for name in SHARE_LABELS:
        if name in rows and lift(*rows[name]) >= 0.5:
            return name
    return "uniform" if rows.get("entropy.normalised", Score(0, 1)).value > 0.95 else "mixed"


class Snapshot:
    """The heads of one .npz file, halved, and their readings as given."""

    def __init__(self, path, causal):
        npz = np.load(path)
        self.step = int(npz["step"])
        self.n_relations = npz["relations"].shape[1] if "relations" in npz else 0
        self.heads = {}
        self.validated = "all_queries" in npz.files
        self.histograms = {}
        layers = sorted((key for key in npz.files if key.startswith("layer_")), key=lambda key: int(key[6:]))
        for layer, key in enumerate(layers):
            for head in range(npz[key].shape[1]):
                examples = []
                for e, n in enumerate(npz["lengths"]):
                    examples.append(
                        Example(
                            npz[key][e, head, :n, :n].astype(np.float64),
                            npz["tokens"][e, :n],
                            npz["source"][e, :n],
                            npz["relations"][e, :, :n] if self.n_relations else None,
                            causal,
                            {"words": npz["words"][e, :n], "forms": npz["forms"][e, :n], "rarest": npz["rarest"][e]}
                            if "words" in npz
                            else None,
                        )
                    )
                self.heads[layer, head] = examples[::2], examples[1::2] or examples[:1]
                if self.validated:
                    self.histograms[layer, head] = npz[f"all_entropy_histogram_{layer}"][head]

    def all_examples(self, at):
        """In their order, for steps whose snapshot is of the whole validation set."""
        choosing, scoring = self.heads[at]
        return [e for pair in zip(choosing, scoring) for e in pair] + choosing[len(scoring):]


def check_best_offset(choosing, given):
    """Of offsets that are equal but for rounding, any may be the best one."""
    candidates = best_offset(choosing)
    scores = dict(candidates)
    if given is None:
        return candidates[0][0]
    assert scores.get(given, -1) >= candidates[0][1] - 1e-9, f"best offset is {given}, not {candidates[0][0]}"
    return given


def expected_rows(snapshots, given):
    """(step, layer, head, metric) -> score, and (step, layer, head) -> label."""
    rows, labels, best, untrained = {}, {}, {}, {}
    for snapshot in snapshots:
        for at, (choosing, scoring) in snapshot.heads.items():
            place = (snapshot.step, *at)
            known = given.get((*place, "best.offset"))
            best[place] = check_best_offset(choosing, None if known is None else int(known.value))
            found = metrics_of(choosing, scoring, best[place], snapshot.n_relations)
            labels[place] = label_of(choosing, scoring, found, best[place], snapshot.n_relations)
            rows.update({(*place, name): score for name, score in found.items()})
            if snapshot.validated:
                everything = snapshot.all_examples(at)
                rows.update({(*place, name): score for name, score in metrics_of_all(everything).items()})
                assert histogram_fits(snapshot.histograms[at], list(row_entropies(everything))), f"histogram of {place}"
            for other, (_, other_scoring) in snapshot.heads.items():
                if other > at:
                    js = divergence(scoring, other_scoring)
                    if snapshot.step == 0:
                        untrained[at, other] = js
                    rows[(*place, f"js(L{other[0]}H{other[1]})")] = Score(js, untrained.get((at, other)))
    ks = {-1, 0, 1} | {k for place, k in best.items() if (*place, "best") in rows}
    for snapshot in snapshots:
        for at, (_, scoring) in snapshot.heads.items():
            sets = {"offset": scoring, "all.offset": snapshot.all_examples(at) if snapshot.validated else []}
            for name, examples in sets.items():
                for k in ks:
                    score = offset(examples, k)
                    if score:
                        rows[(snapshot.step, *at, f"{name}({k})")] = Score(score[0], score[1])
    return rows, labels


def read_rows(text):
    """The same, from what the program printed."""
    lines = text.splitlines()
    labels = {}
    for line in [line for line in lines if line.startswith("label,")]:
        _, step, layer, head, label = line.split(",")
        labels[int(step), int(layer), int(head)] = label
    rows = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("label,")):
        key = int(row["step"]), int(row["layer"]), int(row["head"]), row["metric"]
        assert key not in rows, f"{key} comes twice"
        rows[key] = Score(float(row["value"]), float(row["baseline"]) if row["baseline"] else None)
    return rows, labels


def agree(a, b):
    return a == b if a is None or b is None else abs(a - b) <= TOLERANCE


def check(program, name, paths, causal):
    """Compares all rows of a run."""
    printed = subprocess.run([program, "1" if causal else "0", *paths], check=True, capture_output=True, text=True)
    given, given_labels = read_rows(printed.stdout)
    rows, labels = expected_rows([Snapshot(path, causal) for path in paths], given)
    faults = [f"{key} is missing" for key in rows.keys() - given.keys()]
    faults += [f"{key} should not be there" for key in given.keys() - rows.keys()]
    for key in rows.keys() & given.keys():
        if not (agree(rows[key].value, given[key].value) and agree(rows[key].baseline, given[key].baseline)):
            faults.append(f"{key}: {given[key]} and not {rows[key]}")
    faults += [f"{key}: {given_labels.get(key)} and not {label}" for key, label in labels.items()
               if given_labels.get(key) != label]
    seen = ", ".join(sorted(set(labels.values())))
    print(f"{'FAILED' if faults else 'ok'}  {name}: {len(rows)} rows of {len(labels)} heads; labels {seen}")
    for fault in sorted(faults)[:10]:
        print(f"    {fault}")
    return not faults, set(labels.values()), {key[3].split("(")[0] for key in rows}


CONFIGS = {
    "copy, variable length, layers of different width": (
        False,
        "name = copy\nsymbols = 8\nlength = 8\nmin_length = 2",
        "layers = 2\nheads = 4, 2",
    ),
    "recall, causal": (
        True,
        "name = recall\nsymbols = 8\npairs = 4\nqueries = 4",
        "layers = 2\nheads = 2\ncausal = true",
    ),
    "reverse, no positions": (
        False,
        "name = reverse\nsymbols = 6\nlength = 6",
        "layers = 1\nheads = 2\npositions = none",
    ),
}

CONFIG = """
[task]
{task}
[model]
d_model = 16
{model}
[train]
steps = 60
batch_size = 16
eval_examples = 15
eval_every = 40
[patterns]
every = 20
examples = 15
"""


def check_run(train, program, folder, name, causal, task, model):
    config = os.path.join(folder, "config.ini")
    with open(config, "w") as file:
        file.write(CONFIG.format(task=task, model=model))
    run = os.path.join(folder, "run")
    subprocess.run([train, config, "--quiet", "--out", run], check=True)
    return check(program, name, sorted(glob.glob(os.path.join(run, "patterns", "*.npz"))), causal)


def habits(n, causal, tokens, source, relations, random):
    """Weights (H, n, n) of heads that each keep to one thing: so that every label occurs."""
    position = np.arange(n)
    probe = Example(np.ones((n, n)), tokens, source, relations, causal)
    named = [position[None, :] - position[:, None] == k for k in (-1, 1, 0, -2)]
    named += [position[None, :] == partners[:, None] for partners in (source, relations[0], relations[1])]
    named += [keys(probe) for keys in SHARE_LABELS.values()]
    heads = []
    for keys in named + [np.zeros((n, n), dtype=bool)] * 3:
        weights = random.random((n, n)) * 0.1 + 10.0 * keys
        heads.append(weights)
    heads[-1] = np.ones((n, n))  # ties everywhere
    heads[-2] = np.round(random.random((n, n)) * 3) + 0.5  # some ties
    heads[-3] = np.round(random.random((n, n)) ** 9 * 100) + np.eye(n)  # zeros
    heads = np.array(heads) * probe.allowed
    return (heads / heads.sum(axis=-1, keepdims=True)).astype(np.float32)


def habits_of_words(n, causal, tokens, text, random):
    """The same for what only texts have, and for what is otherwise there."""
    probe = Example(np.ones((n, n)), tokens, np.full(n, -1), None, causal, text)
    words, position = probe.words(), np.arange(n)
    offsets = [np.arange(words.n)[None, :] - np.arange(words.n)[:, None] == k for k in (-1, 1)]
    of_words = offsets + [keys(words) for keys in (same_word_keys, punctuation_keys, rare_keys)]
    spread = np.zeros((n, words.n), dtype=bool)
    spread[np.arange(n), text["words"]] = text["words"] >= 0
    named = [spread @ keys @ spread.T for keys in of_words]
    named += [position[None, :] - position[:, None] == k for k in (0, -2)]
    named += [keys(probe) for keys in (induction_keys, first_keys, special_keys)] + [np.ones((n, n), dtype=bool)]
    heads = np.array([random.random((n, n)) * 0.1 + 10.0 * keys for keys in named]) * probe.allowed
    return (heads / heads.sum(axis=-1, keepdims=True)).astype(np.float32)


def make_up_text(path, step, n_examples, n_tokens, causal, seed):
    """A snapshot of text: words of one to three pieces, special tokens around and between them."""
    random = np.random.default_rng(seed)
    lengths = random.integers(6, n_tokens + 1, n_examples).astype(np.int32)
    tokens = random.integers(3, 7, (n_examples, n_tokens)).astype(np.int32)
    tokens[:, 0] = random.integers(7, 9, n_examples)
    words = np.full((n_examples, n_tokens), -1, dtype=np.int32)
    forms, rarest = words.copy(), words[:, 0].copy()
    layer = np.full((n_examples, 11, n_tokens, n_tokens), 7, dtype=np.float32)
    for e, n in enumerate(lengths):
        tokens[e, n - 1] = 1
        word, form = -1, 0
        for i in range(1, n - 1):
            if random.random() < 0.1:
                tokens[e, i] = random.integers(1, 3)  # <sep> or <mask>
            elif word < 0 or words[e, i - 1] < 0 or random.random() < 0.6:
                word, form = word + 1, random.integers(0, 6)
            if tokens[e, i] >= SPECIAL:
                words[e, i], forms[e, i] = word, form
        rarest[e] = random.integers(0, word + 1) if word >= 0 and random.random() < 0.8 else -1
        text = {"words": words[e, :n], "forms": forms[e, :n], "rarest": rarest[e]}
        layer[e, :, :n, :n] = habits_of_words(n, causal, tokens[e, :n], text, random)
    np.savez(
        path, layer_0=layer, tokens=tokens, source=np.full_like(tokens, -1), lengths=lengths, step=np.int64(step),
        words=words, forms=forms, rarest=rarest, kinds=KINDS, form_kinds=FORM_KINDS,
    )


def make_up(path, step, n_examples, n_tokens, causal, seed):
    """A snapshot with everything in it; padding holds text and weights that must not count."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1 if n_examples > 4 else 6, n_tokens + 1, n_examples).astype(np.int32)
    tokens = random.integers(1, 9, (n_examples, n_tokens)).astype(np.int32)
    source = np.full((n_examples, n_tokens), -1, dtype=np.int32)
    relations = np.full((n_examples, 2, n_tokens), -1, dtype=np.int32)
    layers = np.full((n_examples, 10 + len(SHARE_LABELS), n_tokens, n_tokens), 7, dtype=np.float32)
    for e, n in enumerate(lengths):
        for i in range(n):
            if random.random() < 0.6:
                source[e, i] = random.integers(0, i + 1 if causal else n)
            if random.random() < 0.5:
                relations[e, random.integers(0, 2), i] = random.integers(0, n)  # a causal head cannot look at all
        layers[e, :, :n, :n] = habits(n, causal, tokens[e, :n], source[e, :n], relations[e, :, :n], random)
    np.savez(
        path, layer_0=layers[:, :-3], layer_1=layers[:, -3:], tokens=tokens, source=source, relations=relations,
        lengths=lengths, step=np.int64(step),
    )


def check_made_up(program, folder, name, steps, n_examples, n_tokens, causal, make=make_up):
    paths = []
    for step in steps:
        paths.append(os.path.join(folder, f"{len(name)}_{step:06d}.npz"))
        make(paths[-1], step, n_examples, n_tokens, causal, 100 * n_tokens + n_examples + step)
    return check(program, name, paths, causal)


def main():
    train, program = sys.argv[1:]
    print(f"NumPy {np.__version__}")
    results = []
    for name, (causal, task, model) in CONFIGS.items():
        with tempfile.TemporaryDirectory() as folder:
            results.append(check_run(train, program, folder, name, causal, task, model))
    with tempfile.TemporaryDirectory() as folder:
        results.append(check_made_up(program, folder, "made up", (0, 5), 12, 14, False))
        results.append(check_made_up(program, folder, "made up, causal, from step 3 on", (3, 5), 9, 13, True))
        results.append(check_made_up(program, folder, "made up, a single example", (0,), 1, 16, False))
        results.append(check_made_up(program, folder, "made-up text", (0, 7), 14, 18, False, make_up_text))
        results.append(check_made_up(program, folder, "made-up text, causal", (0,), 11, 15, True, make_up_text))
    good, labels, metrics = zip(*results)
    missing = {"previous", "next", "self", "offset(-2)", "alignment", "relation(0)", "relation(1)", *SHARE_LABELS,
               "previous_word", "next_word", "same_word", "punctuation", "rare", "uniform", "mixed"} - set().union(*labels)
    few = len(set().union(*metrics)) < 30
    print("all labels and metrics occur" if not missing and not few else f"FAILED  never seen: {missing or 'metrics'}")
    return 0 if all(good) and not missing and not few else 1


if __name__ == "__main__":
    sys.exit(main())
