#!/usr/bin/python3
"""Opens a report in Chromium, from a file with the network off, uses it as a reader would, and compares what it shows
with the files that it was made of.

A report of a made-up run and real ones: of a copy task that the program train solved, of one with many tokens, of two runs
side by side, of a text with masks to fill, also against a treebank, and the page of a sweep.

usage: browser.py MAKE_REPORT TRAIN HEADS ABLATE

Exits with 77, which ctest reports as skipped, where chromium, chromium-driver or python3-selenium is not installed.
"""

import array
import ast
import csv
import html
import json
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



def array_in(npz, name):
    """An array of an archive: its numbers, row-major, and its shape."""
    raw = npz.read(f"{name}.npy")
    end = 10 + int.from_bytes(raw[8:10], "little")
    header = ast.literal_eval(raw[10:end].decode())
    return array.array({"<f4": "f", "<i4": "i"}[header["descr"]], raw[end:]), header["shape"]


def read_array(folder, step, name):
    """An array of a snapshot."""
    with zipfile.ZipFile(folder / f"patterns/step_{step:06d}.npz") as npz:
        return array_in(npz, name)


def map_of(folder, step, layer, head, example):
    """The rows of a head's weights: layer_N.npy is (examples, heads, T, T)."""
    numbers, shape = read_array(folder, step, f"layer_{layer}")
    size = shape[2] * shape[3]
    begin = (example * shape[1] + head) * size
    return [numbers[begin + i:begin + i + shape[3]] for i in range(0, size, shape[3])]


def weight_at(folder, step, layer, head, example, query, key):
    return map_of(folder, step, layer, head, example)[query][key]


def answers_of(folder, step, example):
    """What was asked and answered: position -> (target, prediction)."""
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    targets, (_, n) = read_array(folder, step, "targets")
    logits, (_, _, size) = read_array(folder, step, "logits")
    answers = {}
    for i in range(n):
        if targets[example * n + i] >= 0:
            row = logits[(example * n + i) * size:(example * n + i + 1) * size]
            answers[i] = (vocabulary[targets[example * n + i]], vocabulary[max(range(size), key=row.__getitem__)])
    return answers


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
        """The page has nothing to complain of; that pixels are read is this test's doing."""
        messages = [m for m in self.driver.get_log("browser") if "getImageData" not in m["message"]]
        assert messages == [], messages


def check_texts(page):
    assert page.text("h1") == "made-up <b>run</b>", page.text("h1")
    assert page.all("h1 b, img, option b") == []
    shown, opened, whole = page.one("#example").get_attribute("textContent"), example_shown(page), set()
    for example in range(len(page.all("#example option"))):
        choose(page, "example", example)
        for written, said in page.script("""return [...document.querySelectorAll(".tokens li:not(.rows)")].map((li) =>
                [li.querySelector("b").textContent, li.title]);"""):
            whole.add(re.match(r"position \d+: (.*?)(, target .*)?$", said)[1])
            assert len(written) <= 24, written
    choose(page, "example", opened)
    for token in ("</script><b>", "&amp;", "<img/src=x/onerror=alert(1)>", "]]>\\u{200b}\\u{202e}\\u{fffe}", "\"'e"):
        short = token if len(token) <= 24 else token[:23] + "…"
        assert short in shown, (short, shown)
        assert token in whole, (token, whole)
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


def is_playing(page):
    return page.one("#play").get_attribute("aria-pressed") == "true"


def check_keys(page):
    """Space plays and pauses whatever has focus, and presses no button; Home and End are the first and the last step."""
    choose(page, "pace", "slow")
    closed_head, scale = "#grids [data-head=L0H1]", page.one("#scale-choice").get_property("value")
    for selector in ("#play", "#theme", closed_head, "#scale-choice", "#slider", "#rows th button"):
        theme = page.script("return document.documentElement.dataset.theme")
        first = page.script("return document.querySelector('#rows tbody tr').dataset.head")
        move_slider(page, 0)
        page.script("arguments[0].focus()", page.one(selector))
        for on in (True, False):
            page.keys(" ")
            page.wait(lambda: is_playing(page) == on, f"space with focus on {selector}")
        assert page.script("return document.activeElement === arguments[0]", page.one(selector)), selector
        assert not page.one("#detail").is_displayed(), "space selects no head"
        assert page.script("return document.documentElement.dataset.theme") == theme, "space leaves the theme"
        assert page.script("return document.querySelector('#rows tbody tr').dataset.head") == first, "space sorts nothing"
        assert page.one("#scale-choice").get_property("value") == scale
    page.script("""const field = document.createElement("input");
        field.id = "field";
        document.querySelector("main").append(field);
        field.focus();""")
    page.keys(" ")
    assert page.one("#field").get_property("value") == " " and not is_playing(page), "a text field keeps its spaces"
    page.script("document.getElementById('field').remove()")
    page.one("#scale-choice").click()
    page.keys(" ")
    assert not is_playing(page), "an open list keeps its keys"
    page.keys(Keys.ENTER)
    choose(page, "scale-choice", scale)
    released = "return !arguments[0].dispatchEvent(new KeyboardEvent('keyup', { key: ' ', bubbles: true, cancelable: true }))"
    assert page.script(released, page.one("#theme")), "some browsers press a button only when its key is released"
    for selector in ("#theme", closed_head, "#slider"):
        page.script("arguments[0].focus()", page.one(selector))
        for key, step in ((Keys.HOME, 0), (Keys.END, 70)):
            page.keys(key)
            page.wait(lambda: page.text("#step") == f"step {step}", f"step {step} by a key with focus on {selector}")
    choose(page, "pace", "normal")


def address(page):
    return page.script("return location.hash")


def check_address(page):
    """Each head that is opened or closed is an entry of the browser's history, with an address to share."""
    entries = page.script("return history.length")
    for name in ("L0H1", "L1H0"):
        cell = page.one(f"#grids [data-head={name}]")
        page.script("arguments[0].scrollIntoView({ block: 'center' })", cell)
        cell.click()
        assert address(page) == f"#{name}", address(page)
    page.keys(Keys.ESCAPE)
    assert address(page) == "" and not page.driver.current_url.endswith("#"), page.driver.current_url
    assert page.script("return history.length") == entries + 3, "an entry for each"
    for name in ("L1H0", "L0H1"):
        page.driver.back()
        page.wait(lambda: page.text("#detail-title") == name, f"back to {name}")
        assert address(page) == f"#{name}"
    page.driver.back()
    page.wait(lambda: not page.one("#detail").is_displayed(), "back to where no head was open")
    page.driver.forward()
    page.wait(lambda: page.one("#detail").is_displayed() and page.text("#detail-title") == "L0H1", "forward to the head")
    assert page.script("return history.length") == entries + 3, "going back and forward adds none"
    page.one("#close").click()
    assert address(page) == ""


def move_slider(page, place):
    page.script("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('input'))", page.one("#slider"), place)


def choose(page, select, value):
    page.script("const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'))", page.one(f"#{select}"), value)


def hover(page, canvas, query, key, what="weight"):
    """Moves the pointer over a cell of the map, which says where its cells lie; returns the value that is shown."""
    left, top, cell = (float(canvas.get_attribute(f"data-{name}")) for name in ("left", "top", "cell"))
    box = page.script("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", canvas)
    x, y = left + (key + 0.5) * cell - box[0] / 2, top + (query + 0.5) * cell - box[1] / 2
    ActionChains(page.driver).move_to_element_with_offset(canvas, int(x), int(y)).perform()
    page.wait(lambda: page.text("#readout").startswith(f"query {query} "), "the pointer's query is read out")
    found = re.match(rf"query (\d+) “.*” → key (\d+) “.*”: {what} ((?:about )?[-+]?[\d.]+)$", page.text("#readout"))
    assert (int(found[1]), int(found[2])) == (query, key), found[0]
    return found[3]


def example_shown(page):
    return int(page.one("#example").get_property("value"))


