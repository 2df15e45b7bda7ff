/* The page as a whole: what is looked at, and what moves it. */

const views = { map: LargeMap, lines: Lines, computation: Computation };
/* In a notebook the page shows one head alone: the one that its first tag was given. */
const only = document.documentElement.dataset.only;
const parts = { cells: [], lives: [], classes: [], view: null, partner: null, partnerText: null, opener: null };

/* What the head does by the weights of the last step, of which its label is. */
function sentence(head) {
    const verdict = { true: "faithful", false: "not faithful" }[verdictOf(head)];
    const null_ = Number.isFinite(head.null) ? `, null ${shown(head.null, 3)}` : "";
    const group = isByGroup(head) ? `, as a group of ${head.group.heads}` : "";
    const meaning = head.label === undefined ? "" : ` (${head.meaning})`;
    const miss = missOf(head) === "" ? "" : `; ${missOf(head)}`;
    const relation = grammarText(head) === "" ? "" : `; ${grammarText(head)}`;
    return `${head.label ?? "no label"}${meaning}${null_}${miss}${verdict === undefined ? "" : `, ${verdict}${group}`}${relation}.`;
}

/* What the head does, in one sentence, of what it has earned: where it looks, what it hands on, what it adds. */
function doesText(head) {
    const logit = head.run.data.logit, score = Number.isFinite(head.score) ? ` (${shown(head.score, 2)})` : "";
    const parts = [
        ["mixed", "uniform", undefined].includes(head.label) ? "" : `${head.meaning}${score}`,
        head.copies_earned ? `hands on which token stands there (${shown(head.copies, 2)})` : "",
        Math.abs(head.direct) > 3 * head.direct_error ? `${head.direct < 0 ? "takes" : "adds"} ${shown(Math.abs(head.direct), 1)} ` +
            `${head.direct < 0 ? "from" : "to"} the answer’s logit (${shown(logit, 1)} in all)` : "",
    ].filter((part) => part !== "");
    const text = parts.length > 2 ? `${parts[0]}, ${parts[1]}, and ${parts[2]}` : parts.join(" and ");
    return text === "" ? "" : `${head.name} ${text}.`;
}

/* What the head does at the last step, then what it scores at the step that is shown. */
function drawSentence(place, head) {
    const run = head.run, steps = run.steps, step = steps[indexOf(run)], reading = run.reading(head, metricOfLabel(head.label));
    const at = reading?.steps.indexOf(step) ?? -1;
    const capitalised = (text) => text.replace(/^./, (letter) => letter.toUpperCase());
    const nameOf = (one) => element("strong", {}, `${capitalised(run.stepName(one))}: `);
    const does = doesText(head);
    place.replaceChildren(...does === "" ? [] : [does, element("br")], nameOf(steps.at(-1)), sentence(head));
    if (head.label !== undefined && at >= 0) {
        const score = `score ${shown(reading.values[at], 3)}, baseline ${shown(reading.baselines[at], 3)}.`;
        place.append(...step === steps.at(-1) ? [` ${capitalised(score)}`] : [element("br"), nameOf(step), score]);
    }
}

function drawLife() {
    const head = state.head;
    const metric = byId("metric").value, reading = head.run.reading(head, metric);
    if (reading === undefined) {
        byId("life").replaceChildren();
        return;
    }
    const birth = birthOf(metric, reading);
    const series = [{ name: metric, style: "", xs: reading.steps, ys: reading.values }];
    if (reading.baselines.some(Number.isFinite)) {
        series.push({ name: "baseline", style: "dashed", xs: reading.steps, ys: reading.baselines });
    }
    const inUnit = Math.max(...reading.values) <= 1;
    const points = birth === null ? [] : [[reading.steps[birth], reading.values[birth]]];
    drawChart(byId("life"), series, head.run.steps[indexOf(head.run)], { high: inUnit ? 1 : undefined, points, stages: head.run.data.stages });
}

