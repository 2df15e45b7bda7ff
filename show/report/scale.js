/* The colours of weights: light and dark, on one scale for all heads or on each head's own. */

function isDark() {
    return document.documentElement.dataset.theme === "dark";
}

/* The weight at which the scale of a map ends. */
function topOf(levels) {
    return state.scale === "own" ? Math.max(weightOf[levels.reduce((a, b) => Math.max(a, b), 0)], 1e-9) : 1;
}

/* The colour at a share 0 .. 1 of the scale: the table runs from light to dark, and in the dark backwards, so that no
 * attention looks like the page around it. */
function colourAt(share) {
    const place = Math.round(255 * Math.min(share, 1));
    const at = 3 * (isDark() ? 255 - place : place);
    return [colours[at], colours[at + 1], colours[at + 2], 255];
}

/* One pixel a weight. */
function paintLevels(canvas, levels, n) {
    const top = topOf(levels), image = new ImageData(n, n);
    const palette = new Uint32Array(new Uint8Array(Array.from(weightOf).flatMap((weight) => colourAt(weight / top))).buffer);
    const pixels = new Uint32Array(image.data.buffer);
    levels.forEach((level, i) => {
        pixels[i] = palette[level];
    });
    canvas.width = n;
    canvas.height = n;
    canvas.getContext("2d").putImageData(image, 0, 0);
}

function paintScale() {
    const image = new ImageData(256, 1);
    for (let i = 0; i < 256; i++) {
        image.data.set(colourAt(i / 255), 4 * i);
    }
    byId("scale").getContext("2d").putImageData(image, 0, 0);
    byId("scale-top").textContent = state.scale === "own" ? "the head’s maximum" : "1";
}

/* Where most heads would not get beyond half of the common scale, as with many tokens, each has its own. */
function openingScale() {
    const tops = runs.flatMap((run) => run.heads).map((head) =>
        head.run.map(head, indexOf(head.run), exampleOf(head.run)).reduce((a, b) => Math.max(a, b), 0));
    const small = tops.filter((level) => weightOf[level] < 0.5).length;
    return 2 * small > tops.length ? "own" : "same";
}
