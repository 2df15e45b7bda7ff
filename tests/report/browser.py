#!/usr/bin/python3
"""Opens a report in Chromium, from a file with the network off, uses it as a reader would, and compares what it shows
with the files that it was made of.

Two reports of made-up runs and real ones: of a copy task that the program train solved, and of two such runs side by side.

usage: browser.py MAKE_REPORT TRAIN HEADS

Exits with 77, which ctest reports as skipped, where chromium, chromium-driver or python3-selenium is not installed.
"""

import array
import ast
import csv
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    missing.append("python3-selenium")
if missing:
    print(f"skipped: not installed: {', '.join(missing)}")
    sys.exit(77)



def weight_at(folder, step, layer, head, example, query, key):
    """Read off the snapshot: layer_N.npy is (examples, heads, T, T)."""
    with zipfile.ZipFile(folder / f"patterns/step_{step:06d}.npz") as npz:
        raw = npz.read(f"layer_{layer}.npy")
    end = 10 + int.from_bytes(raw[8:10], "little")
    shape = ast.literal_eval(raw[10:end].decode())["shape"]
    place = ((example * shape[1] + head) * shape[2] + query) * shape[3] + key
    return array.array("f", raw[end:])[place]


class Page:
    def __init__(self):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd(
            "Network.emulateNetworkConditions",
            {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
        )

    def use(self, folder):
        """From now on the run in that folder is looked at, and what it says compared with its files."""
        self.folder = folder
        with open(folder / "heads.csv", encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))

    def size(self, width, height, theme):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        features = [
            {"name": "prefers-color-scheme", "value": theme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, name="report.html"):
        self.driver.get((self.folder / name).as_uri())
        self.wait(lambda: self.script("return document.documentElement.dataset.ready === 'true'"), "the page is ready")

    def wait(self, condition, what):
        for _ in range(200):
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"not within 10 seconds: {what}")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def reading(self, step, layer, head, metric):
        wanted = (str(step), str(layer), str(head), metric)
        found = [r for r in self.rows if (r["step"], r["layer"], r["head"], r["metric"]) == wanted]
        assert len(found) == 1, wanted
        return float(found[0]["value"])

    def silent(self):
        messages = self.driver.get_log("browser")
        assert messages == [], messages


def check_texts(page):
    assert page.text("h1") == "made-up <b>run</b>", page.text("h1")
    assert page.all("h1 b, img, option b") == []
    shown = page.one("#example").get_attribute("textContent")
    for token in ("</script><b>", "&amp;", "<img/src=x/onerror=alert(1)>", "]]>\u2028\u202e\ufffe", "\"'e"):
        assert token in shown, (token, shown)
    assert "accuracy 87.5%" in page.text("#subtitle")


def check_slider(page):
    assert page.text("#step") == "step 70"
    page.one("#slider").send_keys(Keys.ARROW_LEFT)
    page.wait(lambda: page.text("#step") == "step 60", "the slider moves by a key")
    move_slider(page, 2)
    page.wait(lambda: page.text("#step") == "step 20", "the slider moves by hand")
    page.one("h1").click()
    page.keys(Keys.ARROW_RIGHT)
    page.wait(lambda: page.text("#step") == "step 30", "keys move the slider from anywhere")
    page.wait(lambda: page.text("[data-head=L0H1] .value") == f"{page.reading(30, 0, 1, 'offset(-2)'):.2f}", "the score of step 30")
    page.keys(" ")
    page.wait(lambda: page.one("#play").get_attribute("aria-pressed") == "true", "space plays")
    page.wait(lambda: page.one("#play").get_attribute("aria-pressed") == "false", "it stops at the end")
    assert page.text("#step") == "step 70"


def move_slider(page, place):
    page.script("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('input'))", page.one("#slider"), place)


def choose(page, select, value):
    page.script("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'))", page.one(f"#{select}"), value)


def hover(page, canvas, query, key):
    """Moves the pointer over a cell of the map, which says where its cells lie; returns the value that is shown."""
    left, top, cell = (float(canvas.get_attribute(f"data-{name}")) for name in ("left", "top", "cell"))
    box = page.script("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", canvas)
    x, y = left + (key + 0.5) * cell - box[0] / 2, top + (query + 0.5) * cell - box[1] / 2
    ActionChains(page.driver).move_to_element_with_offset(canvas, int(x), int(y)).perform()
    page.wait(lambda: page.text("#readout").startswith(f"query {query} "), "the pointer's query is read out")
    found = re.match(r"query (\d+) “.*” → key (\d+) “.*”: weight ([\d.]+)$", page.text("#readout"))
    assert (int(found[1]), int(found[2])) == (query, key), found[0]
    return float(found[3])