def check_opening(page):
    """The page opens on the example that shows most of what heads labelled offset(k) do, and of right answers."""
    last, labels = max(int(row["step"]) for row in page.rows), dict(zip(column(page, 1), column(page, 2)))
    skilled = {name: int(label[7:-1]) for name, label in labels.items() if label.startswith("offset(")}
    assert skilled != {} and set(labels.values()) <= {"mixed", "uniform", *(f"offset({k})" for k in skilled.values())}, labels
    examples = range(len(page.all("#example option")))
    shows = [[sum(target == prediction for target, prediction in answers_of(page.folder, last, e).values()) for e in examples]]
    for name, k in skilled.items():
        maps = [map_of(page.folder, last, int(name[1]), int(name[3]), e) for e in examples]
        shows.append([sum(row[i + k] for i, row in enumerate(rows) if 0 <= i + k < len(rows)) for rows in maps])
    scores = [sum(show[e] / max(show) for show in shows) for e in examples]
    assert scores[example_shown(page)] > max(scores) - 0.005 and min(scores) < max(scores) - 0.02, scores


def hue_count(page, canvas, variable):
    """How many pixels under the map have the colour."""
    return page.script("""
        const probe = document.createElement("i"), c = arguments[0];
        probe.style.color = `var(${arguments[1]})`;
        document.body.append(probe);
        const [r, g, b] = getComputedStyle(probe).color.match(/[0-9]+/g).map(Number);
        probe.remove();
        const under = Number(c.dataset.cell) * Number(c.dataset.tokens);
        const d = c.getContext("2d").getImageData(0, under + 2, c.width, c.height - under - 2).data;
        let n = 0;
        for (let i = 0; i < d.length; i += 4) {
            n += d[i + 3] > 128 && Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 40;
        }
        return n;""", canvas, variable)


def check_answers(page, step, written):
    """Targets and predictions are those of the snapshot: above the maps and, `written` out or as signs, under each."""
    page.wait(lambda: page.text("#step") == f"step {step}", f"step {step}")
    expected = answers_of(page.folder, step, example_shown(page))
    shown = page.script("""return [...document.querySelectorAll(".tokens li:not(.rows)")].map((li) =>
        [li.className, li.querySelector("span")?.textContent, li.querySelector("em")?.textContent]);""")
    for i, (kind, target, answer) in enumerate(shown):
        if i in expected:
            right = expected[i][0] == expected[i][1]
            assert (kind, target) == ("right" if right else "wrong", expected[i][0]), (step, i, shown[i], expected[i])
            assert answer == f"{'✓' if right else '✗'} {expected[i][1]}", (step, i, answer, expected[i])
        else:
            assert kind == "" and answer is None, (step, i, kind)
    right = sum(target == prediction for target, prediction in expected.values())
    assert f"{right} of {len(expected)} right at step {step}" in page.text(".example p")
    for cell in page.all("#grids .cell"):
        canvas, under = cell.find_element(By.TAG_NAME, "canvas"), cell.find_element(By.CSS_SELECTOR, ".answers").text
        assert canvas.get_attribute("data-letters") == ("true" if written else "false")
        assert under.split() == ([] if written else ["✓", str(right), "✗", str(len(expected) - right)]), under
        assert (hue_count(page, canvas, "--accent") > 0) == (right > 0), "right in its colour"
        assert (hue_count(page, canvas, "--second") > 0) == (right < len(expected)), "wrong in its colour"


def pixel(page, canvas, query, key):
    """The colour of a cell of a small map."""
    return page.script("""
        const c = arguments[0], cell = Number(c.dataset.cell), side = Number(c.dataset.side);
        return [...c.getContext("2d").getImageData(side + (arguments[2] + 0.5) * cell, (arguments[1] + 0.5) * cell, 1, 1).data];
        """, canvas, query, key)[:3]


def lightness(colour):
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def scale_end(page, place):
    return page.script("return [...document.getElementById('scale').getContext('2d').getImageData(arguments[0], 0, 1, 1).data]",
                       place)[:3]


def check_scale(page, layer, head):
    """Much attention is dark on a light page and light on a dark one; each head may have a scale of its own."""
    step = int(page.text("#step").split()[1])
    rows = map_of(page.folder, step, layer, head, example_shown(page))
    places = [(row[k], q, k) for q, row in enumerate(rows) for k in range(len(rows))]
    (most, *at), (few, *low) = max(places), min(places)
    canvas, top = page.one(f"#grids [data-head=L{layer}H{head}] canvas"), f"#grids [data-head=L{layer}H{head}] .top"
    for theme in ("dark", "light"):
        if page.script("return document.documentElement.dataset.theme") != theme:
            page.one("#theme").click()
        choose(page, "scale-choice", "same")
        assert page.text("#scale-top") == "1"
        same = pixel(page, canvas, *at)
        choose(page, "scale-choice", "own")
        page.wait(lambda: page.text("#scale-top") == "the head’s maximum" and page.text(top) != "", "each head has its maximum")
        assert page.text(top) == f"max {most:.3f}", (page.text(top), most)
        own, least = pixel(page, canvas, *at), pixel(page, canvas, *low)
        assert own == scale_end(page, 255), "the largest weight has the scale's last colour"
        assert least == scale_end(page, 0) or few > most / 300, "no weight has its first"
        assert (lightness(own) > lightness(least)) == (theme == "dark"), (theme, own, least)
        assert (lightness(least) < 100) == (theme == "dark"), "the map is dark in the dark alone"
        assert abs(lightness(own) - lightness(least)) > 1.3 * abs(lightness(same) - lightness(least)) or most > 0.8
    choose(page, "scale-choice", "same")


def check_classes(page):
    """Classes stand in the order of their cases; a cell of the matrix is told in words, found by pointer and by keys."""
    assert "macro F1 75.0%" in page.text("#subtitle"), page.text("#subtitle")
    assert page.one("#macro_f1 svg").is_displayed() and not page.one("#perplexity").is_displayed()
    rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in page.all(".class-table tbody tr")]
    hostile = "</script><b>,\"q\""
    assert rows == [["NOUN", "50", "53", "44", "83.0%", "88.0%", "85.4%"],
                    [hostile, "40", "38", "36", "94.7%", "90.0%", "92.3%"],
                    ["rare", "2", "0", "0", "–", "0.0%", "0.0%"],
                    ["never", "0", "1", "0", "0.0%", "–", "0.0%"]], rows
    assert page.text(".confusion-readout") == f"“NOUN” taken for “{hostile}”: 5 of 50 cases, 10.0%"
    canvas = page.one(".confusion canvas")
    side, cell = (float(canvas.get_attribute(f"data-{name}")) for name in ("side", "cell"))
    page.script("arguments[0].scrollIntoView({ block: 'center' })", canvas)
    size = page.script("const b = arguments[0].getBoundingClientRect(); return [b.width, b.height]", canvas)
    place = [round(side + (at + 0.5) * cell - total / 2) for at, total in zip((0, 2), size)]
    ActionChains(page.driver).move_to_element_with_offset(canvas, *place).perform()
    assert page.text(".confusion-readout") == "“rare” taken for “NOUN”: 2 of 2 cases, 100.0%", page.text(".confusion-readout")
    page.script("arguments[0].focus()", canvas)
    page.keys(Keys.ARROW_UP, Keys.ARROW_RIGHT)
    assert page.text(".confusion-readout") == f"“{hostile}” found: 36 of 40 cases, 90.0%", page.text(".confusion-readout")
    dark, light = (lightness(page.script("return [...arguments[0].getContext('2d').getImageData(arguments[1], arguments[2], 1, 1).data]",
                                         canvas, round(side + x * cell) + 3, round(side + y * cell) + 3)) for x, y in ((0, 0), (2, 0)))
    assert dark + 100 < light, (dark, light)


