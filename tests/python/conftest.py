"""What the tests of python/ share: a small run, made by the program."""

import shutil
from pathlib import Path

import headlight
import pytest

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "tests" / "train" / "formats"

CONFIG = """
[task]
name = copy
length = 3
min_length = 2
symbols = 5
[model]
d_model = 8
layers = 2
heads = 2, 1
d_k = 4
d_v = 4
[train]
steps = 12
batch_size = 8
log_every = 2
eval_every = 4
eval_examples = 12
[patterns]
examples = 6
"""


@pytest.fixture(scope="session")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("configs") / "small.ini"
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="session")
def trained(config):
    """The run as it was left: not to be changed."""
    return headlight.train(config, out=config.parent / "small", progress=False)


@pytest.fixture
def run(trained, tmp_path):
    """A copy of its own."""
    return headlight.open(shutil.copytree(trained.path, tmp_path / "run"))


def refused(call, *parts):
    """The call ends with one line that has these parts."""
    with pytest.raises(headlight.Error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text and all(part in text for part in parts), text