def check_head(page):
    page.one("#grids [data-head=L0H1]").click()
    page.wait(lambda: page.text("#detail-title") == "L0H1", "a click enlarges the head")
    assert page.text("#detail-label").startswith("offset(-2) (looks 2 tokens back): score ")
    canvas = page.one("#view canvas")
    for query, key in ((5, 3), (9, 7), (6, 12)):
        value = hover(page, canvas, query, key)
        expected = weight_at(page.folder, 70, 0, 1, 0, query, key)
        assert abs(value - expected) < 0.005, (query, key, value, expected)
    choose(page, "example", 2)
    move_slider(page, 0)
    page.wait(lambda: page.text("#step") == "step 0", "step 0 of example 2")
    value = hover(page, canvas, 6, 12)
    expected = weight_at(page.folder, 0, 0, 1, 2, 6, 12)
    assert abs(value - expected) < 0.005, (value, expected)
    canvas.send_keys(Keys.ARROW_LEFT)
    assert page.text("#readout").startswith("query 6 ") and "key 11 " in page.text("#readout"), "arrow keys move through the map"
    metrics = [option.get_attribute("value") for option in page.all("#metric option")]
    assert "entropy" in metrics and "importance" not in metrics, f"one step makes no curve: {metrics}"
    for metric, dots in (("offset(-2)", 1), ("entropy", 0), ("entropy.normalised", 0), ("distance", 0), ("js(L0H2)", 0)):
        choose(page, "metric", metric)
        assert len(page.all("#life .birth")) == dots, f"{metric}: a dot where the head left its baseline"
    for view in ("lines", "computation", "map"):
        page.one(f"[data-view={view}]").click()
        assert page.one("#view").size["height"] > 20
    page.keys(Keys.ESCAPE)
    assert not page.one("#detail").is_displayed()
    move_slider(page, 7)


def column(page, place):
    return [cell.text for cell in page.all(f"#rows tbody td:nth-child({place})")]


def check_table(page, step=70, heads=6):
    for place, metric, digits in ((5, "entropy", 3), (6, "distance", 2)):
        shown = dict(zip(column(page, 1), column(page, place)))
        assert len(shown) == heads
        for name, value in shown.items():
            expected = page.reading(step, int(name[1]), int(name[3]), metric)
            assert value == f"{expected:.{digits}f}", (name, metric, value, expected)
    for place, metric in ((7, "importance"), (8, "loss_without")):
        shown, expected = float(column(page, place)[0]), page.reading(step, 0, 0, metric)
        assert abs(shown - expected) < 0.01 * abs(expected), (metric, shown, expected)
    button = page.one("#rows th:nth-child(5) button")
    page.script("arguments[0].scrollIntoView({ block: 'center' })", button)
    before = column(page, 5)
    button.click()
    assert column(page, 5) == sorted(before, key=float, reverse=True) != before
    assert page.one("#rows th:nth-child(5)").get_attribute("aria-sort") == "descending"
    button.click()
    assert column(page, 5) == sorted(before, key=float)


def check_words(page):
    """A head's verdict is as in the program heads: its own where that is yes, else its group's, else its own."""
    verdicts = dict(zip(column(page, 1), column(page, 9)))
    assert verdicts == {
        "L0H0": "yes (as 2)", "L0H1": "no (as 2)", "L0H2": "yes", "L1H0": "no", "L1H1": "–", "L1H2": "yes"
    }, verdicts
    assert "L1H2 finds the noun that belongs to an adjective (faithful)" in page.text("#found"), page.text("#found")
    page.one("#grids [data-head=L0H0]").click()
    page.wait(lambda: page.text("#detail-label").endswith(", faithful, as a group of 2"), "the verdict of a group is told")
    page.one("#close").click()


def check_phone(page):
    wide = page.script("return document.documentElement.scrollWidth")
    assert wide <= 360, f"the page is {wide} wide on a phone of 360"
    page.one("#grids [data-head=L1H2]").click()
    page.wait(lambda: page.text("#detail-title") == "L1H2", "a head opens on a phone")
    assert page.script("return document.documentElement.scrollWidth") <= 360
    page.one("#close").click()
    assert page.script("return document.documentElement.dataset.theme") == "dark"
    page.one("#theme").click()
    assert page.script("return document.documentElement.dataset.theme") == "light"


