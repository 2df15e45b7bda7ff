"""The notebook and the README run top to bottom, and the package is typed."""

import json
import re
import subprocess
import sys

import headlight
import pytest
from conftest import ROOT

PYTHON = ROOT / "python"


def test_notebook(tmp_path):
    path = PYTHON / "examples" / "copy_task.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:  # the same cells, without a kernel
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        subprocess.run([sys.executable, "-c", "\n".join(cells)], check=True, cwd=tmp_path)
    else:
        read = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(read, timeout=280, resources={"metadata": {"path": tmp_path}}).execute()
        shown = [
            output.get("data", {}).get("text/html", "") for cell in read.cells for output in cell.get("outputs", [])
        ]
        assert any("data-only=&quot;L1H0&quot;" in text for text in shown), "the map of a head"
        told = "".join(output.get("text", "") for cell in read.cells for output in cell.get("outputs", []))
        assert "█ step 250/250" in told, "the bar"
    assert (tmp_path / "runs" / "copy_task" / "report.html").exists()


def test_lessons_are_made_from_their_pages():
    """All notebooks are executed in install_notebooks."""
    subprocess.run([PYTHON / "examples" / "make", "--check"], check=True)
    for path in (PYTHON / "examples").glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert all(cell.get("outputs", []) == [] for cell in notebook["cells"]), f"{path} is kept without its outputs"


def test_readme(trained, tmp_path):
    """Its first lines of Python, on a run of copy_task.ini that is cut short. The others, which need MiniLM and a treebank,
    call methods that there are (test_verbs.py)."""
    blocks = re.findall(r"```python\n(.*?)```", (PYTHON / "README.md").read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 2
    called = set(re.findall(r"\b[mr]\.(\w+)\(", blocks[1]))
    assert len(called) > 10 and all(callable(getattr(headlight.Model, name)) for name in called), called
    if "torch" not in sys.modules and __import__("importlib.util").util.find_spec("torch") is None:
        blocks[0] = "\n".join(line for line in blocks[0].splitlines() if "torch" not in line)
    subprocess.run([sys.executable, "-c", blocks[0]], check=True, cwd=tmp_path)


def test_types(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
