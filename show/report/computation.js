/* One query of one head, worked step by step from the q, k, v and W_O of the last snapshot. */

const computation = { stage: 0, passes: new Map() };

async function openPass(run) {
    const pass = run.data.pass;
    const layers = await Promise.all(pass.layers.map(async (layer) => ({
        ...layer,
        q: await unpackedFloats(layer.q),
        k: await unpackedFloats(layer.k),
        v: await unpackedFloats(layer.v),
        w_o: await unpackedFloats(layer.w_o),
        b_o: await unpackedFloats(layer.b_o),
    })));
    return { ...pass, layers };
}

/* The vector of a position: `width` numbers of part `part` of a row of `parts`. */
function vectorOf(numbers, row, parts, part, width) {
    const begin = (row * parts + part) * width;
    return numbers.subarray(begin, begin + width);
}

function dot(a, b) {
    return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/* All that the panel shows of head `h` of a layer, for one query. */
function compute(pass, layer, h, heads, example, n, query, causal) {
    const first = example * pass.tokens;
    const kv = Math.floor(h / (heads / layer.kv_heads));
    const q = vectorOf(layer.q, first + query, heads, h, layer.d_k);
    const keys = Array.from({ length: n }, (_, j) => vectorOf(layer.k, first + j, layer.kv_heads, kv, layer.d_k));
    const values = Array.from({ length: n }, (_, j) => vectorOf(layer.v, first + j, layer.kv_heads, kv, layer.d_v));
    const products = keys.map((k, j) => (causal && j > query ? -Infinity : dot(q, k)));
    const scores = products.map((product) => product / Math.sqrt(layer.d_k));
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    const sum = powers.reduce((a, b) => a + b, 0);
    const weights = powers.map((power) => power / sum);
    const z = Array.from({ length: layer.d_v }, (_, c) => weights.reduce((s, a, j) => s + a * values[j][c], 0));
    return { q, keys, values, products, scores, weights, z };
}

/* Numbers as a row of colours, blue above 0, orange below, full at the largest; `mark(i)` names a class of place i. */
function strip(numbers, name, mark = () => "") {
    const list = Array.from(numbers);
    const most = Math.max(...list.filter(Number.isFinite).map(Math.abs), 1e-12);
    const row = element("div", { class: "strip", role: "img", "aria-label": `${name}: ` +
        list.slice(0, 8).map((value) => shown(value, 4)).join(", ") + (list.length > 8 ? ", …" : "") });
    list.forEach((value, i) => {
        const cell = element("i", { class: mark(i), title: `${name}[${i}] = ${shown(value, 4)}` });
        const share = Number.isFinite(value) ? Math.round((100 * Math.abs(value)) / most) : 0;
        cell.style.background = `color-mix(in srgb, var(--${value < 0 ? "second" : "accent"}) ${share}%, transparent)`;
        row.append(cell);
    });
    return element("div", { class: "vector" }, element("span", { title: name }, name), row);
}

function stageItem(number, formula, shape, ...content) {
    return element("li", { class: number === computation.stage ? "current" : "" },
        element("span", { class: "formula" }, `${number + 1}. ${formula}`), " ",
        element("span", { class: "shape" }, shape), ...content);
}

function stagesOf(head, layer, pass, example) {
    const run = head.run, tokens = run.examples[example].tokens, n = tokens.length;
    const heads = run.layers[head.layer].length;
    const query = Math.min(state.query, n - 1), key = Math.min(state.key, n - 1);
    const of = (h) => compute(pass, layer, h, heads, example, n, query, run.data.causal);
    const own = of(head.head);
    const concat = run.layers[head.layer].flatMap((other) => of(other.head).z);
    const width = heads * layer.d_v, begin = head.head * layer.d_v;
    const mine = (i) => i >= begin && i < begin + layer.d_v;
    const rowOf = (d) => layer.w_o.subarray(d * width, (d + 1) * width);
    const y = Array.from({ length: pass.d_model }, (_, d) => dot(rowOf(d), concat) + layer.b_o[d]);
    const part = Array.from({ length: pass.d_model }, (_, d) => dot(rowOf(d).subarray(begin, begin + layer.d_v), own.z));
    const chosen = (i) => (i === key ? "chosen" : "");
    const k = own.keys[key], dk = layer.d_k, dv = layer.d_v, pair = `query ${query} “${tokens[query]}”, key ${key} “${tokens[key]}”`;
    return [
        () => stageItem(0, `q · k = ${shown(own.products[key], 3)}`, `(${dk}) · (${dk}) → one number, for ${pair}`,
            strip(own.q, `q of ${query}`), strip(k, `k of ${key}`), strip(own.q.map((value, i) => value * k[i]), "q × k"),
            strip(own.products, "all keys", chosen)),
        () => stageItem(1, `÷ √${dk} = ${shown(own.scores[key], 3)}`, `(${n}) scores, one a key`, strip(own.scores, "scores", chosen)),
        () => stageItem(2, `softmax = ${run.weightText(head, run.steps.length - 1, example, query, key)}`, `(${n}) weights, which sum to 1`, strip(own.weights, "weights", chosen)),
        () => stageItem(3, "× v, summed over the keys", `(${n}) · (${n}, ${dv}) → z (${dv})`,
            strip(own.values[key], `v of ${key}`), strip(own.values[key].map((value) => value * own.weights[key]), "its share"),
            strip(own.z, "z")),
        () => stageItem(4, "concatenate the heads", `${heads} × (${dv}) → (${width}); this head's part is underlined`,
            strip(concat, "all heads", (i) => (mine(i) ? "own" : ""))),
        () => stageItem(5, "× W_O", `(${width}) · (${width}, ${pass.d_model}) → y (${pass.d_model})`,
            strip(part, "of this head"), strip(y, "y, with bias")),
    ];
}

function stageButton(text, stage, disabled, redraw) {
    const button = element("button", { type: "button" }, text);
    button.disabled = disabled;
    button.addEventListener("click", () => {
        computation.stage = stage;
        redraw();
    });
    return button;
}

class Computation {
    constructor(place, head, move) {
        this.place = place;
        this.head = head;
        this.move = move;
        if (head.run.data.pass === undefined) {
            place.append(element("p", {}, "This report does not contain queries, keys and values to step through."));
        } else {
            openPass(head.run).then((pass) => {
                this.pass = pass;
                this.draw();
            });
        }
    }

    choice(name, chosen, tokens, change) {
        const select = element("select", { "data-choice": name });
        tokens.forEach((token, i) => select.append(new Option(`${i} ${token}`, i, false, i === chosen)));
        select.addEventListener("change", () => change(Number(select.value)));
        return element("label", {}, `${name} `, select);
    }

    draw() {
        const example = exampleOf(this.head.run);
        if (this.pass === undefined || !this.place.isConnected) {
            return;
        }
        if (example >= this.pass.examples) {
            this.place.replaceChildren(element("p", {}, `You can step through the first ${this.pass.examples} examples only.`));
            return;
        }
        const focused = document.activeElement?.dataset.choice ?? document.activeElement?.textContent;
        const tokens = this.head.run.examples[example].tokens;
        const stages = stagesOf(this.head, this.pass.layers[this.head.layer], this.pass, example);
        const redraw = () => this.draw();
        const stage = computation.stage;
        const bar = element("div", { class: "bar" },
            this.choice("Query", state.query, tokens, (query) => this.move(query, state.key)),
            this.choice("Key", state.key, tokens, (key) => this.move(state.query, key)),
            stageButton("Back", stage - 1, stage === 0, redraw), stageButton("Next", stage + 1, stage === stages.length - 1, redraw),
            stageButton("All", stages.length - 1, stage === stages.length - 1, redraw));
        const legend = element("p", { class: "hint" }, "Blue numbers are above 0, orange ones below. The fullest colour is the " +
            "largest number in its row. Point at a cell to read its number.");
        const list = element("ol", { class: "stages" }, ...stages.slice(0, stage + 1).map((build) => build()));
        const note = indexOf(this.head.run) === this.head.run.steps.length - 1 ? [] :
            [element("p", { class: "hint" }, `These are the numbers of the last step, ${this.head.run.steps.at(-1)}.`)];
        this.place.replaceChildren(bar, ...note, legend, list);
        [...bar.querySelectorAll("button, select")]
            .find((control) => (control.dataset.choice ?? control.textContent) === focused)?.focus();
    }
}
