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
        run.layers.forEach((heads, layer) => {
            const row = element("div", { class: "layer" });
            row.style.gridTemplateColumns = `repeat(${heads.length}, minmax(4.4rem, clamp(8rem, 22vh, 15rem)))`;
            for (const head of heads) {
                const cell = buildCell(head, open);
                row.append(cell.button);
                cells.push(cell);
            }
            box.append(element("p", { class: "layer-name" }, `Layer ${layer}`), row);
        });
        byId("grids").append(box);
    }
    return cells;
}

function buildCell(head, open) {
    const canvas = element("canvas", { width: "1", height: "1" });
    const metric = metricOfLabel(head.label);
    const reading = head.run.reading(head, metric);
    const curve = smallCurve(head.run, reading);
    const value = element("span", { class: "value" });
    const button = element("button", { type: "button", class: "cell", "aria-pressed": "false", "data-head": head.name,
                                       "data-run": head.run.index, title: head.label === undefined ? "" : `${head.label}: ${meaningOf(head.label)}` },
        canvas, element("span", { class: "name" }, element("strong", {}, head.name), value),
        element("span", { class: "label" }, head.label ?? ""), curve);
    const partner = partnerOf(head);
    if (partner !== null) {
        button.append(element("span", { class: "label" }, `closest ${partner.head.name}`));
    }
    button.addEventListener("click", () => open(head));
    return { head, button, canvas, curve, value, reading };
}

function drawCells(cells) {
    for (const run of runs.filter((one) => one.shownStep !== undefined)) {
        const only = run.steps.length === 1 && run.measured.length > 1 ? ", the last weights on these examples" : "";
        run.shownStep.textContent = ` · step ${run.steps[indexOf(run)]}${only}`;
    }
    for (const cell of cells) {
        const run = cell.head.run;
        paintHead(cell.canvas, cell.head);
        cell.curve.moveNow();
        const at = cell.reading?.steps.indexOf(run.steps[indexOf(run)]) ?? -1;
        cell.value.textContent = at >= 0 ? shown(cell.reading.values[at], 2) : "";
    }
}

/* One line a run: which heads do what, those of a skill by label. */
function writeFound() {
    for (const run of runs) {
        const groups = new Map();
        for (const head of run.heads.filter((one) => !["mixed", "uniform", undefined].includes(one.label))) {
            groups.set(head.label, [...groups.get(head.label) ?? [], head]);
        }
        const labelled = run.heads.some((head) => head.label !== undefined);
        const texts = [...groups].map(([label, heads]) => {
            const faithful = heads.filter((head) => verdictOf(head) === true).length;
            const verdict = faithful === 0 ? "" : faithful === heads.length ? " (faithful)" : ` (${faithful} faithful)`;
            const names = heads.map((head) => head.name).join(", "), meaning = meaningOf(label);
            return `${names} ${heads.length > 1 ? meaning.replace(/^(\w+)s /, "$1 ") : meaning}${verdict}`;
        });
        const text = texts.length > 0 ? `${texts.join("; ")}.` : "no head does one thing clearly.";
        if (labelled) {
            byId("found").append(element("p", {}, element("strong", {}, runs.length > 1 ? `${run.name}: ` : "Found: "), text));
        }
    }
}

/* The head of the other run that does the same: { head, js }; null where the report knows none. */
function partnerOf(head) {
    const match = head.match;
    return match === undefined ? null : { head: runs[1 - head.run.index].heads[match.head], js: match.js };
}