/* The outlined cell, kept inside of the map, and its weight: step by step of the last snapshot, else of the one that is shown. */
function moveCell(query, key) {
    const run = state.head.run, example = exampleOf(run), tokens = run.examples[example].tokens, n = tokens.length;
    const last = run.steps.length - 1, measure = state.measure, index = state.view === "computation" || measure !== "weights" ? last : indexOf(run);
    state.query = Math.min(Math.max(query, 0), n - 1);
    state.key = Math.min(Math.max(key, 0), n - 1);
    byId("readout").textContent = run.levels[index] === undefined ? "" :
        `query ${state.query} “${tokens[state.query]}” → key ${state.key} “${tokens[state.key]}”: ` +
        `${{ weights: "weight", norms: "share of norms", answer: "adds to the answer" }[measure]} ${run.weightText(state.head, index, example, state.query, state.key)}` +
        `${index === indexOf(run) ? "" : ` (${run.stepName(run.steps[last])})`}`;
    parts.view?.draw();
    parts.partner?.draw();
}

function drawDetail() {
    if (state.head !== null) {
        drawSentence(byId("detail-label"), state.head);
        if (parts.partner !== null) {
            drawSentence(parts.partnerText, parts.partner.head);
        }
        moveCell(state.query, state.key);
        drawLife();
    }
}

async function draw() {
    await Promise.all(runs.map((run) => run.load(indexOf(run))));
    byId("step").textContent = runs[0].stepName(runs[0].steps[state.index]);
    byId("slider").setAttribute("aria-valuetext", byId("step").textContent);
    paintScale();
    drawCells(parts.cells);
    parts.lives.forEach((curve) => curve.moveNow());
    drawRelation(byId("life-relation").value);
    drawTraining();
    parts.classes.forEach((map) => map.draw());
    drawDetail();
}

function goTo(index) {
    state.index = Math.min(Math.max(index, 0), runs[0].steps.length - 1);
    byId("slider").value = state.index;
    return draw();
}

function showView() {
    for (const button of document.querySelectorAll("[data-view]")) {
        button.setAttribute("aria-pressed", button.dataset.view === state.view);
    }
    byId("view").replaceChildren();
    parts.view = new views[state.view](byId("view"), state.head, moveCell);
    showPartner();
    drawDetail();
}

/* With two runs: the other run's head that looks at the same, drawn below in the same way. */
function showPartner() {
    const compares = runs.length > 1 && state.view !== "computation";
    const partner = compares ? partnerOf(state.head) : null;
    byId("partner").hidden = !compares;
    byId("partner").replaceChildren();
    parts.partner = null;
    for (const cell of parts.cells) {
        cell.button.classList.toggle("match", cell.head.name === partner?.head.name &&
            cell.head.run.index === partner.head.run.index);
    }
    byId("pair").classList.toggle("two", partner !== null);
    if (compares && partner === null) {
        byId("partner").append(element("p", { class: "hint" }, "This report does not contain which heads are similar."));
    }
    if (partner !== null) {
        byId("view").prepend(element("p", {}, element("strong", {}, `${state.head.run.name} ${state.head.name}`)));
        parts.partnerText = element("span");
        byId("partner").append(element("p", {}, element("strong", {}, `${partner.head.run.name} ${partner.head.name}`),
            `, the closest: divergence ${shown(partner.js, 3)} of at most 0.693. `, parts.partnerText));
        parts.partner = new views[state.view](byId("partner"), partner.head, moveCell);
    }
}

function fillMetrics(head) {
    const metrics = head.run.metricsOf(head);
    byId("metric").replaceChildren(...[...byGroup(metrics, (metric) => wordOf(metric)?.group ?? "")].map(([group, names]) =>
        element("optgroup", { label: group }, ...names.map((name) =>
            new Option(`${name}: ${meaningOf(head.run, name)}`, name)))));
    const wanted = metricOfLabel(head.label);
    byId("metric").value = metrics.includes(wanted) ? wanted : metrics[0] ?? "";
}

function openHead(head, opener) {
    parts.opener = opener ?? parts.opener;
    state.head = head;
    byId("stage").classList.add("open");
    byId("stage").classList.toggle("two", runs.length > 1);
    byId("detail").hidden = false;
    showGold();
    if (state.query === null) {
        pointAtStrongest(head);
    }
    byId("detail-title").textContent = runs.length > 1 ? `${head.run.name} ${head.name}` : head.name;
    for (const cell of parts.cells) {
        cell.button.setAttribute("aria-pressed", cell.head === head);
    }
    fillMetrics(head);
    drawCells(parts.cells); /* which have another width now */
    showView();
    setAddress(head);
    if (only === undefined) { /* the notebook keeps the keys */
        byId("detail").focus({ preventScroll: true });
        byId("detail").scrollIntoView({ block: "nearest" });
    }
}

