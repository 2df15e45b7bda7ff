/* Curves as SVG. */

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
        made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

/* "M x y L x y ..." over the points that are numbers. */
function pathOf(xs, ys, x, y) {
    let path = "";
    xs.forEach((value, i) => {
        if (Number.isFinite(ys[i])) {
            path += `${path === "" ? "M" : "L"}${x(value).toFixed(2)} ${y(ys[i]).toFixed(2)}`;
        }
    });
    return path;
}

/* Round numbers from low to high, about `count` of them. */
function ticksOf(low, high, count) {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
    const ticks = [];
    for (let i = Math.ceil(low / step); i * step <= high + 1e-9 * step; i++) {
        ticks.push(i * step);
    }
    return ticks;
}

/* 1, 2, 5, 10, 20, ... from low to high, both above 0; where these are many, powers of ten alone. */
function logTicksOf(low, high) {
    const steps = Math.log10(high / low) > 2 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
        ticks.push(...steps.map((step) => step * 10 ** power).filter((tick) => tick >= low && tick <= high));
    }
    return ticks;
}

/* A chart with axes. series: { name, xs, ys, style }; `now`: where the slider stands; high: the top of the y axis; points: marks; `log`:
 * that axis is logarithmic, and begins at 1; `inPercent`: it has shares; stages: names of the two steps that there are, in the place of
 * their numbers. */