def joined_of(folder, layer, head, example):
    """The rows of a head's weights among words, as the library joins them."""
    with zipfile.ZipFile(folder / "words.npz") as npz:
        maps, (_, heads, most, _) = array_in(npz, f"layer_{layer}")
        lengths, _ = array_in(npz, "lengths")
    begin = (example * heads + head) * most * most
    return [maps[begin + a * most:begin + a * most + lengths[example]] for a in range(lengths[example])]


def check_words_of_text(page):
    """On text a switch shows words in the place of tokens: what a word gives to another is what the library says."""
    page.open("words.html")
    assert page.one("#unit-label").is_displayed(), "there is a switch"
    page.one("#grids [data-head=L0H1]").click()
    page.one("[data-view=computation]")
    for example in (0, 3):
        choose(page, "example", str(example))
        choose(page, "unit", "words")
        rows = joined_of(page.folder, 0, 1, example)
        assert page.one("#grids [data-head=L0H1] canvas").get_attribute("data-tokens") == str(len(rows))
        assert not page.one("[data-view=computation]").is_displayed(), "no step by step of words"
        canvas = page.one("#view canvas")
        for query, key in ((1, 0), (2, 1), (len(rows) - 1, len(rows) - 2), (0, len(rows) - 1)):
            shown, expected = hover(page, canvas, query, key), rows[query][key]
            if shown.startswith("about "):
                assert re.fullmatch(r"about \d\.\d\d", shown) and abs(float(shown[6:]) - expected) < 0.0075, (query, key, shown, expected)
            else:
                assert shown == f"{expected:.3f}", (example, query, key, shown, expected)
            assert f"query {query} “{query}<w>” → key {key} “{key}<w>”" in page.text("#readout"), page.text("#readout")
        choose(page, "unit", "tokens")
        assert page.one("#grids [data-head=L0H1] canvas").get_attribute("data-tokens") != str(len(rows))
    page.silent()
    page.open()
    assert not page.one("#unit-label").is_displayed(), "no words, no switch"


def check_pace(page):
    """Slow, normal and fast: how long the first step stays."""
    times = {}
    for pace, key in (("slow", Keys.HOME), ("fast", Keys.END)):
        page.one("#pace").send_keys(key)
        assert page.one("#pace").get_property("value") == pace, "a key chooses the pace"
        times[pace] = page.driver.execute_async_script("""
            const done = arguments[arguments.length - 1], text = document.getElementById("step"), s = document.getElementById("slider");
            s.value = 0;
            s.dispatchEvent(new Event("input"));
            setTimeout(() => {
                const begin = performance.now();
                new MutationObserver((_, observer) => {
                    if (text.textContent !== "step 0") {
                        observer.disconnect();
                        document.getElementById("play").click();
                        done(performance.now() - begin);
                    }
                }).observe(text, { childList: true });
                document.getElementById("play").click();
            }, 100);""")
    normal = max(120, min(500, 8000 / (int(page.one("#slider").get_attribute("max")) + 1)))
    assert times["slow"] > 2.9 * normal and times["slow"] > 2 * times["fast"], (times, normal)
    choose(page, "pace", "normal")
    move_slider(page, int(page.one("#slider").get_attribute("max")))


def check_width(page):
    """The maps reach the right edge, of whatever screen."""
    for width in (1280, 1440, 1920):
        page.size(width, 1000, "light")
        page.open()
        room = page.script("const b = document.getElementById('heads').getBoundingClientRect(); return b.right")
        ends = page.script("""return [...document.querySelectorAll(".layer")].map((layer) =>
            Math.max(...[...layer.children].map((cell) => cell.getBoundingClientRect().right)));""")
        assert all(room - 40 < end <= room for end in ends), (width, room, ends)
    for beside, width in ((True, 1920), (False, 700)):  # the same page, made narrower
        page.size(width, 700, "light")
        page.wait(lambda: len(page.all(".run.beside")) == beside, f"the example beside the maps at {width}: {beside}")


def check_room(page, folder, heads):
    """One head a layer: the layers stand side by side and leave no room empty. With a head open all answers are seen, and many
    heads of a layer stand in several rows, none of them hidden."""
    page.use(folder)
    for width, height in ((1400, 1000), (1280, 720), (1920, 1080)):
        page.size(width, height, "light")
        page.open()
        names = page.script("return [...document.querySelectorAll('.cell')].map((cell) => cell.dataset.head)")
        assert len(names) == heads, names
        if heads == 2:
            check_large_maps(page, height)
        page.one("#grids [data-head=L0H0]").click()
        check_all_seen(page)
        assert all(page.script("return [arguments[0].clientWidth > 60, arguments[0].scrollWidth <= arguments[0].clientWidth + 1]", cell)
                   == [True, True] for cell in page.all(".cell")), "each head has room for its map and its name"
        page.one("#close").click()
    page.silent()


def check_all_seen(page):
    """With a head open no head and no answer is hidden."""
    box = page.script("const b = document.getElementById('heads').getBoundingClientRect(); return [b.left, b.right]")
    hidden = page.script("""return [...document.querySelectorAll(".cell, .tokens li")].filter((one) => {
        const b = one.getBoundingClientRect(), list = one.closest(".tokens")?.getBoundingClientRect();
        return b.left < arguments[0] || b.right > arguments[1] || (list !== undefined && (b.bottom > list.bottom + 1 || b.right > list.right + 1));
    }).map((one) => one.textContent);""", *box)
    assert hidden == [], hidden


def check_large_maps(page, height):
    """Both maps stand in one row and are seen whole; at most two fifths of the panel are empty."""
    maps = page.script("return [...document.querySelectorAll('.cell')].map((cell) => cell.getBoundingClientRect().toJSON())")
    assert maps[0]["top"] == maps[1]["top"] and maps[0]["right"] < maps[1]["left"], maps
    assert maps[1]["bottom"] < height - 50, "the maps end above the slider"
    panel = page.script("return document.getElementById('heads').getBoundingClientRect().toJSON()")
    room = (panel["right"] - panel["left"]) * (panel["bottom"] - maps[0]["top"])
    assert sum(one["width"] * one["height"] for one in maps) > 0.4 * room, (maps, panel)


def check_row(page):
    """Beside a label of more lines than the others' the maps of a row still stand at one height."""
    names, maps = page.script("""const row = document.querySelector("#grids .layer");
        row.querySelector(".label").textContent = "relation(pronoun_noun) ".repeat(3);
        const box = (part) => [...row.querySelectorAll(part)].map((one) => one.getBoundingClientRect());
        return [box(".name").map((name) => name.height), box("canvas").map((map) => map.top)];""")
    assert max(names) - min(names) > 10 and max(maps) - min(maps) < 1, (names, maps)


def check_not_cut(page, width, scrolling):
    """Nothing stands beyond the right edge, but for what scrolls in a box of its own."""
    beyond = page.script("""return [...document.body.querySelectorAll("*")].filter((one) => !one.closest(arguments[1]) &&
        one.getBoundingClientRect().right > arguments[0] + 0.5).map((one) => one.outerHTML.slice(0, 99));""", width, scrolling)
    assert beyond == [], beyond