/* The head's address on this page: report.html#L1H0, or report.html#L1H0-2 for a head of the second run. */
function addressOf(head) {
    return `#${head.name}${head.run.index === 0 ? "" : `-${head.run.index + 1}`}`;
}

function cellAtAddress(address) {
    return parts.cells.find((cell) => addressOf(cell.head) === address);
}

/* Opens the head at the address, if one has it. Without any address no head is open. */
function openAddress(address) {
    const cell = cellAtAddress(address);
    if (cell !== undefined && cell.head !== state.head) {
        openHead(cell.head, cell.button);
    } else if (address === "" && state.head !== null) {
        closeHead();
    }
}

/* Every head that is opened or closed is an entry of the browser's history. A notebook's frame has no address. */
function setAddress(head) {
    if (only === undefined && location.hash !== (head === null ? "" : addressOf(head))) {
        history.pushState(null, "", head === null ? location.pathname + location.search : addressOf(head));
    }
}

function closeHead() {
    if (cellAtAddress(location.hash) !== undefined) {
        setAddress(null);
    }
    state.head = null;
    parts.view = null;
    parts.partner = null;
    byId("stage").classList.remove("open");
    byId("detail").hidden = true;
    for (const cell of parts.cells) {
        cell.button.setAttribute("aria-pressed", "false");
        cell.button.classList.remove("match");
    }
    drawCells(parts.cells);
    parts.opener?.focus();
}

function showGold() {
    byId("gold").value = state.gold ?? goldOfLabel(state.head?.label);
}

/* The cell of the largest weight, for a reader who has not pointed at one yet. */
function pointAtStrongest(head) {
    const run = head.run, levels = run.map(head, indexOf(run), exampleOf(run)) ?? [0];
    const n = run.examples[exampleOf(run)].tokens.length;
    const place = levels.findIndex((level) => Math.abs(level) === topLevel(levels));
    state.query = Math.floor(place / n);
    state.key = place % n;
}

function chooseExample() {
    state.example = Number(byId("example").value);
    const stated = (run) => run.examples[exampleOf(run)].gold.filter((gold) => gold.keys.some((key) => key >= 0));
    const names = runs.flatMap((run) => stated(run).map((gold) => gold.name));
    const shownName = (name) => (name === "source" ? "query and its answer" : name);
    byId("gold").replaceChildren(new Option("none", ""), ...[...new Set(names)].map((name) => new Option(shownName(name), name)));
    byId("gold-label").hidden = names.length === 0;
    showGold();
}

/* Tokens or words. What a head computes is of tokens: it has no step by step of words. */
function showUnit(unit) {
    state.unit = unit;
    state.query = null;
    document.querySelector("[data-view=computation]").hidden = unit === "words";
    state.view = unit === "words" && state.view === "computation" ? "map" : state.view;
    chooseExample();
    if (state.head !== null) {
        pointAtStrongest(state.head);
        showView();
    }
    draw();
}

/* Whether the element with focus needs its keys itself. */
function isTyping(target) {
    return ["SELECT", "TEXTAREA"].includes(target.tagName) || (target.tagName === "INPUT" && target.type !== "range");
}

/* Space plays, also while a button or a select has focus. The list of an open select gets its keys before the page. */
function isPlayKey(event) {
    return event.key === " " && !event.ctrlKey && !event.altKey && !event.metaKey &&
        (event.target.tagName === "SELECT" || !isTyping(event.target));
}

function onKey(event) {
    const target = event.target, last = lastPlace();
    const place = { ArrowLeft: state.index - 1, ArrowRight: state.index + 1, Home: 0, End: last }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) {
        return;
    }
    if (event.key === "Escape" && state.head !== null && only === undefined) {
        closeHead();
    } else if (isPlayKey(event)) {
        event.preventDefault();
        if (!event.repeat) {
            play(!isPlaying());
        }
    } else if (place !== undefined && !isTyping(target) && !target.classList.contains("scroll")) {
        event.preventDefault();
        play(false);
        goTo(place);
    }
}

/* A button is pressed when its key is released, even where onKey has used the key. */
function onKeyReleased(event) {
    if (isPlayKey(event)) {
        event.preventDefault();
    }
}

