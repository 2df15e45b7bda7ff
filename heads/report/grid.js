/* All heads: layers as rows, heads as columns, for each run. */

/* Builds the grids; returns { head, button, canvas, curve, value } for each head. */
function buildGrids(open) {
    const cells = [];
    for (const run of runs) {
        const box = element("div", { class: "run" });
        if (runs.length > 1) {
            box.append(element("h3", {}, run.name));
        }
        run.layers.forEach((heads, layer) => {
            const row = element("div", { class: "layer" });
            row.style.gridTemplateColumns = `repeat(${heads.length}, minmax(4.4rem, 15rem))`;
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
                                       "data-run": head.run.index, title: head.label ?? "" },
        canvas, element("span", { class: "name" }, element("strong", {}, head.name), value),
        element("span", { class: "name label" }, head.label ?? ""), curve);
    button.addEventListener("click", () => open(head));
    return { head, button, canvas, curve, value, reading };
}

function drawCells(cells) {
    for (const cell of cells) {
        const run = cell.head.run;
        paintHead(cell.canvas, cell.head);
        cell.curve.moveNow();
        const at = cell.reading?.steps.indexOf(run.steps[indexOf(run)]) ?? -1;
        cell.value.textContent = at >= 0 ? shown(cell.reading.values[at], 2) : "";
    }
}

/* The head of the other run that does the same: { head, js }; null where the report knows none. */
function partnerOf(head) {
    const match = head.match;
    return match === undefined ? null : { head: runs[1 - head.run.index].heads[match.head], js: match.js };
}