def check_head(page):
    page.one("#grids [data-head=L0H1]").click()
    page.wait(lambda: page.text("#detail-title") == "L0H1", "a click enlarges the head")
    for place, step in ((3, 30), (7, 70)):
        move_slider(page, place)
        page.wait(lambda: page.text("#step") == f"step {step}", "the slider moves")
        value, baseline = page.reading(step, 0, 1, "offset(-2)"), r"\d\.\d{3}\."
        expected = f"L0H1 looks 2 tokens back ({page.reading(70, 0, 1, 'offset(-2)'):.2f}).\nStep 70: offset(-2) (looks 2 tokens back), not faithful, as a group of 2." + (
            f" Score {value:.3f}, baseline " if step == 70 else f"\nStep {step}: score {value:.3f}, baseline ")
        assert re.fullmatch(re.escape(expected) + baseline, page.text("#detail-label")), (value, page.text("#detail-label"))
    canvas = page.one("#view canvas")
    for query, key in ((5, 3), (9, 7), (6, 12)):
        value = hover(page, canvas, query, key)
        expected = weight_at(page.folder, 70, 0, 1, example_shown(page), query, key)
        assert value == f"{expected:.3f}", (query, key, value, expected)
    choose(page, "example", 2)
    move_slider(page, 0)
    page.wait(lambda: page.text("#step") == "step 0", "step 0 of example 2")
    value = hover(page, canvas, 6, 12)
    expected = weight_at(page.folder, 0, 0, 1, 2, 6, 12)
    assert value == f"{expected:.3f}", (value, expected)
    canvas.send_keys(Keys.ARROW_LEFT)
    assert page.text("#readout").startswith("query 6 ") and "key 11 " in page.text("#readout"), "arrow keys move through the map"
    metrics = [option.get_attribute("value") for option in page.all("#metric option")]
    groups = [group.get_attribute("label") for group in page.all("#metric optgroup")]
    assert groups == ["Where it looks", "How it looks", "Beside other heads"], groups
    words = page.script("return document.querySelector('#metric option[value=entropy]').textContent")
    assert words.startswith("entropy: how widely attention is spread, in nats"), words
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


def check_meanings(page):
    """Every question mark of the table's heads leads to a text of the page."""
    links = page.script("return [...document.querySelectorAll('th .word')].map((one) => one.getAttribute('href'))")
    assert len(links) == 8, links
    for link in links:
        text = page.script("return document.getElementById(arguments[0].slice(1)).querySelector('dd').textContent", link)
        assert len(text) > 20, (link, text)
    assert page.script("return document.querySelector('#word-label-mixed dd').textContent") == "does no one thing clearly"


def column(page, place):
    return [cell.text for cell in page.all(f"#rows tbody td:nth-child({place})")]


def check_table(page, step=70, heads=6):
    titles = [title.text for title in page.all("#rows th")]
    null = any(title.startswith("Null") for title in titles)  # of a run with a step 0, a column further on
    for place, metric, digits in ((5 + null, "entropy.normalised", 3), (6 + null, "distance", 2)):
        shown = dict(zip(column(page, 1), column(page, place)))
        assert len(shown) == heads
        for name, value in shown.items():
            expected = page.reading(step, int(name[1]), int(name[3]), metric)
            assert value == f"{expected:.{digits}f}", (name, metric, value, expected)
    for place, metric in ((7 + null, "importance"), (8 + null, "loss_without")):
        shown, expected = float(column(page, place)[0]), page.reading(step, 0, 0, metric)
        assert abs(shown - expected) < 0.01 * abs(expected), (metric, shown, expected)
    button = page.one(f"#rows th:nth-child({5 + null}) button")
    page.script("arguments[0].scrollIntoView({ block: 'center' })", button)
    before = column(page, 5 + null)
    button.click()
    assert column(page, 5 + null) == sorted(before, key=float, reverse=True) != before
    assert page.one(f"#rows th:nth-child({5 + null})").get_attribute("aria-sort") == "descending"
    button.click()
    assert column(page, 5 + null) == sorted(before, key=float)


def check_importance(page, heads_program):
    """A head's importance is one number: on the page as in the terminal, and with more digits in heads.csv and heads importance."""
    told = subprocess.check_output([heads_program, page.folder, "--wide"], text=True).splitlines()
    place = next(line for line in told if line.startswith("head ") and "importance" in line).split().index("importance")
    terminal = {line.split()[0]: line.split()[place] for line in told if re.match(r"L\d+H\d+ .* [\d.]+ +\d+\.\d\d ", line)}
    titles = [title.text.split("\n")[0].rstrip("?").strip() for title in page.all("#rows th")]
    assert dict(zip(column(page, 1), column(page, titles.index("Importance") + 1))) == terminal, (titles, terminal)
    exact = json.loads(subprocess.check_output([heads_program, "importance", page.folder, "--json"]))
    for head in exact["heads"]:
        written = page.reading(exact["step"], head["layer"], head["head"], "importance")
        assert abs(written - head["importance"]) <= 1e-8 * written, (written, head)
        text = terminal[f"L{head['layer']}H{head['head']}"]
        assert abs(float(text) / written - 1) < 0.005 and len(text.lstrip("0.").replace("e", "")) >= 3, (text, written)


def check_words(page):
    """A head's verdict is as in the program heads: its own where that is yes, else its group's, else its own."""
    verdicts = dict(zip(column(page, 1), column(page, 9)))
    assert verdicts == {
        "L0H0": "yes (as 2)", "L0H1": "no (as 2)", "L0H2": "yes", "L1H0": "no", "L1H1": "–", "L1H2": "yes"
    }, verdicts
    assert "L1H2 finds the noun that belongs to an adjective (faithful)" in page.text(".found"), page.text(".found")
    page.one("#grids [data-head=L0H0]").click()
    page.wait(lambda: ", faithful, as a group of 2. Score " in page.text("#detail-label"), "the verdict of a group is told")
    page.one("#close").click()


def check_phone(page):
    wide = page.script("return document.documentElement.scrollWidth")
    assert wide <= 360, f"the page is {wide} wide on a phone of 360"
    check_not_cut(page, 360, "pre, .tokens li, #detail")
    named = page.script("return getComputedStyle(document.querySelector('#rows tbody td:nth-child(5)'), '::before').content")
    assert named == '"Entropy"', f"on a phone each figure has its name: {named}"
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
    for check in (check_texts, check_classes, check_slider, check_keys, check_address, check_head, check_table, check_meanings, check_words, check_row):
        check(page)
    page.silent()
    page.size(360, 740, "dark")
    page.open()
    check_phone(page)
    page.silent()


def check_computation(page, query, key, weight):
    """Worked anew from q and k, the weight is the one that was recorded, and the page says it with the same digits everywhere."""
    last = page.text("#step")
    page.one("[data-view=computation]").click()
    page.wait(lambda: page.all("#view .stages") != [], "the computation is unpacked")
    for name, value in (("Query", query), ("Key", key)):
        page.script("const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
                    f"[data-choice={name}]", value)
    buttons = [b for b in page.all("#view button") if b.text == "All"]
    page.script("arguments[0].click()", buttons[0])
    assert f"weight = {weight:.3f}" in page.text("#view .stages"), (page.text("#view .stages"), weight)
    anew = page.script("return document.querySelectorAll('#view .stages li:nth-child(5) .strip i')[arguments[0]].title", key)
    assert abs(float(anew.split(" = ")[1]) - weight) < 0.000051, (anew, weight)
    assert page.text("#readout").endswith(f"weight {weight:.3f}"), page.text("#readout")
    move_slider(page, 0)
    page.wait(lambda: page.text("#readout").endswith(f"weight {weight:.3f} ({last})"), "the readout is of the step whose numbers are shown")
    assert f"weight = {weight:.3f}" in page.text("#view .stages")
    move_slider(page, int(page.one("#slider").get_attribute("max")))
    page.wait(lambda: page.text("#readout").endswith(f"weight {weight:.3f}"), "the last step again")
    assert len(page.all("#view .stages li")) == 11
    page.one("[data-view=map]").click()


def pick(page, name, value):
    """Chooses the query, the key or the heads of the view "Step by step"."""
    page.script("const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))",
                f"[data-choice={name}]", value)


def strips(page):
    """The digits of all rows of the view, in order: [name, numbers]."""
    return page.script("""return [...document.querySelectorAll("#view .vector")].map((row) =>
        [row.querySelector("span").textContent, [...row.querySelectorAll("i")].map((i) => i.textContent).join(" ")]);""")