function setUpControls() {
    byId("slider").max = runs[0].steps.length - 1;
    byId("slider").value = state.index;
    byId("slider").addEventListener("input", () => {
        play(false);
        goTo(Number(byId("slider").value));
    });
    byId("play").addEventListener("click", () => play(!isPlaying()));
    byId("close").addEventListener("click", closeHead);
    const common = runs[0].examples.slice(0, Math.min(...runs.map((run) => run.examples.length)));
    byId("example").append(...common.map((example, i) => new Option(`${i}: ${example.tokens.slice(0, 6).map(shortened).join(" ")} …`, i)));
    byId("example").value = openingExample(common.length);
    byId("example").addEventListener("change", () => {
        chooseExample();
        draw();
    });
    byId("measure").append(...measuresThere().map((name) => new Option(name === "answer" ? "to the answer" : name, name)));
    byId("measure-label").hidden = measuresThere().length === 1;
    byId("measure").addEventListener("change", () => chooseMeasure(byId("measure").value));
    byId("scale-choice").addEventListener("change", () => {
        state.scale = byId("scale-choice").value;
        draw();
    });
    byId("unit-label").hidden = !runs.every((run) => run.hasWords);
    byId("unit").addEventListener("change", () => showUnit(byId("unit").value));
    byId("gold").addEventListener("change", () => {
        state.gold = byId("gold").value;
        drawDetail();
    });
    byId("metric").addEventListener("change", drawLife);
    for (const button of document.querySelectorAll("[data-view]")) {
        button.addEventListener("click", () => {
            state.view = button.dataset.view;
            showView();
        });
    }
    document.addEventListener("keydown", onKey);
    document.addEventListener("keyup", onKeyReleased);
    let resized = 0;
    window.addEventListener("resize", () => {
        cancelAnimationFrame(resized);
        resized = requestAnimationFrame(draw);
    });
}

/* "2 layers of 4 heads", "2 layers of 4 and 2 heads". */
function layersText(run) {
    const counts = run.layers.map((heads) => heads.length), n = counts.length;
    const differ = counts.some((count) => count !== counts[0]);
    const heads = differ ? `${counts.slice(0, -1).join(", ")} and ${counts[n - 1]}` : `${counts[0]}`;
    return `${n} ${n === 1 ? "layer" : "layers"} of ${heads} ${heads === "1" ? "head" : "heads"}`;
}

/* What the page leaves out of a run with very many numbers. */
function leftOutText(run) {
    const { snapshots = 0, examples = 0, rows = false } = run.data.left_out ?? {};
    const parts = [
        snapshots > run.steps.length ? `the maps of ${snapshots - run.steps.length} of ${snapshots} snapshots` : "",
        examples > run.examples.length ? `${examples - run.examples.length} of ${examples} examples` : "",
        rows ? "the curves of js and of offsets that no label names" : "",
    ].filter((part) => part !== "");
    const name = runs.length > 1 ? ` of ${run.name}` : "";
    return parts.length === 0 ? "" :
        `To open fast, this page leaves out${name} ${parts.join(", ")}. ${run.data.stages === undefined ? "The folder patterns/ and heads.csv have them" : "heads.csv and --npz have them"}. `;
}

/* Where a model stands beside its null, nothing was trained. */
function sayStages() {
    if (runs.every((run) => run.data.stages === undefined)) {
        return;
    }
    byId("line-hint").textContent = "starts at its null, the score with random weights";
    byId("life-title").textContent = "Beside its null";
    byId("lives-title").textContent = "Scores and their nulls";
    document.querySelector("nav [href='#lives']").textContent = "Nulls";
    byId("lives-hint").textContent = "Each head's score with random weights, its null (left), and with the model's weights (right). " +
        "The dashed line is the baseline. The dot marks a score that is at least a tenth of the way from the baseline to a perfect score.";
    byId("slider").setAttribute("aria-label", "Weights");
}

