/* The gallery: every task a card with all its heads, all trainings moved by one slider. The data are those of the tasks'
 * reports (show/report/data.js), less of each. */

const FRAMES = 24; /* places of the slider after the first, each a snapshot of every run */
const cards = [];

/* The snapshot of a run that is shown: all runs begin at the first place and end at the last. */
function frameOf(run) {
    return Math.round((state.index / FRAMES) * (run.steps.length - 1));
}

function reportOf(run) {
    return `${encodeURIComponent(run.name)}/report.html`;
}

/* ---- a head ---- */

/* The step from which on a head does what its label says; null for heads without a skill. */
function birthStep(head) {
    if (["mixed", "uniform", undefined].includes(head.label)) {
        return null;
    }
    const metric = metricOfLabel(head.label), reading = head.run.reading(head, metric);
    const birth = reading === undefined ? null : birthOf(metric, reading);
    return birth === null ? head.run.steps.at(-1) : reading.steps[birth];
}

/* A relation by its name alone; a line may end after "_". */
function shortLabel(label) {
    return label.replace(/^relation\((.*)\)$/, "$1").replaceAll("_", "_\u200b");
}

function buildHead(head) {
    const canvas = element("canvas", { role: "img" });
    const score = element("span"), label = element("span", { class: "label" }, shortLabel(head.label ?? ""));
    const link = element("a", { class: "head", href: `${reportOf(head.run)}#${head.name}` }, canvas,
        element("span", { class: "name" }, head.name, score), label);
    return { head, canvas, score, link, birth: birthStep(head), reading: head.run.reading(head, metricOfLabel(head.label)) };
}

function drawHead(cell) {
    const { head } = cell, run = head.run, frame = frameOf(run), step = run.steps[frame], levels = run.map(head, frame, 0);
    const isBorn = cell.birth !== null && step >= cell.birth;
    paintLevels(cell.canvas, levels, run.examples[0].tokens.length);
    cell.link.classList.toggle("born", isBorn);
    cell.link.classList.toggle("idle", cell.birth === null && frame === run.steps.length - 1);
    const at = isBorn ? cell.reading?.steps.indexOf(step) ?? -1 : -1;
    cell.score.textContent = at < 0 ? "" : shown(cell.reading.values[at], 2);
    const does = isBorn ? head.meaning : "does no one thing yet";
    cell.canvas.setAttribute("aria-label", `${head.name} of ${run.name} at ${run.stepName(step)}: ${does}`);
    cell.link.title = isBorn ? `${head.label}: ${head.meaning}` : "";
}

/* ---- a task ---- */

function accuracyAt(run, step) {
    const column = run.metricsColumns.indexOf("accuracy");
    const row = run.metrics.filter((one) => one[1] === "validation" && Number(one[0]) <= step).at(-1);
    return row === undefined || row[column] === "" ? "" : ` · ${Math.floor(100 * Number(row[column]))}% right`;
}

/* The example with what the model answers, in the place of masks, else after the token. */
function drawSaid(card) {
    const run = card.run, at = new Map(run.answers(frameOf(run), 0).map((answer) => [answer.position, answer]));
    card.said.firstChild.replaceChildren(...run.examples[0].tokens.flatMap((token, i) => {
        const answer = at.get(i);
        if (answer === undefined) {
            return [element("b", {}, token), " "];
        }
        const said = element("em", { class: nameOf(answer), title: `position ${i}: target ${answer.target}, answer ${answer.prediction}, ${nameOf(answer)}` },
            shortened(answer.prediction));
        return /^[<[]mask[>\]]$/.test(token) ? [said, " "] : [element("b", {}, `${token} `), "→\u00a0", said, " "];
    }));
    keepHeight(card.said);
}

/* Answers grow longer and shorter while it plays: maps below them move down once, not with each. */
function keepHeight(box) {
    box.style.minHeight = `${Math.max(parseFloat(box.style.minHeight) || 0, box.offsetHeight)}px`;
}

function buildCard(run) {
    const now = element("span"), said = element("p", { class: "said" }, element("span"));
    const heads = run.layers.map((layer) => layer.map(buildHead));
    const layers = heads.map((cells) => {
        const columns = run.layers.length === 1 && cells.length > 4 ? Math.ceil(cells.length / 2) : cells.length;
        const row = element("div", { class: columns > 4 ? "layer many" : "layer" }, ...cells.map((cell) => cell.link));
        row.style.setProperty("--columns", columns);
        return row;
    });
    const title = run.name.replaceAll("_", " ");
    const box = element("section", { id: run.name, "aria-labelledby": `${run.name}-title` },
        element("h2", { id: `${run.name}-title` }, now, element("a", { href: reportOf(run) }, title)),
        element("p", { class: "about" }, run.data.about), said, ...layers);
    return { run, box, now, said, cells: heads.flat() };
}

function drawCard(card) {
    const step = card.run.steps[frameOf(card.run)];
    card.now.textContent = `step ${step} of ${card.run.steps.at(-1)}${accuracyAt(card.run, step)}`;
    drawSaid(card);
    card.cells.forEach(drawHead);
}

/* ---- the page ---- */

async function draw() {
    await Promise.all(runs.map((run) => run.load(frameOf(run))));
    const place = state.index;
    byId("step").textContent = place === 0 ? "untrained" : place === FRAMES ? "trained" : "training";
    byId("slider").setAttribute("aria-valuetext", `${byId("step").textContent}, place ${place} of ${FRAMES}`);
    cards.forEach(drawCard);
}

function goTo(index) {
    state.index = Math.min(Math.max(index, 0), FRAMES);
    byId("slider").value = state.index;
    return draw();
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") {
        return;
    }
    if (event.key === " " && event.target.tagName !== "BUTTON") {
        event.preventDefault();
        play(!isPlaying());
    } else if (["ArrowLeft", "ArrowRight"].includes(event.key)) {
        event.preventDefault();
        play(false);
        goTo(state.index + (event.key === "ArrowRight" ? 1 : -1));
    }
}

async function start() {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("This browser is too old to unpack the gallery (it lacks DecompressionStream): please use one of 2023 or later.");
    }
    await Promise.all(runs.map((run) => run.open()));
    const heads = runs.reduce((sum, run) => sum + run.heads.length, 0);
    byId("subtitle").textContent = `${runs.length} ${runs.length === 1 ? "task" : "tasks"}, ${heads} heads: press space and watch them being born. Each square is a head: rows are ` +
        "queries, columns keys. In a frame: it does what its label says. Select a head or a task to look closer.";
    state.index = FRAMES;
    byId("slider").max = FRAMES;
    byId("slider").value = FRAMES;
    byId("slider").addEventListener("input", () => {
        play(false);
        goTo(Number(byId("slider").value));
    });
    byId("play").addEventListener("click", () => play(!isPlaying()));
    document.addEventListener("keydown", onKey);
    addEventListener("resize", () => {
        cards.forEach((card) => card.said.style.removeProperty("min-height"));
        cards.forEach((card) => keepHeight(card.said));
    });
    cards.push(...runs.map(buildCard));
    byId("tasks").append(...cards.map((card) => card.box));
    setUpTheme();
    await draw();
    document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
    byId("trouble").textContent = error.message;
    byId("trouble").hidden = false;
});
