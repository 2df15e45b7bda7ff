/* All heads: layers as rows, heads as columns, for each run. */

/* Builds the grids; returns { head, button, canvas, curve, value } for each head. */
function buildGrids(open) {
    const cells = [];
    for (const run of runs) {
        const box = element("div", { class: "run" });
        if (runs.length > 1) {
            run.shownStep = element("span");
            box.append(element("h3", {}, run.name, run.shownStep));
        }
        run.shownExample = buildExample();
        const told = element("div", { class: "told" }, ...foundText(run));
        const facts = element("div", { class: "facts" }, told, run.shownExample.box);
        const maps = element("div", { class: "maps" });
        if (run.index === 0) {
            told.append(byId("hint"));
        }
        const most = Math.max(...run.layers.map((heads) => heads.length));
        const beside = Math.min(run.layers.length, Math.max(Math.floor(4 / most), 1)); /* layers in one row, up to four maps */
        maps.style.setProperty("--heads", most * beside);
        maps.style.setProperty("--beside", beside);
        maps.style.setProperty("--layers", Math.min(Math.ceil(run.layers.length / beside), 2));
        run.layers.forEach((heads, layer) => {
            const row = element("div", { class: "layer" });
            row.style.setProperty("--columns", heads.length);
            for (const head of heads) {
                const cell = buildCell(head, open);
                row.append(cell.button);
                cells.push(cell);
            }
            maps.append(element("div", {}, element("p", { class: "layer-name" }, `Layer ${layer}`), row));
        });
        box.append(facts, maps);
        run.setFew = () => maps.style.setProperty("--few", fewColumns(run, maps.clientWidth));
        const left = (part) => part.getBoundingClientRect().left;
        run.isBeside = () => box.classList.toggle("beside", left(maps) > left(told));
        byId("grids").append(box);
    }
    return cells;
}

/* How many maps stand side by side on a phone `width` wide: of a few heads, one alone where only so its tokens can be read. */
function fewColumns(run, width) {
    const heads = Math.max(...run.layers.map((layer) => layer.length)), example = exampleOf(run);
    if (heads > 4) {
        return 3;
    }
    const context = scratch.getContext("2d"), tokens = run.examples[example].tokens;
    const isNamed = (columns) => smallLayout(context, width / columns - CELL_EDGE, tokens, []).side > 0;
    return !isNamed(2) && isNamed(1) ? 1 : Math.min(heads, 2);
}

function buildCell(head, open) {
    const canvas = element("canvas", { width: "1", height: "1" });
    const metric = metricOfLabel(head.label);
    const reading = head.run.reading(head, metric);
    const curve = smallCurve(head.run, reading, holdsOf(head));
    const relation = element("span", { class: "relation" });
    const value = element("span", { class: "value" }), top = element("span", { class: "top" }), answers = element("span", { class: "answers" });
    const button = element("button", { type: "button", class: "cell", "aria-pressed": "false", "data-head": head.name,
                                       "data-run": head.run.index, title: head.label === undefined ? "" : `${head.label}: ${head.meaning}${grammarText(head) === "" ? "" : `; ${grammarText(head)}`}` },
        element("span", { class: "name" }, element("strong", {}, head.name), value, element("span", { class: "label" }, (head.label ?? "").replaceAll("_", "_\u200b"), /* a line may end there */
                                                          ...head.grammar ? [element("strong", {}, ` ${head.grammar.relation}`)] : [])),
        relation, canvas, element("span", { class: "under" }, answers, top), curve);
    const partner = partnerOf(head);
    if (partner !== null) {
        button.append(element("span", { class: "label" }, `≈ ${partner.head.name}`));
    }
    button.addEventListener("click", () => open(head));
    return { head, button, canvas, curve, value, top, answers, reading, relation };
}

function drawCells(cells) {
    for (const run of runs.filter((one) => one.shownStep !== undefined)) {
        const only = run.steps.length === 1 && run.measured.length > 1 ? ", the last weights on these examples" : "";
        run.shownStep.textContent = ` · step ${run.steps[indexOf(run)]}${only}`;
    }
    for (const run of runs) {
        drawExample(run, run.shownExample);
        run.setFew();
        run.isBeside();
    }
    const widths = cells.map((cell) => cell.curve.clientWidth); /* all at once, before drawing moves anything */
    cells.forEach((cell, i) => drawCell(cell, widths[i]));
}

function drawCell(cell, width) {
    const run = cell.head.run, index = indexOf(run), levels = run.map(cell.head, index, exampleOf(run));
    cell.curve.moveNow();
    const at = cell.reading?.steps.indexOf(run.steps[index]) ?? -1;
    cell.value.textContent = at >= 0 ? shown(cell.reading.values[at], 2) : "";
    if (levels === undefined) {
        return;
    }
    const isWritten = drawSmallMap(cell.canvas, cell.head, width);
    cell.answers.replaceChildren(...isWritten ? [] : answerWords(run.answers(index, exampleOf(run))));
    cell.top.textContent = state.scale === "own" ? `max ${run.topText(cell.head, index, exampleOf(run), levels)}` : "";
}

/* Which heads do what, those of a skill by label; nothing where the report knows no labels. */
function foundText(run) {
    const groups = new Map();
    for (const head of run.heads.filter((one) => !["mixed", "uniform", undefined].includes(one.label))) {
        groups.set(head.label, [...groups.get(head.label) ?? [], head]);
    }
    const texts = [...groups].map(([label, heads]) => {
        const faithful = heads.filter((head) => verdictOf(head) === true).length;
        const verdict = faithful === 0 ? "" : faithful === heads.length ? " (faithful)" : ` (${faithful} faithful)`;
        const names = heads.map((head) => head.name).join(", "), meaning = heads[0].meaning;
        return `${names} ${heads.length > 1 ? meaning.replace(/^(\w+)s /, "$1 ") : meaning}${verdict}`;
    });
    const text = texts.length > 0 ? `${texts.join("; ")}.` : "no head has one clear pattern.";
    const found = run.heads.filter((head) => head.grammar), earned = found.map((head) => `${head.name} ${head.grammar.relation}`).join(", ");
    const isLabelled = run.heads.some((head) => head.label !== undefined);
    return isLabelled ? [element("p", { class: "found" }, element("strong", {}, "Found: "), text),
        ...found.length > 0 ? [element("p", { class: "found" }, element("strong", {}, "By grammar: "), `${earned}.`)] : []] : [];
}

/* The head of the other run that does the same: { head, js }; null where the report knows none. */
function partnerOf(head) {
    const match = head.match;
    return match === undefined ? null : { head: runs[1 - head.run.index].heads[match.head], js: match.js };
}
