"""What torch_step.py and jax_step.py share: the workloads' sizes, the command line, and how a step is timed."""

import argparse
import dataclasses
import json
import resource
import statistics
import time


@dataclasses.dataclass(frozen=True)
class Sizes:
    batch: int
    length: int
    d_model: int
    heads: int
    layers: int
    d_ff: int
    vocabulary: int
    gpt2: bool = False  # causal, with learned positions, tanh's GELU, and the embedding shared by the output layer
    modernbert: bool = False  # gated, without biases, with windows and rotary positions, and the embedding shared likewise
    window: int = 0  # how many keys a query sees, half of them on each side, in layers that are not global
    global_every: int = 3  # layers 0, 3, 6, ... have no window

    def windows(self):
        """Of each layer, how far a query sees on either side; None where it sees everything."""
        return [self.window // 2 if self.window and i % self.global_every else None for i in range(self.layers)]

    def flops(self):
        """Of the matrix products of a step; a multiply-add counts 2, backward twice as much as forward."""
        projections = 4 * 2 * self.d_model**2
        feed_forward = (3 if self.modernbert else 2) * 2 * self.d_model * self.d_ff
        keys = sum(self.length if side is None else min(2 * side + 1, self.length) for side in self.windows())
        attention = 2 * 2 * keys * self.d_model  # of all layers
        transform = 2 * self.d_model**2 if self.modernbert else 0
        output = 2 * self.d_model * self.vocabulary
        a_token = self.layers * (projections + feed_forward) + attention + transform + output
        return 3 * self.batch * self.length * a_token


WORKLOADS = {
    "tiny": Sizes(batch=16, length=10, d_model=32, heads=4, layers=1, d_ff=64, vocabulary=16),
    "copy": Sizes(batch=64, length=32, d_model=64, heads=4, layers=2, d_ff=256, vocabulary=32),
    "small": Sizes(batch=32, length=64, d_model=128, heads=8, layers=4, d_ff=512, vocabulary=256),
    "base": Sizes(batch=16, length=64, d_model=512, heads=8, layers=6, d_ff=2048, vocabulary=1000),
    "long": Sizes(batch=4, length=512, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t1024": Sizes(batch=4, length=1024, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t2048": Sizes(batch=2, length=2048, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "t4096": Sizes(batch=1, length=4096, d_model=256, heads=8, layers=4, d_ff=1024, vocabulary=256),
    "gpt2": Sizes(batch=4, length=64, d_model=768, heads=12, layers=12, d_ff=3072, vocabulary=50257, gpt2=True),
    "modernbert": Sizes(batch=4, length=512, d_model=768, heads=12, layers=22, d_ff=1152, vocabulary=50368, modernbert=True,
                        window=128),
}
ENCODERS = [name for name, sizes in WORKLOADS.items() if not sizes.gpt2 and not sizes.modernbert]
VARIED = ("batch", "length", "d_model", "heads", "d_ff")
WARM_UP = 3
LEARNING_RATE, BETAS, EPSILON = 1e-4, (0.9, 0.98), 1e-9


def count(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def rate(text):
    number = float(text)
    if not 0 <= number < 1:
        raise ValueError
    return number


def parser_of(description, workloads=tuple(WORKLOADS)):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("workload", choices=workloads)
    parser.add_argument("--threads", type=count, default=2)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--least", metavar="N", type=count, default=5, help="steps that are timed at least (default: 5)")
    parser.add_argument("--dropout", type=rate, default=0.1)
    for size in VARIED:
        parser.add_argument("--" + size.replace("_", "-"), type=count, help="instead of the workload's")
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    return parser


def arguments_of(parser):
    """The command line, and the sizes that it means."""
    arguments = parser.parse_args()
    given = {size: getattr(arguments, size) for size in VARIED if getattr(arguments, size) is not None}
    sizes = dataclasses.replace(WORKLOADS[arguments.workload], **given)
    if sizes.d_model % 2 or sizes.d_model % sizes.heads:
        parser.error(f"d_model {sizes.d_model} must be even and a multiple of {sizes.heads} heads")
    return arguments, sizes


def measure(step, seconds, least):
    """The times of single steps, in seconds, after some that start and compile what the others use."""
    for _ in range(min(WARM_UP, least)):
        step()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return times


def report(arguments, sizes, step, **about):
    """Times the step and prints what was found, with what else there is to tell `about` it."""
    times = measure(step, arguments.seconds, arguments.least)
    median = statistics.median(times)
    figures = about | {
        "name": arguments.workload,
        "threads": arguments.threads,
        "dropout": arguments.dropout,
        "length": sizes.length,
        "batch": sizes.batch,
        "steps": len(times),
        "ms_median": 1e3 * median,
        "tokens_per_second": sizes.batch * sizes.length / median,
        "gflops": sizes.flops() / median / 1e9,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(
            "{name}: {ms_median:.3f} ms a step, {tokens_per_second:.0f} tokens/s, {gflops:.1f} GFLOP/s, "
            "peak {peak_rss_mib:.0f} MiB".format(**figures)
        )