def check_made_up_run(page):
    page.size(1400, 1000, "light")
    page.open()
    for check in (check_texts, check_slider, check_head, check_table, check_words):
        check(page)
    page.silent()
    page.size(360, 740, "dark")
    page.open()
    check_phone(page)
    page.silent()


def check_computation(page, query, key, weight):
    """Worked anew from q and k, the weight is the one that was recorded."""
    page.one("[data-view=computation]").click()
    page.wait(lambda: page.all("#view .stages") != [], "the computation is unpacked")
    for name, value in (("Query", query), ("Key", key)):
        page.script("const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
                    f"[data-choice={name}]", value)
    buttons = [b for b in page.all("#view button") if b.text == "All"]
    page.script("arguments[0].click()", buttons[0])
    found = re.search(r"softmax = ([\d.]+)", page.text("#view .stages"))
    assert abs(float(found[1]) - weight) < 0.0011, (found[0], weight)
    assert len(page.all("#view .stages li")) == 6
    page.one("[data-view=map]").click()


def check_trained_run(page):
    """A solved copy task: layer 1 has a head that looks 11 back, and the page says so."""
    page.size(1400, 1000, "dark")
    page.open()
    last = max(int(row["step"]) for row in page.rows)
    found = page.text("#found")
    name = re.search(r"L1H\d", found)[0]
    assert "11 tokens back" in found and "faithful" in found, found
    layer, head = int(name[1]), int(name[3])
    cell = f"#grids [data-head={name}]"
    assert page.text(f"{cell} .value") == f"{page.reading(last, layer, head, 'offset(-11)'):.2f}"
    move_slider(page, 0)
    page.wait(lambda: page.text("#step") == "step 0", "the untrained network")
    page.wait(lambda: page.text(f"{cell} .value") == f"{page.reading(0, layer, head, 'offset(-11)'):.2f}", "its score")
    page.one(cell).click()
    page.wait(lambda: page.text("#detail-title") == name, "the head opens")
    for place, step in ((0, 0), (len({row["step"] for row in page.rows}) - 1, last)):
        move_slider(page, place)
        page.wait(lambda: page.text("#step") == f"step {step}", "the slider moves")
        value = hover(page, page.one("#view canvas"), 15, 4)
        expected = weight_at(page.folder, step, layer, head, 0, 15, 4)
        assert abs(value - expected) < 0.005, (step, value, expected)
    check_computation(page, 15, 4, expected)
    page.one("#close").click()
    check_table(page, last, 8)
    page.silent()


def check_two_runs(page, other):
    page.size(1400, 1000, "light")
    page.open(f"against-{other}.html")
    assert page.text("h1") == f"{page.folder.name} against {other}", page.text("h1")
    assert len(page.all("#grids .run")) == 2 and len(page.all("#rows tbody tr")) == 16
    page.one("#grids [data-run='0'][data-head=L1H0]").click()
    page.wait(lambda: page.one("#partner").is_displayed(), "the match stands beside the head")
    match = page.one("#grids .match")
    assert match.get_attribute("data-run") == "1"
    assert f"{other} {match.get_attribute('data-head')}" in page.text("#partner"), page.text("#partner")
    assert len(page.all("#pair canvas")) == 2
    page.silent()


def train(program, config, folder, *overrides):
    subprocess.run([program, config, "--quiet", "--out", folder, *overrides], check=True)


def main():
    make_report, train_program, heads_program = sys.argv[1:]
    config = Path(__file__).resolve().parents[2] / "configs/copy_task.ini"
    with tempfile.TemporaryDirectory() as name:
        made, one, two = (Path(name) / run for run in ("made", "one", "two"))
        made.mkdir()
        subprocess.run([make_report, made], check=True)
        train(train_program, config, one)
        train(train_program, config, two, "train.steps=20", "train.seed=2")
        subprocess.run([heads_program, one, "--against", two], check=True, stdout=subprocess.DEVNULL)
        page = Page()
        try:
            page.use(made)
            check_made_up_run(page)
            page.use(one)
            check_trained_run(page)
            check_two_runs(page, "two")
        finally:
            page.driver.quit()
    print("the reports show what their files say")


main()