/* The relations of the treebanks that runs were counted on: their life-lines can be chosen. */
function buildLifeRelations() {
    const all = new Map(runs.flatMap((run) => (run.data.syntax_steps?.relations ?? []).map((relation) => [relation.name, relation])));
    byId("life-relation-label").hidden = all.size === 0;
    byId("life-relation").append(...[...all.keys()].map((name) => new Option(`the treebank’s ${name}`, name)));
    byId("life-relation").addEventListener("change", () => {
        const name = byId("life-relation").value, relation = all.get(name);
        byId("lives-hint").hidden = name !== "";
        byId("life-relation-hint").hidden = name === "";
        const [chosen, baseline, short] = name.startsWith("coreference") ?
            ["Documents 1, 3, 5 … are measured", "the rule that looks at the nearest mention with the same word, or else at the nearest", "rule"] :
            ["Its direction is chosen on sentences 0, 2, 4 … and measured on the others", "the best fixed offset on these held-out sentences", "offset"];
        byId("life-relation-hint").textContent = name === "" ? "" : `In how many of the ${counted(relation.cases)} held-out cases each head finds it, the best head first. ${chosen}. ` +
            `The dashed line is ${baseline}. The dot marks the step from which a head earns the relation until the end: ` +
            `it is at least a tenth above the ${short}, and their intervals (Wilson, 95%) do not overlap.`;
        parts.lives = buildLives(name);
        draw();
    });
}

function writeHeading() {
    byId("left-out").textContent = runs.map(leftOutText).join("");
    byId("left-out").hidden = byId("left-out").textContent === "";
    const facts = runs.map((run) => {
        const config = run.data.config;
        const validation = run.metrics.filter((row) => row[1] === "validation").at(-1);
        const last = (column) => validation[run.metricsColumns.indexOf(column)] ?? "";
        const result = validation === undefined ? "" : `; validation loss ${Number(validation[2]).toPrecision(3)}` +
            (validation[3] === "" ? "" : `, accuracy ${(100 * Number(validation[3])).toFixed(1)}%`) +
            (last("perplexity") === "" ? "" : `, perplexity ${Number(last("perplexity")).toPrecision(3)}`) +
            (last("bits_per_character") === "" ? "" : `, ${Number(last("bits_per_character")).toPrecision(3)} bits per character`) +
            (last("macro_f1") === "" ? "" : `, macro F1 ${(100 * Number(last("macro_f1"))).toFixed(1)}%`);
        const task = configValue(config, "task", "name"), isOpen = task === "";
        return `${runs.length > 1 ? `${run.name}: ` : ""}${isOpen ? "" : `${task} task, `}${layersText(run)}, d_model ${configValue(config, "model", "d_model")}` +
            `${isOpen ? "" : `, step ${run.steps.at(-1)}`}${result}${run.data.about === undefined ? "" : `; ${run.data.about}`}`;
    });
    const title = runs.map((run) => run.name).join(" against ").split(/(?<=[_/])/); /* where a line may end */
    byId("title").replaceChildren(...title.flatMap((part) => [part, element("wbr")]));
    byId("closest-hint").hidden = runs.length < 2;
    byId("answers-hint").hidden = runs.every((run) => run.data.examples.every((example) => !example.targets?.some((target) => target !== -1)));
    sayStages();
    document.title = `${runs.map((run) => run.name).join(" against ")} – Headlight report`;
    byId("subtitle").textContent = facts.join(" · ");
    for (const run of runs) {
        const box = element("details", {}, element("summary", {}, configValue(run.data.config, "task", "name") === "" ? `Shape of ${run.name}` : `config.ini of ${run.name}`), element("pre", {}, run.data.config));
        byId("configs").append(box);
    }
}

async function start() {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("This browser is too old to unpack the report (it lacks DecompressionStream). Please use a browser from 2023 or later.");
    }
    await Promise.all(runs.map((run) => run.open()));
    await Promise.all(runs.map((run) => run.load(indexOf(run))));
    writeHeading();
    setUpControls();
    chooseExample();
    state.scale = openingScale();
    byId("scale-choice").value = state.scale;
    setUpTheme();
    parts.cells = buildGrids((head) => openHead(head, parts.cells.find((cell) => cell.head === head).button));
    buildLifeRelations();
    parts.lives = buildLives("");
    parts.classes = buildClasses();
    buildGrammar();
    buildTable();
    buildWords();
    await draw();
    openAddress(only === undefined ? location.hash : `#${only}`);
    window.addEventListener("hashchange", () => openAddress(location.hash));
    document.documentElement.dataset.ready = "true";
    for (const run of runs) {
        for (let i = 0; i < run.steps.length; i++) {
            await run.load(i);
        }
    }
}

start().catch((error) => {
    byId("trouble").textContent = error.message;
    byId("trouble").hidden = false;
});