def check_windows(page):
    """Layer 0 is global and lacks norm1; layer 1 has a window of 8 keys. The page works out the recorded weights of both."""
    page.size(1400, 1000, "light")
    page.open()
    last = max(int(row["step"]) for row in page.rows)
    for layer in (0, 1):
        page.one(f"#grids [data-head=L{layer}H0]").click()
        page.wait(lambda: page.text("#detail-title") == f"L{layer}H0", "the head opens")
        check_computation(page, 15, 12, weight_at(page.folder, last, layer, 0, example_shown(page), 15, 12))
        page.one("[data-view=computation]").click()
        page.wait(lambda: page.all("#view .stages") != [], "the numbers are unpacked")
        assert any(name == "norm1 of 15" for name, _ in strips(page)) == (layer == 1), strips(page)
        far = page.script("return document.querySelectorAll('#view .stages li:nth-child(5) .strip i')[4].title")
        assert (far.split(" = ")[1] in ("0", "0.0000")) == (layer == 1), far
        page.one("[data-view=map]").click()
        page.one("#close").click()


def check_by_hand(page, heads_program):
    """Lesson 1's example by hand stands on the page with the lesson's digits, for b in the place of a: the run validates on b
    alone. Then both heads, side by side and played."""
    page.size(1400, 1000, "light")
    page.open()
    wrote = json.loads(subprocess.check_output([heads_program, "writes", page.folder, "--json"]))
    direct = {writer["writer"]: writer["direct"] for writer in wrote["writers"]}
    assert page.text("#example option").startswith("0: b <sep> <mask>"), page.text("#example option")
    page.one("#grids [data-head=L0H0]").click()
    page.one("[data-view=computation]").click()
    page.wait(lambda: page.all("#view .stages") != [], "the numbers are unpacked")
    pick(page, "Query", 2)
    pick(page, "Key", 0)
    page.script("arguments[0].click()", next(b for b in page.all("#view button") if b.text == "All"))
    expected = [
        ("x of 2", "0.000 0.000 1.000 0.000"), ("x of 0", "0.000 1.000 0.000 0.000"), ("q of 2", "2.000 0.000"), ("k of 0", "2.000 0.000"),
        ("v of 0", "0.000 1.000"), ("q × k", "4.000 0.000"), ("all keys", "4.000 0.000 0.000"), ("scores", "2.828 0.000 0.000"),
        ("weights", "0.894 0.053 0.053"), ("v of 0", "0.000 1.000"), ("A × v", "0.000 0.894"), ("z", "0.000 0.894"),
        ("all heads", "0.000 0.894 0.053 0.894"), ("writes", "0.000 0.894 0.000 0.000"), ("y", "0.000 0.894 0.053 0.894"),
        ("x + y", "0.000 0.894 1.053 0.894"), ("norm1", "-1.711 0.443 0.825 0.443"), ("hidden", "-1.711 0.443 0.825 0.443"),
    ]
    assert [tuple(row) for row in strips(page)] == expected, strips(page)
    cells = [cell.text for cell in page.all(".to-answers td")]
    assert cells == ["2", "b", f"{direct['L0H0']:+.2f}", f"{wrote['logit']:.2f}"], (cells, direct)
    pick(page, "Heads", 1)
    assert len(page.all("#view .stages li:nth-child(2) .lane")) == 2, "both heads side by side"
    titles = [cell.text for cell in page.all(".to-answers :is(th, td)")]
    assert titles == ["Position", "Answer", "L0H0 adds", "L0H1 adds", "Logit", "2", "b", f"{direct['L0H0']:+.2f}", f"{direct['L0H1']:+.2f}",
                      f"{wrote['logit']:.2f}"], titles
    choose(page, "pace", "fast")
    page.script("arguments[0].click()", next(b for b in page.all("#view button") if b.text == "Play"))
    page.wait(lambda: 1 < len(page.all("#view .stages li")) < 11, "it plays on from the first stage")
    page.wait(lambda: len(page.all("#view .stages li")) == 11, "up to the last one")
    choose(page, "pace", "normal")
    pick(page, "Heads", 0)
    page.one("[data-view=map]").click()
    choose(page, "measure", "answer")
    page.wait(lambda: page.one("#measure-hint").is_displayed(), "the hint says what is shown")
    added = [float(hover(page, page.one("#view canvas"), 2, key, "adds to the answer")) for key in range(3)]
    assert abs(sum(added) - direct["L0H0"]) < 0.02 and max(added) == added[0], (added, direct)
    assert float(hover(page, page.one("#view canvas"), 0, 1, "adds to the answer")) == 0, "nothing is asked there"
    page.silent()


def check_norms(page, heads_program, layer, head, query, key):
    """Maps of norms are those of the program, whatever step the slider shows."""
    example = example_shown(page)
    made = json.loads(subprocess.check_output([heads_program, "map", page.folder, f"L{layer}H{head}", "--norms", "--example", str(example), "--json"]))
    expected = made["heads"][0]["weights"][query][key]
    choose(page, "measure", "norms")
    page.wait(lambda: page.one("#measure-hint").is_displayed(), "the hint says what is shown")
    shown = hover(page, page.one("#view canvas"), query, key, "share of norms")
    assert shown == f"{expected:.3f}", (shown, expected)
    choose(page, "measure", "weights")
    page.wait(lambda: not page.one("#measure-hint").is_displayed(), "weights need no hint")


def check_writes(page, heads_program, head):
    """The table and the sentence say what the program says of what a head writes."""
    wrote = json.loads(subprocess.check_output([heads_program, "writes", page.folder, "--json"]))
    rows = {writer["writer"]: writer for writer in wrote["writers"]}
    titles = [title.text.rstrip("?").strip() for title in page.all("#rows th")]
    shown = dict(zip(column(page, 1), zip(column(page, titles.index("Direct") + 1), column(page, titles.index("Copies") + 1))))
    assert shown == {name: (f"{rows[name]['direct']:.2f}", f"{rows[name]['copies']:.2f}{'*' * rows[name]['earns_copies']}") for name in shown}, shown
    told = page.text("#detail-label").split("\n")[0]
    assert "looks 11 tokens back" in told and f"adds {rows[head]['direct']:.1f} to the answer’s logit ({wrote['logit']:.1f} in all)" in told, told
    assert ("hands on which token stands there" in told) == rows[head]["earns_copies"], told


def check_trained_run(page, heads_program):
    """A solved copy task: layer 1 has a head that looks 11 back, and the page says so."""
    page.size(1400, 1000, "dark")
    page.open()
    last = max(int(row["step"]) for row in page.rows)
    found = page.text(".found")
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
        expected = weight_at(page.folder, step, layer, head, example_shown(page), 15, 4)
        assert value == f"{expected:.3f}", (step, value, expected)
    check_computation(page, 15, 4, expected)
    check_writes(page, heads_program, name)
    check_norms(page, heads_program, layer, head, 15, 4)
    page.one("#close").click()
    check_table(page, last, 8)
    check_importance(page, heads_program)
    check_opening(page)
    check_answers(page, last, True)
    check_scale(page, layer, head)
    move_slider(page, 0)
    check_answers(page, 0, True)
    check_scale(page, layer, head)
    check_pace(page)
    page.silent()
    check_width(page)
    page.size(390, 844, "dark")
    page.open()
    check_answers(page, last, True)
    assert all(float(canvas.get_attribute("data-side")) > 0 for canvas in page.all("#grids canvas")), "tokens on a phone"
    assert page.script("return document.documentElement.scrollWidth") <= 390
    check_not_cut(page, 390, "pre, .tokens li")
    check_strip(page)
    page.silent()


def check_strip(page):
    """On a phone the example's tokens, targets and answers stay above whichever heads are looked at, in one line."""
    page.script("[...document.querySelectorAll('.cell')].at(-1).scrollIntoView({ block: 'end' })")
    page.wait(lambda: page.script("return scrollY") > 200, "the last head is scrolled to")
    strip, head = page.script(
        "return [document.querySelector('.tokens'), [...document.querySelectorAll('.cell')].at(-1)]"
        ".map((element) => element.getBoundingClientRect().toJSON())"
    )
    assert 0 <= strip["top"] < 5 and strip["bottom"] < head["bottom"], (strip, head)
    assert strip["height"] < 120 and strip["right"] <= 390, strip
    assert page.script("return document.elementFromPoint(60, 10).closest('.tokens') !== null"), "nothing lies over it"


