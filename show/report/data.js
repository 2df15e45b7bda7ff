"use strict";

/* What the page knows: the runs, with their maps unpacked when they are needed. All texts of the data are put into the
 * page as text, by `element`, never as markup. */

function byId(id) {
    return document.getElementById(id);
}

function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
        made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        bytes[i] = text.charCodeAt(i);
    }
    return bytes;
}

async function unpacked(packed) {
    const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackedText(packed) {
    return packed === undefined ? "" : new TextDecoder().decode(await unpacked(packed));
}

async function unpackedFloats(packed) {
    return new Float32Array((await unpacked(packed)).buffer);
}

/* The rows of a CSV file below its header; no field is quoted or holds a comma. */
function csvRows(text) {
    return text.split("\n").slice(1).filter((line) => line !== "").map((line) => line.split(","));
}

/* Levels are the weights' square roots, 0 .. 255 (show/report_maps.h). A level below 0 is a number below 0. */
const weightOf = Float64Array.from({ length: 256 }, (_, level) => (level / 255) ** 2);

function headName(layer, head) {
    return `L${layer}H${head}`;
}

/* What a head finds of a treebank's relation, as a metric (syntax.csv). */
function metricOfRelation(name) {
    return `relation(${name})`;
}

/* The metric that earned a label, as heads.csv names it; of heads without a skill, the best offset's. */
function metricOfLabel(label) {
    const plain = { previous: "offset(-1)", next: "offset(1)", self: "offset(0)", uniform: "best", mixed: "best" };
    return plain[label] ?? label ?? "best";
}

function configValue(config, section, key) {
    let inside = "";
    for (const line of config.split("\n")) {
        const header = line.match(/^\[(.*)\]/);
        inside = header ? header[1] : inside;
        const [name, value] = line.split(/\s*=\s*/);
        if (inside === section && name === key) {
            return value.split(/\s*[#;]/)[0];
        }
    }
    return "";
}

/* When a head was held off or frozen while the model trained: { kind, first, end } of each time, end beyond all steps
 * where it lasted until the end. train.off and train.frozen are lists such as L0H1@0-500, L1H*@200-. */
function holdsOf(head) {
    return ["off", "frozen"].flatMap((kind) => configValue(head.run.data.config ?? "", "train", kind).replaceAll('"', "").split(",").flatMap((item) => {
        const [, layer, number, first, end] = item.match(/^\s*[Ll](\d+)[Hh](\d+|\*)(?:@(\d+)-(\d*))?\s*$/) ?? [];
        const itself = Number(layer) === head.layer && (number === "*" || Number(number) === head.head);
        return itself ? [{ kind, first: Number(first ?? 0), end: end ? Number(end) : Infinity }] : [];
    }));
}

/* An example with words in the place of their tokens, special ones left out; spans: [first, last + 1] of each. Null where
 * no words are known, or there are none in it. */
function exampleOfWords(example) {
    const spans = [];
    example.word_of?.forEach((word, i) => {
        if (word >= 0 && word === example.word_of[i - 1]) {
            spans.at(-1)[1] = i + 1;
        } else if (word >= 0) {
            spans.push([i, i + 1]);
        }
    });
    return spans.length === 0 ? null : { tokens: example.word_texts, gold: [], spans };
}

/* The weight between two words: of a query's tokens the mean, of a key's the sum (heads/word_join.h). */
function joinedWeight(weightAt, [firstQuery, endQuery], [firstKey, endKey]) {
    let sum = 0;
    for (let i = firstQuery; i < endQuery; i++) {
        for (let j = firstKey; j < endKey; j++) {
            sum += weightAt(i, j);
        }
    }
    return sum / (endQuery - firstQuery);
}

/* The level of a number, which is 255 at `top`. */
function levelOf(number, top) {
    return Math.sign(number) * Math.round(255 * Math.sqrt(Math.min(1, Math.abs(number) / top)));
}

/* Whether answers are read from the mean of all tokens. They then stand at position 0, as those that are read from there;
 * tasks that ask at other positions too have no pooling. */
function isPooled(data) {
    return configValue(data.config ?? "", "model", "pooling") === "mean" && /* the gallery keeps no config */
        data.examples.every(({ targets = [] }) => targets.every((target, position) => position === 0 || target === -1));
}

class Run {
    constructor(data, index) {
        this.data = data;
        this.index = index;
        this.name = data.name;
        this.steps = data.snapshots.map((snapshot) => snapshot.step);
        this.ofWords = data.examples.map(exampleOfWords);
        this.heads = data.heads;
        this.layers = [];
        this.unpacking = [];
        this.levels = [];
        this.predictions = [];
        this.readings = new Map();
        this.measured = []; /* all steps of heads.csv, which may be more than there are snapshots here */
        this.metricsColumns = []; /* names; the rows of metrics.csv */
        this.metrics = [];
        this.pass = null;
        let inOne = 0;
        this.begin = data.examples.map((example) => {
            const begin = inOne;
            inOne += example.tokens.length ** 2;
            return begin;
        });
        this.perHead = inOne;
        this.isPooled = isPooled(data);
        this.heads.forEach((head, place) => {
            head.place = place;
            head.run = this;
            head.name = headName(head.layer, head.head);
            (this.layers[head.layer] ??= []).push(head);
        });
    }

    /* Of tokens, or of words where these are shown. */
    get examples() {
        return state.unit === "words" ? this.ofWords : this.data.examples;
    }

    /* Whether the page knows which words the tokens are of. */
    get hasWords() {
        return this.ofWords.every((example) => example !== null);
    }

    async open() {
        this.readReadings(await unpackedText(this.data.readings));
        await this.readSyntaxSteps();
        const metrics = await unpackedText(this.data.metrics);
        this.metricsColumns = metrics.split("\n", 1)[0].split(",");
        this.metrics = csvRows(metrics);
        await this.load(this.steps.length - 1);
    }

    readReadings(text) {
        for (const row of csvRows(text)) {
            const step = Number(row[0]);
            if (this.measured.at(-1) !== step) {
                this.measured.push(step);
            }
            const key = `${headName(row[1], row[2])} ${row[3]}`;
            if (!this.readings.has(key)) {
                this.readings.set(key, { steps: [], values: [], baselines: [] });
            }
            const reading = this.readings.get(key);
            reading.steps.push(step);
            reading.values.push(Number(row[4]));
            reading.baselines.push(row[5] === "" ? NaN : Number(row[5]));
        }
    }

    /* What the heads found in a treebank: a metric for each relation, whose births are told. */
    async readSyntaxSteps() {
        if (this.data.syntax_steps === undefined) {
            return;
        }
        const { steps, relations } = this.data.syntax_steps, found = await unpackedFloats(this.data.syntax_steps.found);
        const n = this.heads.length;
        relations.forEach((relation, r) => this.heads.forEach((head, h) => {
            this.readings.set(`${head.name} ${metricOfRelation(relation.name)}`, {
                steps, values: steps.map((_, s) => found[(s * relations.length + r) * n + h]), baselines: steps.map(() => relation.baseline ?? NaN),
                birth: relation.births[h] < 0 ? null : relation.births[h] });
        }));
    }

    /* All steps of one metric of a head; undefined where heads.csv has none. */
    reading(head, metric) {
        return this.readings.get(`${head.name} ${metric}`);
    }

    last(head, metric) {
        return this.reading(head, metric)?.values.at(-1) ?? NaN;
    }

    /* Those that make a curve: importance and loss_without are of the last step alone. */
    metricsOf(head) {
        const begin = `${head.name} `, few = Math.min(this.measured.length, 2);
        return [...this.readings].filter(([key, reading]) => key.startsWith(begin) && reading.steps.length >= few)
            .map(([key]) => key.slice(begin.length));
    }

    /* Unpacks a snapshot, once. */
    load(index) {
        this.unpacking[index] ??= this.unpack(index, this.data.snapshots[index]);
        return this.unpacking[index];
    }

    async unpack(index, snapshot) {
        if (snapshot.predictions !== undefined) {
            this.predictions[index] = new Int32Array((await unpacked(snapshot.predictions)).buffer);
        }
        this.levels[index] = await unpacked(snapshot.levels);
    }

    /* What is asked for on an example and what the model answers: empty where nothing is, or it is not known. An answer
     * that is read from the mean of all tokens is of no position: it is `whole`. */
    answers(index, example) {
        const all = this.predictions[index], targets = this.examples[example].targets;
        if (all === undefined || targets === undefined) {
            return [];
        }
        const begin = (all.length / this.examples.length) * example, words = this.data.words;
        return targets.flatMap((target, position) => (target === -1 ? [] : [{
            position, whole: this.isPooled, open: words[target] === "?" && target === -2, target: words[target], prediction: words[all[begin + position]], right: all[begin + position] === target,
        }]));
    }

    /* The place of a head's first level on an example. */
    placeOf(head, example) {
        return head.place * this.perHead + this.begin[example];
    }

    /* The levels (n, n) of a head on an example, of tokens or words; undefined while they are not unpacked. */
    map(head, index, example) {
        const n = this.data.examples[example].tokens.length, begin = this.placeOf(head, example);
        const levels = this.levels[index]?.subarray(begin, begin + n * n);
        if (levels === undefined || (state.unit === "tokens" && state.measure === "weights")) {
            return levels;
        }
        const places = Array.from(this.examples[example].tokens.keys());
        const top = state.measure === "answer" ? answerTop(this, example) : 1;
        const numberAt = state.measure === "weights" ? (query, key) => weightOf[levels[query * n + key]] : (query, key) => measured(head, example)[query][key];
        const numberOf = state.unit === "tokens" ? numberAt
            : (query, key) => joinedWeight(numberAt, this.ofWords[example].spans[query], this.ofWords[example].spans[key]);
        return Int16Array.from(places.flatMap((query) => places.map((key) => levelOf(numberOf(query, key), top))));
    }

    /* A weight between tokens, rounded to thousandths: behind all levels stand their corrections (show/report_maps.h). */
    tokenWeight(head, index, example, query, key) {
        const numbers = this.levels[index], n = this.data.examples[example].tokens.length;
        const place = this.placeOf(head, example) + query * n + key, correction = numbers[this.heads.length * this.perHead + place];
        return (Math.round(1000 * weightOf[numbers[place]]) + (correction << 24 >> 24)) / 1000;
    }

    /* A weight, or what else is measured, between tokens or words. */
    weight(head, index, example, query, key) {
        const spans = this.ofWords[example]?.spans, rows = state.measure === "weights" ? null : measured(head, example);
        const weightAt = (i, j) => rows?.[i][j] ?? this.tokenWeight(head, index, example, i, j);
        return state.unit === "tokens" ? weightAt(query, key) : joinedWeight(weightAt, spans[query], spans[key]);
    }

    /* The same with the digits that the page knows: three, and fewer of a sum or mean of rounded numbers. */
    weightText(head, index, example, query, key) {
        const spans = this.ofWords[example]?.spans, weight = this.weight(head, index, example, query, key);
        const isOfOne = state.unit === "tokens" || [spans[query], spans[key]].every(([first, end]) => end - first === 1);
        if (state.measure === "answer") {
            return signed(weight);
        }
        return isOfOne && (state.measure === "weights" || this.pass.whole) ? weight.toFixed(3) : `about ${weight.toFixed(2)}`;
    }

    /* The largest weight of a map, whose levels are given. */
    topText(head, index, example, levels) {
        const n = Math.sqrt(levels.length), top = topLevel(levels);
        const cells = Array.from(levels.keys()).filter((i) => Math.abs(levels[i]) === top).map((i) => [Math.floor(i / n), i % n]);
        const weightOfCell = ([query, key]) => Math.abs(this.weight(head, index, example, query, key));
        return this.weightText(head, index, example, ...cells.reduce((a, b) => (weightOfCell(b) > weightOfCell(a) ? b : a)));
    }

    nearest(step) {
        return nearestOf(this.steps, step);
    }

    /* What a step is called: of a model that is shown beside its null there was no training. */
    stepName(step) {
        return this.data.stages?.[step] ?? `step ${step}`;
    }
}

/* The place of the step that is nearest. */
function nearestOf(steps, step) {
    let best = 0;
    steps.forEach((s, i) => {
        best = Math.abs(s - step) < Math.abs(steps[best] - step) ? i : best;
    });
    return best;
}

const data = JSON.parse(byId("data").textContent);
const colours = bytesOf(data.colours);
const runs = data.runs.map((run, index) => new Run(run, index));

/* Whether a head without fault scores 1: not so with entropy, distance and js, nor with what the loss says. */
function isPerfectAtOne(metric) {
    return !/^(all\.)?(best\.offset$|entropy|distance|importance|loss_without$|js\()/.test(metric);
}

/* The place of the step from which on the head earns a treebank's relation; else from which on it stays at least a tenth of the way from its baseline to perfect; null: never,
 * or 1 is not what perfect is. */
function birthOf(metric, reading) {
    let birth = null;
    if (reading.birth !== undefined) {
        return reading.birth;
    }
    if (!isPerfectAtOne(metric)) {
        return birth;
    }
    for (let i = reading.steps.length - 1; i >= 0; i--) {
        const baseline = reading.baselines[i];
        const lift = (reading.values[i] - baseline) / (1 - baseline);
        if (!(lift >= 0.1)) {
            break;
        }
        birth = i;
    }
    return birth;
}

function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const LONGEST_TOKEN = 24;

/* A token where its text stands in a line; the whole is told where one points at it. */
function shortened(token) {
    const letters = [...token];
    return letters.length <= LONGEST_TOKEN ? token : `${letters.slice(0, LONGEST_TOKEN - 1).join("")}…`;
}

function shown(value, digits) {
    const text = Number.isFinite(value) ? value.toFixed(digits) : "–";
    return Number(text) === 0 ? (0).toFixed(digits) : text; /* not -0.000 */
}

/* Two digits with a sign. */
function signed(value) {
    const text = shown(value, 2);
    return Number(text) > 0 ? `+${text}` : text;
}

/* The largest level of a map, without its sign. */
function topLevel(levels) {
    return levels.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
}

/* What is being looked at; page.js and measure.js alone change it. unit: "tokens", or "words" of text. measure: "weights",
 * "norms" or "answer" (measure.js). scale: "same" for all heads or each one's "own". gold: the pairs that the reader chose to outline; null: those that the
 * head's label is about. query: null until a head was opened. relation: the place of the one whose heads are lit, or null. */
const state = { index: runs[0].steps.length - 1, example: 0, unit: "tokens", measure: "weights", scale: "same", gold: null, head: null, view: "map", query: null, key: 0, relation: null };

/* The snapshot of a run that is shown. */
function indexOf(run) {
    return run === runs[0] ? state.index : run.nearest(runs[0].steps[state.index]);
}

function exampleOf(run) {
    return Math.min(state.example, run.examples.length - 1);
}

function goldOfLabel(label) {
    return label === "alignment" ? "source" : label?.match(/^relation\((.*)\)$/)?.[1] ?? "";
}

function goldOf(run) {
    const name = state.gold ?? goldOfLabel(state.head?.label);
    return run.examples[exampleOf(run)].gold.find((gold) => gold.name === name)?.keys;
}
