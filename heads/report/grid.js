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

/* The mean over the real queries of the shown examples of the divergence of two heads' rows at their last steps, from the
 * levels; NaN where the examples are not the same. */
function divergence(a, b) {
    let sum = 0, rows = 0;
    for (let e = 0; e < Math.min(a.run.examples.length, b.run.examples.length); e++) {
        const tokens = a.run.examples[e].tokens, n = tokens.length;
        if (tokens.join("\n") !== b.run.examples[e].tokens.join("\n")) {
            return NaN;
        }
        const one = a.run.map(a, a.run.steps.length - 1, e), two = b.run.map(b, b.run.steps.length - 1, e);
        for (let i = 0; i < n * n; i++) {
            const p = one[i] / 255, q = two[i] / 255, m = (p + q) / 2;
            sum += (p > 0 ? p * Math.log(p / m) : 0) / 2 + (q > 0 ? q * Math.log(q / m) : 0) / 2;
        }
        rows += n;
    }
    return sum / rows;
}

/* The head of the other run that looks at the same most: { head, js }; null where there is none to compare with. */
function partnerOf(head) {
    const isFirst = head.run === runs[0];
    const own = isFirst ? head : onFirst?.heads[head.place] ?? head;
    const other = isFirst ? onFirst ?? runs[1] : runs[0];
    let best = null;
    for (const candidate of other?.heads ?? []) {
        const js = divergence(own, candidate);
        if (Number.isFinite(js) && (best === null || js < best.js)) {
            best = { head: candidate, js };
        }
    }
    return best;
}