def check_long_run(page):
    """Where most heads spread their attention over many tokens, each has a scale of its own from the start. Of two steps no
    halves stand below a curve."""
    page.size(1400, 1000, "light")
    page.open()
    assert page.one("#scale-choice").get_property("value") == "own"
    check_scale(page, 0, 0)
    steps = [text.text for text in page.all("#loss text")][-4:]
    assert steps == ["0", "1", "2", "step"], steps
    page.one("#grids [data-head=L0H0]").click()
    check_all_seen(page)
    page.silent()


def check_pooled(page, folders):
    """An answer that is read from the mean of all positions stands at none; one that is read from [CLS] stands there."""
    for folder, is_mean in zip(folders, (True, False), strict=True):
        page.use(folder)
        for width in (1400, 390):
            page.size(width, 900, "light")
            page.open()
            items = page.script("""return [...document.querySelectorAll(".tokens li:not(.rows)")].map((li) =>
                [li.querySelector("small").textContent, li.querySelector("b").textContent, li.querySelector("em") !== null]);""")
            whole = [[f"0–{len(items) - 2}", "mean", True]] if is_mean else []
            assert items[:len(whole) + 1] == [*whole, ["0", "[CLS]", not is_mean]], items
            assert sum(item[2] for item in items) == 1, items
            canvas = page.one("#grids .cell canvas")
            signs = hue_count(page, canvas, "--accent") + hue_count(page, canvas, "--second")
            assert (signs > 0) == (not is_mean), "no sign under the map's first column"
            is_written = canvas.get_attribute("data-letters") == "true"
            assert (page.text("#grids .cell .answers") == "") == is_written and not (is_mean and is_written), "the answer under the map"
            page.one("#grids .cell").click()
            large = page.one("#view canvas")
            left, size = (float(large.get_attribute(f"data-{name}")) for name in ("left", "cell"))
            beside = page.script("return arguments[0].getBoundingClientRect().width", large) - left - size * int(canvas.get_attribute("data-tokens"))
            assert (beside > 20) == (not is_mean), "room for answers right of the queries"
            answer = page.text(".tokens li:not(.rows) em")
            assert not is_mean or answer.split()[-1] in large.get_attribute("data-whole"), (answer, large.get_attribute("data-whole"), width)
            assert page.script("return document.documentElement.scrollWidth") <= width
            page.one("#close").click()
    page.silent()


def check_open_answers(page):
    """A mask that somebody wrote is filled, and the answer is neither right nor wrong, in words or in colour."""
    for width, theme in ((1400, "light"), (390, "dark")):
        page.size(width, 1000, theme)
        page.open()
        for example, n in ((0, 1), (1, 6)):
            choose(page, "example", example)
            answers = [answer.text for answer in page.all(".tokens .open em")]
            assert len(answers) == n and all(re.match(r"→ \S+$", answer) for answer in answers), answers
            assert page.text(".example p") == f"Example {example}: {n} open answer{'s' if n > 1 else ''} at step 2"
            cell = page.one("#grids .cell")
            under = cell.find_element(By.CSS_SELECTOR, ".answers").text
            assert under == (answers[0] if n == 1 else "6 open answers"), under
            assert hue_count(page, cell.find_element(By.TAG_NAME, "canvas"), "--second") == 0, "not as a wrong one"
        assert "nobody knows the right one" in page.one(".tokens .open").get_attribute("title")
    page.silent()


