#!/usr/bin/env python3
"""Compares the sentence vectors of predict --embed with those of transformers, and how long and how much memory both take.

usage: check_vectors.py PREDICT

The model is the folder HEADLIGHT_MODEL=DIR, as all-MiniLM-L6-v2, whose vectors are the normalised mean of the last
layer's rows; the texts are English EWT's dev sentences in HEADLIGHT_DATA=DIR (ewt/*dev*.conllu.gz). Cosines must be
within 1e-6 of 1. In ROUNDS rounds both sides take their turns, of which the median of the ratios counts: ours from the
program's start to its end, theirs (32 sentences at once, sorted by length, all cores) from text to vectors alone. Ours
must be 1.4 times as fast and hold at most 0.6 of the memory. Exits with 77, which ctest reports as skipped, where the
model, the texts, or transformers are missing.
"""

import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS, BATCH = 3, 32


def theirs(folder, texts, out):
    """Makes the vectors once for each line that comes, and answers with the seconds."""
    import numpy
    import torch
    import transformers

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    most = json.loads(Path(folder, "sentence_bert_config.json").read_text())["max_seq_length"]
    texts = Path(texts).read_text(encoding="utf-8").split("\n")[:-1]
    print("ready", flush=True)
    for _ in sys.stdin:
        start, vectors = time.perf_counter(), [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for first in range(0, len(order), BATCH):
            part = order[first : first + BATCH]
            encoded = tokenizer([texts[i] for i in part], padding=True, truncation=True, max_length=most,
                                return_tensors="pt")  # fmt: skip
            with torch.inference_mode():
                mask = encoded["attention_mask"].unsqueeze(-1)
                mean = (model(**encoded).last_hidden_state * mask).sum(1) / mask.sum(1)
                for i, vector in zip(part, torch.nn.functional.normalize(mean).numpy()):
                    vectors[i] = vector
        print(time.perf_counter() - start, flush=True)
    numpy.save(out, numpy.stack(vectors))


def ended(process):
    """The MiB that it held at most."""
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, f"{process.args[0]} failed"
    return usage.ru_maxrss / 1024


def main():
    try:
        import numpy
        import transformers  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    folder, data = os.environ.get("HEADLIGHT_MODEL", ""), os.environ.get("HEADLIGHT_DATA", "")
    files = sorted(Path(data).glob("ewt/*dev*.conllu.gz")) if data else []
    if not files or not os.path.exists(os.path.join(folder, "sentence_bert_config.json")):
        print("skipped: HEADLIGHT_DATA has no treebank, or HEADLIGHT_MODEL is no folder of a model of sentences")
        return 77
    with gzip.open(files[0], "rt", encoding="utf-8") as lines:
        texts = [line[len("# text = ") :] for line in lines if line.startswith("# text = ")]
    with tempfile.TemporaryDirectory(prefix="headlight-vectors-") as work:
        file, our_file, their_file = (os.path.join(work, name) for name in ("texts.txt", "ours.npy", "theirs.npy"))
        Path(file).write_text("".join(texts), encoding="utf-8")
        them = subprocess.Popen([sys.executable, __file__, "theirs", folder, file, their_file], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)  # fmt: skip
        assert them.stdout.readline() == "ready\n"
        ratios, our_memory = [], 0
        for _ in range(ROUNDS):
            them.stdin.write("again\n")
            them.stdin.flush()
            their_seconds, start = float(them.stdout.readline()), time.perf_counter()
            us = subprocess.Popen([sys.argv[1], folder, file, "--embed", our_file])
            our_memory = max(our_memory, ended(us))
            our_seconds = time.perf_counter() - start
            ratios.append(their_seconds / our_seconds)
            print(f"{len(texts) / our_seconds:.0f} sentences a second, transformers {len(texts) / their_seconds:.0f}")
        them.stdin.close()
        their_memory = ended(them)
        a, b = (numpy.load(path).astype(numpy.float64) for path in (our_file, their_file))
    cosines = (a * b).sum(1) / numpy.sqrt((a * a).sum(1) * (b * b).sum(1))
    lengths = numpy.sqrt((a * a).sum(1))
    print(f"cosines within {abs(1 - cosines).max():.1e} of 1, lengths within {abs(1 - lengths).max():.1e}; "
          f"{statistics.median(ratios):.2f} times as fast, {our_memory:.0f} of {their_memory:.0f} MiB")  # fmt: skip
    assert a.shape == b.shape and abs(1 - cosines).max() <= 1e-6 and abs(1 - lengths).max() <= 1e-6
    assert statistics.median(ratios) >= 1.4 and our_memory <= 0.6 * their_memory
    return 0


if __name__ == "__main__":
    sys.exit(theirs(*sys.argv[2:]) if sys.argv[1] == "theirs" else main())
