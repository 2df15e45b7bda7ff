#!/usr/bin/env python3
"""An open model that is trained on to tell the genre of a sentence, beside words that are counted.

usage: check_genres.py TRAIN

The folder HEADLIGHT_MODEL=DIR, as all-MiniLM-L6-v2, is trained with genres.ini on the five genres of HEADLIGHT_DATA=DIR
(ewt/en_ewt-ud-{train,dev}.conllu.gz, the first part of "# newdoc id"). On the dev part it must be right more often than
scikit-learn's logistic regression on TF-IDF, whose settings are the best of eight on that very part. HEADLIGHT_STEPS may
be fewer for a trial, which then passes by running. Exits with 77, which ctest reports as skipped, without the model, the
texts, or scikit-learn.
"""

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from check_finetune import FILES, HERE, MODEL, skip_without_files

STEPS = 784


def read(file):
    """(texts, genres)"""
    texts, genres, genre = [], [], None
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition(" = ")
            if key == "# newdoc id":
                genre = value.split("-")[0].strip()
            elif key == "# text":
                texts.append(value.replace("\t", " "))
                genres.append(genre)
    return texts, genres


def counted(train, dev):
    best = 0
    for longest in (1, 2):
        for c in (1, 4, 10, 30):
            words = TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True)
            model = make_pipeline(words, LogisticRegression(C=c, max_iter=1000)).fit(*train)
            best = max(best, 100 * model.score(*dev))
    return best


def trained(train, parts, n_steps, folder):
    files = []
    for name, (texts, genres) in parts.items():
        files.append(folder / f"{name}.tsv")
        rows = "".join(f"{text}\t{genre}\n" for text, genre in zip(texts, genres))
        files[-1].write_text("text\tgenre\n" + rows, encoding="utf-8")
    subprocess.run([train, HERE / "genres.ini", "--from", MODEL, "--out", folder / "run", "--quiet",
                    f"task.file={files[0]}", f"task.validation_file={files[1]}", f"train.steps={n_steps}"],
                   check=True)  # fmt: skip
    rows = [row.split(",") for row in (folder / "run" / "metrics.csv").read_text().splitlines()]
    return 100 * float([row for row in rows if row[1] == "validation"][-1][3])


def main():
    skip_without_files()
    n_steps = int(os.environ.get("HEADLIGHT_STEPS", STEPS))
    parts = dict(zip(("train", "dev"), map(read, FILES)))
    with tempfile.TemporaryDirectory() as folder:
        mine, peer = trained(sys.argv[1], parts, n_steps, Path(folder)), counted(*parts.values())
    print(f"{len(parts['dev'][0])} sentences: {mine:.2f}% right, by TF-IDF {peer:.2f}%")
    sys.exit(n_steps == STEPS and mine <= peer)


if __name__ == "__main__":
    main()