function drawChart(place, series, now, { high, points = [], log = false, inPercent = false, stages = undefined } = {}) {
    const width = Math.max(place.clientWidth, 240), height = 200, left = 38, right = 8, top = 8, bottom = 34;
    const known = series.flatMap((s) => s.ys.filter(Number.isFinite));
    const most = high ?? Math.max(...known, log ? 2 : 0.1) * 1.05;
    const least = log ? 1 : Math.min(0, ...known);
    const scaled = log ? (value) => Math.log10(Math.max(value, 1)) : (value) => value;
    const end = Math.max(...series.flatMap((s) => s.xs), 1);
    const x = (value) => left + (value / end) * (width - left - right);
    const y = (value) => top + (1 - (scaled(value) - scaled(least)) / (scaled(most) - scaled(least))) * (height - top - bottom);
    const svg = svgElement("svg", { width: "100%", height, viewBox: `0 0 ${width} ${height}`, role: "img",
                                    "aria-label": `Curves of ${series.map((s) => s.name).join(", ")}` });
    for (const tick of log ? logTicksOf(least, most) : ticksOf(least, most, 4)) {
        svg.append(svgElement("line", { class: "axis", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
        svg.append(svgElement("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" },
                              inPercent ? `${+(100 * tick).toFixed(4)}%` : `${+tick.toFixed(6)}`));
    }
    if (stages === undefined) {
        for (const tick of ticksOf(0, end, Math.min(end, 5))) { /* a whole number of steps each */
            svg.append(svgElement("text", { x: x(tick), y: height - bottom + 15, "text-anchor": "middle" }, `${tick}`));
        }
        svg.append(svgElement("text", { x: (left + width) / 2, y: height - 3, "text-anchor": "middle" }, "step"));
    } else {
        Object.values(stages).forEach((name, i) => {
            svg.append(svgElement("text", { x: i === 0 ? left : width - right, y: height - bottom + 15, "text-anchor": i === 0 ? "start" : "end" }, name));
        });
    }
    for (const s of series) {
        svg.append(svgElement("path", { class: `curve ${s.style}`, d: pathOf(s.xs, s.ys, x, y) }));
    }
    for (const point of points) {
        svg.append(svgElement("circle", { class: "birth", cx: x(point[0]), cy: y(point[1]), r: 4 }));
    }
    svg.append(svgElement("line", { class: "now", x1: x(now), x2: x(now), y1: top, y2: height - bottom }));
    const legend = element("div", { class: "legend" });
    legend.append(...series.map((s) => element("span", { class: s.style }, s.name)));
    place.replaceChildren(svg, legend);
}

/* Where a step lies in the list of steps, between two of them in proportion; the last place for steps that are later. */
function placeBetween(steps, step) {
    const next = steps.findIndex((s) => s > step);
    return next < 0 ? steps.length - 1 : next === 0 ? 0 : next - 1 + (step - steps[next - 1]) / (steps[next] - steps[next - 1]);
}

/* A small curve of a head's score, one place a measured step, in a box of 100 by 30; bars at the top for the steps in which the head was
 * held; its line of now is moved by moveNow. */
function smallCurve(run, reading, holds) {
    const svg = svgElement("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", "aria-hidden": "true" });
    const last = Math.max(run.measured.length - 1, 1);
    const at = new Map(run.measured.map((step, i) => [step, (i / last) * 100]));
    const x = (step) => at.get(step), y = (value) => 28 - 26 * Math.min(Math.max(value, 0), 1);
    svg.append(svgElement("line", { class: "axis", x1: 0, x2: 100, y1: 28, y2: 28 }));
    if (reading !== undefined) {
        svg.append(svgElement("path", { class: "curve dashed", d: pathOf(reading.steps, reading.baselines, x, y) }));
        svg.append(svgElement("path", { class: "curve", d: pathOf(reading.steps, reading.values, x, y) }));
    }
    for (const { kind, first, end } of holds) {
        const from = placeBetween(run.measured, first), to = placeBetween(run.measured, end);
        svg.append(svgElement("rect", { class: `held ${kind}`, x: (from / last) * 100, y: kind === "off" ? 0 : 4, width: ((to - from) / last) * 100, height: 3 }));
    }
    const now = svgElement("line", { class: "now", x1: 0, x2: 0, y1: 0, y2: 30 });
    svg.append(now);
    svg.moveNow = () => {
        const place = (nearestOf(run.measured, run.steps[indexOf(run)]) / last) * 100;
        now.setAttribute("x1", place);
        now.setAttribute("x2", place);
    };
    return svg;
}

/* The columns of metrics.csv that are drawn where a run has them. */
const drawnColumns = [{ name: "loss" }, { name: "accuracy", high: 1 }, { name: "perplexity", log: true }, { name: "macro_f1", high: 1 }];

/* The curves of a column, of both splits and all runs; those without a row are left out. */
function seriesOf(column) {
    const styles = [["faint", ""], ["faint second", "second"]];
    return runs.flatMap((run) => ["train", "validation"].map((split, kind) => {
        const place = run.metricsColumns.indexOf(column);
        const rows = run.metrics.filter((row) => row[1] === split && (row[place] ?? "") !== "");
        const style = runs.length > 1 ? styles[run.index][kind] : ["faint", "second"][kind];
        return { name: runs.length > 1 ? `${run.name}, ${split}` : split, style,
                 xs: rows.map((row) => Number(row[0])), ys: rows.map((row) => Number(row[place])) };
    })).filter((series) => series.xs.length > 0);
}

/* Predictors that a model of chains is compared with: their losses, as lines in the chart of losses. */
function predictorSeries() {
    const styles = ["dashed", "dashed second", "dashed third"];
    return ["uniform", "unigram", "bigram"].flatMap((name, i) => seriesOf(name).map((series) => ({ ...series, name, style: styles[i] })));
}

/* Figures are shown first: how wide each is depends on how many there are. */
function drawTraining() {
    const charts = drawnColumns.map((column) => ({ ...column, series: [...seriesOf(column.name), ...column.name === "loss" ? predictorSeries() : []] }))
        .filter((chart) => chart.series.length > 0);
    byId("training").hidden = byId("training-link").hidden = charts.length === 0;
    for (const { name } of charts) {
        byId(name).parentElement.hidden = false;
    }
    for (const { name, series, high, log } of charts) {
        drawChart(byId(name), series, runs[0].steps[state.index], { high, log });
    }
}

/* Of a score and its null; place: of the first of the two from which on they are above the baseline. */
function besideNull(place) {
    return place < 0 ? "near its baseline" : place === 0 ? "above its baseline, and so is its null" : "above its baseline; its null is not";
}

/* The heads in the order of their life-lines: those that find the relation best first; "": as they stand. */
function headsOfLives(relation) {
    const heads = runs.flatMap((run) => run.heads), last = (head) => head.run.last(head, metricOfRelation(relation));
    return relation === "" ? heads : heads.filter((head) => Number.isFinite(last(head))).sort((a, b) => last(b) - last(a));
}

/* The best heads for a relation over training, the baseline, and where each began to earn it. */
function drawRelation(relation) {
    const styles = ["", "second", "third"], metric = metricOfRelation(relation);
    const best = relation === "" ? [] : headsOfLives(relation).slice(0, styles.length);
    byId("life-chart").hidden = best.length === 0;
    if (best.length === 0) {
        return;
    }
    const readings = best.map((head) => head.run.reading(head, metric));
    const series = readings.map((reading, i) => ({ name: lifeName(best[i]), style: styles[i], xs: reading.steps, ys: reading.values }));
    series.push({ name: "baseline", style: "dashed", xs: readings[0].steps, ys: readings[0].baselines });
    const born = readings.filter((reading) => reading.birth !== null).map((reading) => [reading.steps[reading.birth], reading.values[reading.birth]]);
    drawChart(byId("life-chart"), series, runs[0].steps[state.index], { high: 1, points: born, inPercent: true });
}

function lifeName(head) {
    return runs.length > 1 ? `${head.run.name} ${head.name}` : head.name;
}

/* When a head left its baseline, or earned the relation. */
function lifeText(head, relation, reading, birth) {
    const place = birth === null ? -1 : head.run.measured.indexOf(reading.steps[birth]);
    if (head.run.data.stages !== undefined) {
        return besideNull(place);
    }
    if (relation !== "") {
        return birth === null ? "does not earn it" : `earned from step ${reading.steps[birth]}`;
    }
    return birth === null ? "stayed near its baseline" : `left its baseline at step ${reading.steps[birth]}`;
}

/* "held off until step 500" */
function holdText({ kind, first, end }) {
    const held = kind === "off" ? "held off" : "frozen";
    return `${held}${first > 0 ? ` from step ${first}` : ""}${Number.isFinite(end) ? ` until step ${end}` : first > 0 ? "" : " throughout"}`;
}

/* The list of life-lines, of what each head does or of a relation; returns the curves. */
function buildLives(relation) {
    const curves = [];
    byId("life-list").replaceChildren();
    for (const head of headsOfLives(relation)) {
        const metric = relation === "" ? metricOfLabel(head.label) : metricOfRelation(relation);
        const reading = head.run.reading(head, metric) ?? head.run.reading(head, "best");
        const holds = holdsOf(head), curve = smallCurve(head.run, reading, holds);
        const birth = reading === undefined ? null : birthOf(metric, reading);
        const place = birth === null ? -1 : head.run.measured.indexOf(reading.steps[birth]);
        const text = [lifeText(head, relation, reading, birth), ...holds.map(holdText)].join("; ");
        const told = relation === "" ? head.label ?? metric : `${shown(100 * reading.values.at(-1), 1)}%`;
        const box = element("div", { class: "life" },
            element("div", { class: "name" }, element("strong", {}, lifeName(head)),
                element("span", {}, told)), curve, element("div", { class: "name" }, element("span", {}, text)));
        if (place >= 0) {
            /* A dot that stretching does not distort: a line of no length with round ends. */
            const x = (place / Math.max(head.run.measured.length - 1, 1)) * 100;
            const y = 28 - 26 * Math.min(Math.max(reading.values[birth], 0), 1);
            curve.append(svgElement("path", { d: `M${x} ${y}h0.01`, stroke: "var(--second)", "stroke-width": 9,
                                              "stroke-linecap": "round", "vector-effect": "non-scaling-stroke" }));
        }
        byId("life-list").append(box);
        curves.push(curve);
    }
    return curves;
}