def found_of_relation(folder, relation):
    """What each head finds of it at each step, held out, by syntax.csv: {"L0H1": [share, ...]}."""
    counts = {}
    with open(folder / "syntax.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["relation"] == relation:
                place = counts.setdefault(f"L{row['layer']}H{row['head']}", {}).setdefault(int(row["step"]), {})
                place[row["direction"], row["half"]] = int(row["hits"]) / int(row["cases"])
    found = {}
    for head, steps in counts.items():
        ways = [max(("d>h", "h>d"), key=lambda way, at=at: at[way, "0"]) for _, at in sorted(steps.items())]
        found[head] = [at[way, "1"] for way, (_, at) in zip(ways, sorted(steps.items()))]
    return found


def check_relations(page):
    """Life-lines of a treebank's relation: the best heads as curves, all heads with what they find at the end."""
    for width, theme in ((1400, "dark"), (390, "light")):
        page.size(width, 1000, theme)
        page.open()
        assert [option.get_attribute("value") for option in page.all("#life-relation option")] == ["", "det", "nsubj", "obj"]
        assert not page.one("#life-chart").is_displayed()
        choose(page, "life-relation", "obj")
        assert "In how many of the 60 held-out cases" in page.text("#life-relation-hint")
        found = found_of_relation(page.folder, "obj")
        shown = {life.find_element(By.TAG_NAME, "strong").text: float(life.find_element(By.TAG_NAME, "span").text.rstrip("%"))
                 for life in page.all(".life")}
        assert list(shown.values()) == sorted(shown.values(), reverse=True), "the best head first"
        assert {head: round(100 * shares[-1], 1) for head, shares in found.items()} == shown, (found, shown)
        best = next(iter(shown))
        ticks = [tick.text for tick in page.all("#life-chart text")]
        assert "0%" in ticks and "100%" in ticks, ticks
        assert page.text("#life-chart .legend span") == best and len(page.all("#life-chart path.curve")) == 4
        assert page.script("return document.documentElement.scrollWidth") <= width
        choose(page, "life-relation", "")
        assert not page.one("#life-chart").is_displayed() and "baseline" in page.text(".life:last-child")
        page.one("#grids [data-head=L0H0]").click()
        choose(page, "metric", "relation(obj)")
        assert "the treebank’s obj" in page.script("return document.querySelector('#metric').selectedOptions[0].textContent")
        curve = page.one("#life path.curve:not(.dashed)").get_attribute("d")
        points = [tuple(map(float, point.split())) for point in re.split("[ML]", curve)[1:]]
        low, high = (float(page.script("return arguments[0].getAttribute('y1')", page.all("#life .axis")[i])) for i in (0, -1))
        shares = [(y - low) / (high - low) for _, y in points]
        assert all(abs(a - b) < 1e-3 for a, b in zip(shares, found["L0H0"], strict=True)), (shares, found["L0H0"])
    page.silent()


def write_masked(folder):
    """A config of a text to fill in, two lines with masks of one's own, and a treebank."""
    names = ("dog", "cat", "king", "queen")
    lines = [f"the {a} sees the {b} and the {c}" for a in names for b in names for c in names]
    (folder / "text.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / "mine.txt").write_text("the <mask> sees the cat\nthe" + " <mask>" * 6 + "\n", encoding="utf-8")
    relations = ((2, "det"), (3, "nsubj"), (0, "root"), (5, "det"), (3, "obj"))
    trees = ["".join(f"{i}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n"
                     for i, (form, (head, relation)) in enumerate(zip(line.split(), relations), 1)) for line in lines]
    (folder / "bank.conllu").write_text("\n".join((trees * 2)[:120]) + "\n", encoding="utf-8")
    (folder / "masked.ini").write_text(
        f"[task]\nname = masked\nfile = {folder}/text.txt\n[tokens]\nkind = words\n[model]\nmax_length = 48\n[train]\nsteps = 2\n"
        f"[patterns]\nfile = {folder}/mine.txt\ntreebank = {folder}/bank.conllu\n", encoding="utf-8")
    return folder / "masked.ini"


HOSTILE_WORD = "</script><b>"
LONG_RELATION = "obj_" + "o" * 59


def write_treebank(folder):
    """Trees of the text's words, of a hostile one, and of 40 in one sentence: a word and the place of its head, from 1."""
    short = [("the", 2, "det"), ("dog", 3, "nsubj"), ("sees", 0, "root"), (HOSTILE_WORD, 5, "det"), ("cat", 3, LONG_RELATION)]
    long = [("the" if i % 2 == 0 else "king", i + 2 if i % 2 == 0 else 20 if i != 19 else 0, "det" if i % 2 == 0 else "root" if i == 19 else "nsubj")
            for i in range(40)]
    trees = [long if i % 30 == 1 else short for i in range(110)]
    (folder / "bank.conllu").write_text("".join("".join(
        f"{i}\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n" for i, (word, head, relation) in enumerate(tree, 1)) + "\n"
        for tree in trees), encoding="utf-8")
    return trees


def is_percent(text, share, digits=1):
    """Whether the text says that share; a half may be rounded either way."""
    return abs(float(text.removesuffix("%")) - 100 * share) <= 0.5 * 10 ** -digits + 1e-6


def cases_shown(page, kind, gold="head"):
    """Of each example: its sentence or document, its words and, by their marks, the word, the right one and the guess."""
    return page.script("""return [...document.querySelectorAll(`#${arguments[0]}-cases .case`)].map((figure) => {
        const items = [...figure.querySelectorAll("li")], role = (li) => li.querySelector(".role")?.textContent ?? "";
        const at = (sign) => items.findIndex((li) => role(li).includes(sign));
        return [Number(figure.querySelector("small").textContent.split(" ")[1]),
                items.map((li) => li.querySelector(".case-word").title), at("word"), at(arguments[1]), Math.max(at("✓"), at("✗"))];
    });""", kind, gold)


def write_mentions(folder):
    """Eight documents of two sentences in which the dog (e1) and the king (e2) come back; the pronoun is far away."""
    def word(i, form, head, upos="NOUN", entity=None):
        return f"{i}\t{form}\t_\t{upos}\t_\t_\t{head}\tdep\t_\t{'_' if entity is None else 'Entity=' + entity}\n"
    first = [("the", 2, "DET", "(e1"), ("dog", 3, "NOUN", "e1)"), ("sees", 0, "VERB", None), (HOSTILE_WORD, 3, "PROPN", "(e2)")]
    second = [("king", 2, "NOUN", "(e2)"), ("sees", 0, "VERB", None), ("the", 2, "NOUN", "(e1)")] + [("cat", 2, "NOUN", None)] * 14
    sentences = ["".join(word(i, form, head, upos, entity) for i, (form, head, upos, entity) in enumerate(words, 1)) for words in (first, second)]
    last = word(1, "dog", 0, "PRON", "(e1)") + word(2, "cat", 1)
    (folder / "mentions.conllu").write_text("".join(f"# newdoc id = {d}\n" + "\n".join([*sentences, last]) + "\n" for d in range(8)), encoding="utf-8")
    return folder / "mentions.conllu"


def check_coreference(page, heads_program, mentions):
    """The rows, heads and examples of the page are those of heads coreference and of the text."""
    asked = [heads_program, "coreference", page.folder, mentions]
    told = [row for row in json.loads(subprocess.check_output([*asked, "--json"]))["rows"] if row["held_out_cases"] > 0]
    subprocess.run([*asked, "--report", page.folder / "coreference.html"], check=True, stdout=subprocess.DEVNULL)
    forms = [line.split("\t")[1] for line in mentions.read_text(encoding="utf-8").split("# newdoc")[1].splitlines() if "\t" in line]
    for width, theme in ((1400, "dark"), (390, "light")):
        page.size(width, 1000, theme)
        page.open("coreference.html")
        assert page.one("#grammar-title").text == page.one("#grammar-link").get_property("textContent") == "Coreference"
        assert [option.text.removesuffix(" ★") for option in page.all("#relation option")] == [row["kind"] for row in told], told
        for place, row in enumerate(told):
            choose(page, "relation", place)
            figures = [cell.text.split("\n")[-1] for cell in page.all("#relation-rows tbody tr:first-child td")]
            assert figures[1:3] == [str(row["held_out_cases"]), row["held_out_head"]], (figures, row)
            for column, share in ((3, "held_out"), (5, "held_out_same_word"), (6, "held_out_nearest"), (7, "held_out_first")):
                assert is_percent(figures[column], row[share]), (share, figures, row)
            best = page.one("#relation-heads button.best")
            assert row["held_out_head"] in best.get_attribute("title") and is_percent(best.text, row["held_out"], 0), row
            shown = {kind: cases_shown(page, kind, "same entity") for kind in ("right", "wrong")}
            assert 0 < sum(map(len, shown.values())) <= 8, shown
            for kind, cases in shown.items():
                for document, words, word, gold, guess in cases:
                    assert document % 2 == 1 and (guess == gold) == (kind == "right") and 0 <= gold < word, (kind, words)
                    text = " ".join(form if form != "" else "…" for form in words)
                    assert all(part in " ".join(forms) for part in text.split(" … ")) and ("…" in text) == (row["kind"] == "pronoun"), text
            assert page.script("return document.documentElement.scrollWidth") <= width, row
    page.silent()


def check_grammar(page, heads_program, trees):
    """A relation's row, its heads and its examples are those of heads grammar and of the treebank."""
    asked = [heads_program, "grammar", page.folder, page.folder.parent / "bank.conllu"]
    told = {row["relation"]: row for row in json.loads(subprocess.check_output([*asked, "--json"]))["rows"]}
    heads = {relation: json.loads(subprocess.check_output([*asked, "--relation", relation, "--json"]))["heads"] for relation in told}
    subprocess.run([*asked, "--report", page.folder / "grammar.html"], check=True, stdout=subprocess.DEVNULL)
    for width, theme in ((1400, "light"), (390, "dark")):
        page.size(width, 1000, theme)
        page.open("grammar.html")
        assert [option.text.removesuffix(" ★") for option in page.all("#relation option")] == list(told), list(told)
        assert page.all("#grids .lit, #grids .dimmed") == []
        for place, (relation, row) in enumerate(told.items()):
            choose(page, "relation" if place % 2 else "lit", place)
            assert page.one("#lit").get_property("value") == page.one("#relation").get_property("value") == str(place)
            figures = [cell.text.split("\n")[-1] for cell in page.all("#relation-rows tbody tr:first-child td")]
            assert figures[2:4] == [row["held_out_head"], row["held_out_direction"]], (figures, row)
            for column, share in ((4, "held_out"), (6, "held_out_baseline"), (8, "null_held_out")):
                assert is_percent(figures[column], row[share]), (share, figures, row)
            for head in heads[relation]:
                cell = page.one(f"#grids [data-head={head['head']}]")
                lit = head["held_out"] > row["held_out_baseline"]
                classes = cell.get_attribute("class").split()
                assert ("lit" in classes, "dimmed" in classes) == (lit, not lit), (head, classes)
                found = re.search(rf"{relation} ([\d.]+)% {head['held_out_direction']}", cell.text.replace("\n", " "))
                assert found is not None and is_percent(found[1], head["held_out"]), (head, cell.text)
            marks = [button.text for button in page.all("#relation-heads button")]
            assert all(is_percent(mark, head["held_out"], 0) for mark, head in zip(marks, heads[relation], strict=True)), (marks, heads)
            check_cases(page, relation, trees)
            assert page.script("return document.documentElement.scrollWidth") <= width, relation
        choose(page, "lit", "")
        assert page.all("#grids .lit, #grids .dimmed") == []
        assert page.script("return document.documentElement.scrollWidth") <= width
        check_not_cut(page, width, "pre, .tokens li")
    page.script("arguments[0].focus()", page.one("#relation"))
    choose(page, "relation", 0)
    page.keys(Keys.ARROW_DOWN)
    page.wait(lambda: page.one("#lit").get_property("value") == "1", "keys choose a relation")
    page.silent()


def check_cases(page, relation, trees):
    shown = {kind: cases_shown(page, kind) for kind in ("right", "wrong")}
    assert 0 < sum(map(len, shown.values())) <= 8, shown
    for kind, cases in shown.items():
        for sentence, words, word, head, guess in cases:
            tree = trees[sentence]
            assert sentence % 2 == 1 and words == [form for form, _, _ in tree], (sentence, words)
            assert relation in ("all", tree[word][2]) and head == tree[word][1] - 1, (relation, sentence, word, head)
            assert guess >= 0 and (guess == head) == (kind == "right"), (kind, guess, head)
    assert relation == LONG_RELATION or any(len(words) == 40 for cases in shown.values() for _, words, *_ in cases), "a long sentence"
    for box in page.all(".case-box"):
        arcs, words, sizes = page.script("""const [svg, list] = arguments[0].children, y = (e) => e.getBoundingClientRect();
            const tops = [...list.children].map((li) => y(li).top);
            return [[y(svg).top, y(svg).height], [y(list).top, y(list).height], tops.slice(1).map((top, i) => top - tops[i])];""", box)
        assert arcs == words and min(sizes) >= 20, "every arc ends at its words, which have a line each"


def check_ablation(page):
    page.size(1400, 1000, "dark")
    page.driver.get((page.folder / "ablation.html").as_uri())
    assert page.script("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 27)", "dark in the dark"
    page.one("summary").click()
    images = page.all("details[open] img")
    corner = """const c = document.createElement("canvas").getContext("2d");
        c.drawImage(arguments[0], 0, 0);
        return [...c.getImageData(1, 1, 1, 1).data];"""
    assert page.script(corner, images[0])[:3] == [29, 35, 39], "maps for the dark"
    page.size(390, 844, "light")
    page.driver.get((page.folder / "ablation.html").as_uri())
    assert page.script("return getComputedStyle(document.body).backgroundColor") == "rgb(246, 246, 243)"
    page.one("summary").click()
    assert page.script(corner, page.one("details[open] img"))[:3] == [255, 255, 255], "maps for the light"
    page.one("summary").click()
    for summary in page.all("summary"):
        summary.click()
    assert page.script("return document.documentElement.scrollWidth") <= 390
    check_not_cut(page, 390, ".picture")
    chart = "const chart = document.querySelector('.chart .picture'); return chart.scrollWidth <= chart.clientWidth"
    assert page.script(chart), "the chart is wider than a phone"
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
    for run, end in ((0, ""), (1, "-2")):
        page.one(f"#grids [data-run='{run}'][data-head=L0H1]").click()
        assert address(page) == f"#L0H1{end}", "the heads of two runs have their own addresses"
    page.script("location.hash = '#L1H0-2'")
    page.wait(lambda: page.text("#detail-title") == f"{other} L1H0", "a head of the second run by its address")
    page.silent()


def check_one_head(page):
    """report.html#L1H2 opens on that head. In the frame that python/headlight/show.py makes, the head stands alone, leaves
    the keys to the notebook, and cannot be closed."""
    page.size(1400, 1000, "light")
    page.open()
    page.driver.get(page.driver.current_url + "#L1H2")
    page.driver.refresh()  # another fragment alone loads nothing
    page.wait(lambda: page.script("return document.documentElement.dataset.ready === 'true'"), "the page is ready")
    assert page.text("#detail-title") == "L1H2" and page.one("header").is_displayed() and page.one("#close").is_displayed()
    page.script("location.hash = '#L0H1'")
    page.wait(lambda: page.text("#detail-title") == "L0H1", "another address opens another head")
    page.script("location.hash = '#table'")
    assert page.text("#detail-title") == "L0H1"
    page.silent()
    report = (page.folder / "report.html").read_text(encoding="utf-8")
    frame = html.escape(report.replace("<html ", '<html data-only="L1H2" ', 1))
    (page.folder / "notebook.html").write_text(
        '<!doctype html><meta name="viewport" content="width=device-width"><textarea autofocus></textarea><iframe sandbox="allow-scripts" '
        f'srcdoc="{frame}" style="width: 100%; height: 640px; border: 0"></iframe>', encoding="utf-8")
    for width in (1000, 390):
        page.size(width, 800, "light")
        page.driver.get((page.folder / "notebook.html").as_uri())
        frame = page.one("iframe")
        page.driver.switch_to.frame(frame)
        page.wait(lambda: page.script("return document.documentElement.dataset.ready === 'true'"), "the frame is ready")
        page.driver.switch_to.default_content()
        assert page.script("return document.activeElement.tagName") == "TEXTAREA", "the notebook keeps the keys"
        page.driver.switch_to.frame(frame)
        assert page.text("#detail-title") == "L1H2"
        shown = [element.get_attribute("id") for element in page.all("main section, main aside") if element.is_displayed()]
        assert shown == ["heads", "detail"] and not page.one("header").is_displayed() and not page.one("#grids").is_displayed()
        assert not page.one("#close").is_displayed()
        assert page.script("return document.documentElement.scrollWidth") <= width
        move_slider(page, 0)
        page.wait(lambda: page.text("#step") == "step 0", "the slider moves")
        if width > 500:
            box = "return arguments[0].getBoundingClientRect()"
            bottom, top = page.script(f"{box}.bottom", page.one("#view canvas")), page.script(f"{box}.top", page.one("footer"))
            assert bottom <= top, "the whole map is seen at once"
            value = hover(page, page.one("#view canvas"), 15, 4)
            assert value == f"{weight_at(page.folder, 0, 1, 2, example_shown(page), 15, 4):.3f}"
        page.one("#step").click()
        page.keys(Keys.ESCAPE)
        assert page.one("#detail").is_displayed(), "Escape leaves no empty frame"
        page.driver.switch_to.default_content()
    page.silent()


def train(program, config, folder, *overrides):
    subprocess.run([program, config, "--quiet", "--out", folder, *overrides], check=True)


def main():
    make_report, train_program, heads_program, ablate_program = sys.argv[1:]
    config = Path(__file__).resolve().parents[2] / "configs/copy_task.ini"
    with tempfile.TemporaryDirectory() as name:
        made, one, two, long, masked, sweep, single, many, hand, near = (
            Path(name) / run for run in ("made", "one", "two", "long", "masked", "sweep", "single", "many", "hand", "near"))
        made.mkdir()
        subprocess.run([make_report, made], check=True)
        train(train_program, config, one)
        train(train_program, config, two, "train.steps=20", "train.seed=2")
        train(train_program, config, long, "train.steps=2", "task.length=31")
        train(train_program, write_masked(Path(name)), masked)
        train(train_program, config.with_name("lessons") / "induction.ini", single, "train.steps=2")
        train(train_program, config, many, "train.steps=2", "model.heads=12", "model.d_model=48")
        train(train_program, config, near, "train.steps=20", "model.window=8", "model.global_every=2", "model.first_norm=false",
              "model.embedding_norm=true", "model.positions=rotary")
        by_hand = config.with_name("lessons") / "by_hand.ini"
        train(train_program, by_hand, hand, "--from", by_hand.with_suffix(".safetensors"))
        pooled = [Path(name) / pooling for pooling in ("mean", "first")]
        for folder in pooled:
            train(train_program, config.with_name("animals.ini"), folder, "train.steps=2", f"model.pooling={folder.name}")
        subprocess.run([ablate_program, config, "--heads", "1,2", "--seeds", "2", "train.steps=4", "--out", sweep],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([heads_program, "compare", one, two], check=True, stdout=subprocess.DEVNULL)
        page = Page()
        try:
            page.use(made)
            check_made_up_run(page)
            check_words_of_text(page)
            page.use(one)
            check_trained_run(page, heads_program)
            check_one_head(page)
            check_two_runs(page, "two")
            page.use(near)
            check_windows(page)
            page.use(hand)
            check_by_hand(page, heads_program)
            page.use(long)
            check_long_run(page)
            check_room(page, single, 2)
            check_room(page, many, 24)
            check_pooled(page, pooled)
            page.use(masked)
            check_open_answers(page)
            check_grammar(page, heads_program, write_treebank(Path(name)))
            check_coreference(page, heads_program, write_mentions(Path(name)))
            check_relations(page)
            page.folder = sweep
            check_ablation(page)
        finally:
            page.driver.quit()
    print("the reports show what their files say")


if __name__ == "__main__":
    main()
