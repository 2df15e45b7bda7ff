"""Makes a gallery of two tiny tasks and looks at it: what it holds of their reports, that every link leads to one, that it
trains nothing twice; in Chromium, where that and selenium are installed, it is used as a reader would.

usage: gallery.py TRAIN
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ["copy_task", "recall"]
KEYS = ["model.layers=2", "model.d_model=16", "model.heads=2", "train.steps=12", "train.eval_every=6"]


def make(train, out, *more):
    configs = [ROOT / f"configs/{name}.ini" for name in NAMES]
    call = [sys.executable, ROOT / "docs/gallery/make", "--build", train.parent, "--out", out, *configs, *KEYS, *more]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def data_in(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL).group(1))


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def map_in(run, snapshot, head, example):
    """The levels of that head of an example; both are places."""
    sizes = [len(e["tokens"]) ** 2 for e in run["examples"]]
    begin = head * sum(sizes) + sum(sizes[:example])
    return unpacked(snapshot["levels"])[begin:begin + sizes[example]]


def check_data(out):
    """The page shows what the reports hold."""
    gallery = data_in(out / "index.html")
    assert [run["name"] for run in gallery["runs"]] == NAMES
    for run in gallery["runs"]:
        report = data_in(out / run["name"] / "report.html")["runs"][0]
        assert len(run["heads"]) == 4 and len(run["examples"]) == 1
        assert re.match(r"[A-Z].*[.]$", run["about"]), run["about"]
        example = next(i for i, e in enumerate(report["examples"]) if e == run["examples"][0])
        snapshots = {s["step"]: s for s in report["snapshots"]}
        assert {0, 12} <= {s["step"] for s in run["snapshots"]}
        for snapshot in run["snapshots"]:
            whole = snapshots[snapshot["step"]]
            for head in range(4):
                assert map_in(run, snapshot, head, 0) == map_in(report, whole, head, example)
            answers = unpacked(whole["predictions"])
            each = len(answers) // len(report["examples"])
            assert unpacked(snapshot["predictions"]) == answers[example * each:(example + 1) * each]


def check_repeats(train, out):
    """What is done is not done again; what is missing is; what contradicts is refused, and the page stays."""
    before = {name: (out / name / "checkpoint.safetensors").stat().st_mtime_ns for name in NAMES}
    page = (out / "index.html").read_bytes()
    again = make(train, out)
    assert again.returncode == 0 and again.stdout.count("was trained already") == 2, again
    assert before == {name: (out / name / "checkpoint.safetensors").stat().st_mtime_ns for name in NAMES}
    assert (out / "index.html").read_bytes() == page
    (out / "recall").rename(out / "elsewhere")
    again = make(train, out)
    assert "copy_task: was trained already\nrecall: trained\n" in again.stdout, again
    refused = make(train, out, "train.seed=2")
    assert refused.returncode == 1 and f"remove {out / 'copy_task'}" in refused.stderr, refused
    assert (out / "index.html").read_bytes() != b"" and not (out / "index.tmp").exists()
    (out / "recall" / "report.html").unlink()
    assert make(train, out).returncode == 0 and (out / "recall" / "report.html").exists()


def pictures(page):
    return page.script("return [...document.querySelectorAll('.head canvas')].map((canvas) => canvas.toDataURL());")


def check_page(page):
    page.size(1600, 1000, "light")
    page.open("index.html")
    assert page.driver.title == "Headlight gallery"
    assert page.text("#subtitle").startswith("2 tasks, 8 heads")
    assert [h.text for h in page.all("h2 a")] == ["copy task", "recall"]
    assert page.script("return document.documentElement.dataset.theme") == "light"
    last = pictures(page)
    assert len(last) == 8
    assert page.text("#copy_task h2 span").startswith("step 12 of 12")
    page.one("h1").click()
    page.keys(browser.Keys.ARROW_LEFT)
    page.wait(lambda: page.script("return document.getElementById('slider').value") == "23", "an arrow moves the slider")
    page.script("const s = document.getElementById('slider'); s.value = 0; s.dispatchEvent(new Event('input'));")
    page.wait(lambda: page.text("#step") == "untrained", "the slider moves by hand")
    assert page.text("#copy_task h2 span").startswith("step 0 of 12"), page.text("#copy_task h2 span")
    first = pictures(page)
    assert all(a != b for a, b in zip(first, last)), "all heads move"
    names = [c.get_attribute("aria-label") for c in page.all(".head canvas")]
    assert names[0].startswith("L0H0 of copy_task at step 0: ") and len(set(names)) == 8, names
    page.script("const pace = document.getElementById('pace'); pace.value = 'fast';")
    page.keys(" ")
    page.wait(lambda: page.one("#play").get_attribute("aria-pressed") == "true", "space plays")
    page.wait(lambda: page.one("#play").get_attribute("aria-pressed") == "false", "it stops at the end")
    assert page.text("#step") == "trained" and pictures(page) == last


def check_themes_and_sizes(page):
    page.size(1600, 1000, "dark")
    page.open("index.html")
    assert page.script("return document.documentElement.dataset.theme") == "dark"
    dark = pictures(page)
    page.one("#theme").click()
    page.wait(lambda: pictures(page) != dark, "the button changes the colours")
    page.size(390, 844, "light")
    page.open("index.html")
    assert page.script("return document.documentElement.scrollWidth") <= 390


def check_layout(page):
    """Maps stand right below the example in every card, shorter answers do not move them up, and a long relation's name is
    parted at its underscore where six heads stand side by side."""
    for width in (390, 1160, 1280, 1920):
        page.size(width, 1000, "light")
        page.open("index.html")
        gaps = page.script("""return [...document.querySelectorAll('section')].map((card) =>
            card.querySelector('.layer').getBoundingClientRect().top - card.querySelector('.said span').getBoundingClientRect().bottom)""")
        assert len(gaps) == 2 and all(0 <= gap < 12 for gap in gaps), gaps
        lines = page.script("""const layer = document.querySelector('.layer'), head = layer.firstChild, range = document.createRange();
            layer.classList.add('many');
            layer.style.setProperty('--columns', 6);
            head.classList.add('born');
            head.lastChild.textContent = 'pronoun_\\u200bnoun';
            range.setStart(head.lastChild.firstChild, 0);
            range.setEnd(head.lastChild.firstChild, 'pronoun_'.length);
            return new Set([...range.getClientRects()].map((line) => line.top)).size;""")
        assert lines == 1, (width, lines)
    tops = page.script("""const said = document.querySelector('.said'), layer = document.querySelector('.layer'), s = document.getElementById('slider');
        said.style.minHeight = '200px';
        s.value = 0;
        s.dispatchEvent(new Event('input'));
        return layer.getBoundingClientRect().top - said.getBoundingClientRect().top;""")
    assert tops >= 200, tops
    page.size(1000, 1000, "light")
    page.wait(lambda: page.script("return document.querySelector('.said').offsetHeight") < 200, "another width is another height")


def check_links(page, out):
    """Every task and head leads to its report, which opens on that head."""
    page.size(1600, 1000, "light")
    page.open("index.html")
    links = [a.get_attribute("href") for a in page.all("main a")]
    heads = ["", "L0H0", "L0H1", "L1H0", "L1H1"]
    assert [link.partition("#")[2] for link in links] == 2 * heads, links
    for link in links:
        assert link.startswith(out.as_uri()), link
        head = link.partition("#")[2]
        page.driver.get("about:blank")
        page.driver.get(link)
        page.wait(lambda: page.script("return document.documentElement.dataset.ready === 'true'"), f"{link} opens")
        assert page.one("#detail-title").get_attribute("textContent") == head, link
    page.silent()


def main():
    train = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        out = Path(name).resolve() / "gallery"
        made = make(train, out)
        assert made.returncode == 0 and made.stdout.count(": trained") == 2, made
        text = (out / "index.html").read_text(encoding="utf-8")
        assert not re.search(r"https?://|@[A-Z]+@", text)
        check_data(out)
        check_repeats(train, out)
        if browser is None:
            print("no browser here: the files alone are checked")
            return
        page = browser.Page()
        try:
            page.folder = out
            check_page(page)
            check_themes_and_sizes(page)
            check_layout(page)
            check_links(page, out)
        finally:
            page.driver.quit()


try:
    import browser
except SystemExit: # which says what is not installed
    browser = None
main()
