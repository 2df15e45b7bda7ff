/* The colours of weights: light and dark, on one scale for all heads or on each head's own. */

function isDark() {
    return document.documentElement.dataset.theme === "dark";
}

/* The weight at which the scale of a map ends. */
function topOf(levels) {
    return state.scale === "own" ? Math.max(weightOf[topLevel(levels)], 1e-9) : 1;
}

/* The colour at a share 0 .. 1 of the scale: the table runs from light to dark, and in the dark backwards, so that no
 * attention looks like the page around it. */
function colourAt(share) {
    const place = Math.round(255 * Math.min(share, 1));
    const at = 3 * (isDark() ? 255 - place : place);
    return [colours[at], colours[at + 1], colours[at + 2], 255];
}

/* The colour at a share -1 .. 1 of a scale with a sign: of the panel at 0, blue above, orange below. */
function signedColourAt(share) {
    const parse = (name) => [1, 3, 5].map((at) => parseInt(css(name).slice(at, at + 2), 16));
    const from = parse("--panel"), to = parse(share < 0 ? "--second" : "--accent"), part = Math.min(Math.abs(share), 1);
    return [...from.map((colour, i) => Math.round(colour + part * (to[i] - colour))), 255];
}

/* The colours of the levels -255 .. 255 of what is shown; the scale ends at the weight `top`. */
function paletteOf(top) {
    const colourOf = state.measure === "answer" ? signedColourAt : colourAt, levels = Array.from({ length: 511 }, (_, i) => i - 255);
    return new Uint32Array(new Uint8Array(levels.flatMap((level) => colourOf((Math.sign(level) * weightOf[Math.abs(level)]) / top))).buffer);
}

/* One pixel a weight. */
function paintLevels(canvas, levels, n) {
    const image = new ImageData(n, n), palette = paletteOf(topOf(levels)), pixels = new Uint32Array(image.data.buffer);
    levels.forEach((level, i) => {
        pixels[i] = palette[level + 255];
    });
    canvas.width = n;
    canvas.height = n;
    canvas.getContext("2d").putImageData(image, 0, 0);
}

function paintScale() {
    const image = new ImageData(256, 1);
    const isSigned = state.measure === "answer", top = isSigned ? signed(answerTop(runs[0], exampleOf(runs[0]))) : "1";
    for (let i = 0; i < 256; i++) {
        image.data.set(isSigned ? signedColourAt((2 * i) / 255 - 1) : colourAt(i / 255), 4 * i);
    }
    byId("scale").getContext("2d").putImageData(image, 0, 0);
    byId("scale-low").textContent = isSigned ? (state.scale === "own" ? "takes away" : `takes away ${top.slice(1)}`) : { weights: "weight 0", norms: "share 0" }[state.measure];
    byId("scale-top").textContent = state.scale === "own" ? "the head’s maximum" : isSigned ? `adds ${top.slice(1)}` : top;
}

/* Where most heads would not get beyond half of the common scale, as with many tokens, each has its own. */
function openingScale() {
    const tops = runs.flatMap((run) => run.heads).map((head) =>
        topLevel(head.run.map(head, indexOf(head.run), exampleOf(head.run))));
    const small = tops.filter((level) => weightOf[level] < 0.5).length;
    return 2 * small > tops.length ? "own" : "same";
}
