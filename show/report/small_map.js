/* The attention of one head in the overview: the map, its tokens where they can be read, and under it the answers. */

const LEAST_CELL = 9; /* in pixels of the page: a smaller cell has no room for a letter */
const LONGEST_NAME = 56;
const CELL_EDGE = 14; /* what a button and the gap beside it take of a map's width on a phone */
const scratch = document.createElement("canvas");

function widestOf(context, texts) {
    return Math.max(0, ...texts.map((text) => context.measureText(text).width));
}

/* Whole pixels where a cell has several, so that all are of one size. */
function wholeCell(cell) {
    const ratio = window.devicePixelRatio || 1;
    return cell * ratio >= 4 ? Math.floor(cell * ratio) / ratio : cell;
}

/* What has room in a width: names of the tokens at both axes or none, letters of the answers or signs alone. */
function smallLayout(context, width, tokens, answers) {
    const n = tokens.length, font = Math.min(Math.max((width / n) * 0.72, 8), 12);
    context.font = `${font}px system-ui, sans-serif`;
    const longest = widestOf(context, tokens), name = Math.min(Math.ceil(longest), LONGEST_NAME) + 5;
    const isNamed = (width - name) / n >= LEAST_CELL;
    const side = isNamed ? name : 0, cell = wholeCell((width - side) / n), line = font + 3;
    const upright = longest > cell - 1, keys = !isNamed ? 0 : upright ? name : line;
    const words = answers.map((answer) => answer.target); /* which, unlike predictions, stay as they are over training */
    const letters = cell >= LEAST_CELL && answers.length > 0 && widestOf(context, words) <= cell;
    const sign = answers.length === 0 ? 0 : cell >= 5 ? Math.min(cell, 11) : 6;
    return { font: context.font, line, side, cell, size: n * cell, upright, keys, letters, sign,
             height: n * cell + keys + (letters ? 2 * line : 0) + sign + 6 };
}

function drawNames(context, tokens, layout) {
    context.fillStyle = css("--quiet");
    tokens.forEach((token, i) => {
        const middle = (i + 0.5) * layout.cell, text = fitted(context, token, LONGEST_NAME);
        context.textAlign = "right";
        context.fillText(text, layout.side - 3, middle);
        if (layout.upright) {
            context.save();
            context.translate(layout.side + middle, layout.size + 4);
            context.rotate(-Math.PI / 2);
            context.fillText(text, 0, 0);
            context.restore();
        } else {
            context.textAlign = "center";
            context.fillText(text, layout.side + middle, layout.size + 2 + layout.line / 2);
        }
    });
}

/* Draws into a canvas `width` wide; returns whether the answers are written out. */
function drawSmallMap(canvas, head, width) {
    const run = head.run, example = exampleOf(run), tokens = run.examples[example].tokens, n = tokens.length;
    const answers = run.answers(indexOf(run), example).filter((answer) => !answer.open && !answer.whole), levels = run.map(head, indexOf(run), example);
    const layout = smallLayout(canvas.getContext("2d"), width, tokens, answers);
    const context = sharpContext(canvas, width, layout.height);
    paintLevels(scratch, levels, n);
    context.imageSmoothingEnabled = layout.cell < 1;
    context.drawImage(scratch, layout.side, 0, layout.size, layout.size);
    context.strokeStyle = css("--line");
    context.strokeRect(layout.side + 0.5, 0.5, layout.size - 1, layout.size - 1);
    context.font = layout.font;
    context.textBaseline = "middle";
    if (layout.side > 0) {
        drawNames(context, tokens, layout);
    }
    drawAnswers(context, answers, layout, layout.size + layout.keys + 4);
    Object.assign(canvas.dataset, { tokens: n, side: layout.side, cell: layout.cell, letters: layout.letters });
    return layout.letters;
}
