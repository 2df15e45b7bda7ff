/* One query of a layer, worked step by step from the numbers of the last step: from the residual stream to the answer, by
 * one head, or by all heads of the layer side by side. */

const computation = { stage: 0, all: false, timer: null };
const FEW_NUMBERS = 8; /* so many have room for their digits */

/* Numbers as a row of colours, blue above 0, orange below, full at the largest, which stands behind them; few numbers
 * with their digits. `mark(i)` names a class of place i. */
function strip(numbers, name, mark = () => "") {
    const list = Array.from(numbers), few = list.length <= FEW_NUMBERS;
    const most = Math.max(...list.filter(Number.isFinite).map(Math.abs), 1e-12);
    const row = element("div", { class: few ? "strip digits" : "strip", role: "img", "aria-label": `${name}: ` +
        list.slice(0, 8).map((value) => shown(value, 4)).join(", ") + (list.length > 8 ? ", …" : "") });
    list.forEach((value, i) => {
        const cell = element("i", { class: mark(i), title: `${name}[${i}] = ${shown(value, 4)}` }, few ? shown(value, 3) : "");
        const share = Number.isFinite(value) ? Math.round(((few ? 45 : 100) * Math.abs(value)) / most) : 0;
        cell.style.background = `color-mix(in srgb, var(--${value < 0 ? "second" : "accent"}) ${share}%, transparent)`;
        row.append(cell);
    });
    const scale = element("small", { title: "the fullest colour" }, few ? "" : `±${Number(most.toPrecision(2))}`);
    return element("div", { class: "vector" }, element("span", { title: name }, name), row, scale);
}

function normed(x, layer) {
    const mean = layer.rms ? 0 : x.reduce((a, b) => a + b, 0) / x.length;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
    return Array.from(x, (value, d) => ((value - mean) / Math.sqrt(variance + layer.epsilon)) * layer.gain[d] + layer.shift[d]);
}

/* What the stages show: the numbers of the heads in `list` at a query and a key, and what the layer makes of all heads. */
function numbersOf(head, list, example) {
    const { run } = head, pass = run.pass, layer = pass.layers[head.layer], D = pass.d_model, first = example * pass.tokens;
    const all = run.layers[head.layer], n = run.examples[example].tokens.length, width = all.length * layer.d_v;
    const query = Math.min(state.query, n - 1), key = Math.min(state.key, n - 1);
    const outputs = all.map((one) => compute(one, example, query)), concat = outputs.flatMap((one) => one.z);
    const columns = (d, one) => layer.w_o.subarray(d * width + one.head * layer.d_v, d * width + (one.head + 1) * layer.d_v);
    const parts = all.map((one) => Array.from({ length: D }, (_, d) => dot(columns(d, one), outputs[one.head].z)));
    const x = vectorOf(layer.x, first + query, 1, 0, D), x_key = vectorOf(layer.x, first + key, 1, 0, D);
    const y = Array.from({ length: D }, (_, d) => parts.reduce((sum, part) => sum + part[d], layer.b_o[d]));
    const next = pass.layers[head.layer + 1]?.x ?? pass.hidden;
    return { run, pass, layer, D, n, query, key, width, all, concat, parts, x, x_key, y, tokens: run.examples[example].tokens,
             heads: list.map((one) => outputs[one.head]), sum: x.map((value, d) => value + y[d]), next: vectorOf(next, first + query, 1, 0, D) };
}

/* Each head's part of a stage, side by side. */
function lanes(numbers, build) {
    const named = numbers.heads.length > 1;
    return element("div", { class: named ? "lanes" : "" }, ...numbers.heads.map((one) =>
        element("div", { class: "lane" }, ...named ? [element("strong", {}, one.head.name)] : [], ...build(one))));
}

function stageItem(number, formula, shape, ...content) {
    return element("li", { class: number === computation.stage ? "current" : "" },
        element("span", { class: "formula" }, `${number + 1}. ${formula}`), " ",
        element("span", { class: "shape" }, shape), ...content);
}

/* What each head adds to the logits of the right answers. One answer may be read from several positions. */
function answersTable(numbers, example) {
    const { run, pass } = numbers, at = run.answers(run.steps.length - 1, example);
    const asked = at.filter(({ position }) => Number.isFinite(pass.logits?.[example * pass.tokens + position]));
    const sumOf = (head, query) => compute(head, example, query).adds.reduce((a, b) => a + b, 0);
    const added = (head, position) => (asked.length > 1 ? sumOf(head, position)
        : Array.from({ length: numbers.n }, (_, query) => sumOf(head, query)).reduce((a, b) => a + b, 0));
    if (asked.length === 0) {
        return element("p", { class: "hint" }, "Nothing is asked in this example.");
    }
    const heads = numbers.heads.map((one) => one.head);
    const row = (kind, ...texts) => element("tr", {}, ...texts.map((text) => element(kind, {}, text)));
    const body = asked.map(({ position, target }) => row("td", `${position}`, target, ...heads.map((head) => signed(added(head, position))),
        shown(pass.logits[example * pass.tokens + position], 2)));
    return element("div", { class: "scroll", tabindex: "0" }, element("table", { class: "to-answers" }, element("thead", {},
        row("th", "Position", "Answer", ...heads.map((head) => `${head.name} adds`), "Logit")), element("tbody", {}, ...body)));
}

function stagesOf(head, example) {
    const list = computation.all ? head.run.layers[head.layer] : [head];
    const numbers = numbersOf(head, list, example);
    const { pass, layer, D, n, query, key, width, all, tokens } = numbers, dk = layer.d_k, dv = layer.d_v;
    const chosen = (i) => (i === key ? "chosen" : ""), isLast = head.layer === pass.layers.length - 1;
    const own = (i) => list.length < all.length && Math.floor(i / dv) === head.head;
    const value = (text) => element("div", { class: "value-line" }, text);
    const last = head.run.steps.length - 1, next = isLast ? "the last hidden states" : `x of layer ${head.layer + 1}`;
    const reads = pass.post || !layer.norm1 ? "x" : "norm1"; /* what attention reads */
    const before = reads === "x" ? [] : [strip(normed(numbers.x, layer), `norm1 of ${query}`), strip(normed(numbers.x_key, layer), `norm1 of ${key}`)];
    const after = pass.post ? [strip(normed(numbers.sum, layer), "norm1")] : [];
    const middle = pass.post ? "feed-forward, residual sum, norm2" : `norm2, feed-forward, residual sum${isLast ? ", last norm" : ""}`;
    return [
        () => stageItem(0, `x, the residual stream before layer ${head.layer}`, `(${n}, ${D}): a row for each position; here query ${query} “${tokens[query]}” and key ${key} “${tokens[key]}”`,
            strip(numbers.x, `x of ${query}`), strip(numbers.x_key, `x of ${key}`), ...before),
        () => stageItem(1, "× W_Q, × W_K, × W_V", `${reads} (${D}) → for each head q (${dk}), k (${dk}), v (${dv})`,
            lanes(numbers, (one) => [strip(one.q, `q of ${query}`), strip(one.keys[key], `k of ${key}`), strip(one.values[key], `v of ${key}`)])),
        () => stageItem(2, "q · k", `(${dk}) · (${dk}) → one number for each key`,
            lanes(numbers, (one) => [value(`q · k = ${shown(one.products[key], 3)}`),
                strip(one.q.map((number, i) => number * one.keys[key][i]), "q × k"), strip(one.products, "all keys", chosen)])),
        () => stageItem(3, `÷ √${dk}`, `(${n}) scores, one for each key`,
            lanes(numbers, (one) => [value(`score = ${shown(one.scores[key], 3)}`), strip(one.scores, "scores", chosen)])),
        () => stageItem(4, "softmax", `(${n}) weights, which sum to 1`,
            lanes(numbers, (one) => [value(`weight = ${head.run.tokenWeight(one.head, last, example, query, key).toFixed(3)}`), strip(one.weights, "weights", chosen)])),
        () => stageItem(5, "× v, summed over the keys", `(${n}) · (${n}, ${dv}) → z (${dv})`,
            lanes(numbers, (one) => [strip(one.values[key], `v of ${key}`), strip(one.values[key].map((number) => number * one.weights[key]), "A × v"), strip(one.z, "z")])),
        () => stageItem(6, "concatenate the heads", `${all.length} × (${dv}) → (${width})${list.length < all.length ? "; this head's part is underlined" : ""}`,
            strip(numbers.concat, "all heads", (i) => (own(i) ? "own" : i > 0 && i % dv === 0 ? "begins" : ""))),
        () => stageItem(7, "× W_O", `(${width}) · (${width}, ${D}) → y (${D}), the sum of what the heads write and the bias b_O`,
            lanes(numbers, (one) => [strip(numbers.parts[one.head.head], "writes")]), strip(numbers.y, "y")),
        () => stageItem(8, `x + y${pass.post ? ", then norm1" : ""}`, `(${D}), the residual sum`, strip(numbers.sum, "x + y"), ...after),
        () => stageItem(9, middle, `(${D}) → ${next}`, strip(numbers.next, isLast ? "hidden" : "x")),
        () => stageItem(10, "to the answers", `what ${list.length > 1 ? "each head" : "this head"} adds to the logit of the right answer, which counts from the mean of all logits` +
            `${pass.logits === undefined || pass.exact ? "" : "; to first order"}`, answersTable(numbers, example)),
    ];
}

function stageButton(text, stage, disabled, redraw) {
    const button = element("button", { type: "button" }, text);
    button.disabled = disabled;
    button.addEventListener("click", () => redraw(stage));
    return button;
}

class Computation {
    constructor(place, head, move) {
        this.place = place;
        this.head = head;
        this.move = move;
        clearTimeout(computation.timer);
        if (head.run.data.pass?.whole !== true) {
            place.append(element("p", {}, "This report does not contain the numbers to step through."));
        } else {
            (head.run.pass === null ? openPass(head.run) : Promise.resolve()).then(() => this.draw());
        }
    }

    choice(name, chosen, texts, change) {
        const select = element("select", { "data-choice": name });
        texts.forEach((text, i) => select.append(new Option(text, i, false, i === chosen)));
        select.addEventListener("change", () => change(Number(select.value)));
        return element("label", {}, `${name} `, select);
    }

    /* Shows one stage after the other, up to the last one, as long as nothing else is chosen. */
    play(stage, end) {
        this.go(stage);
        if (stage < end && this.place.isConnected) {
            computation.timer = setTimeout(() => this.play(stage + 1, end), 1500 * paces[byId("pace").value]);
        }
    }

    go(stage) {
        clearTimeout(computation.timer);
        computation.stage = stage;
        this.draw();
    }

    draw() {
        const example = exampleOf(this.head.run);
        if (this.head.run.pass === null || this.head.run.pass.whole !== true || !this.place.isConnected) {
            return;
        }
        const focused = document.activeElement?.dataset.choice ?? document.activeElement?.textContent;
        const tokens = this.head.run.examples[example].tokens.map((token, i) => `${i} ${token}`);
        const stages = stagesOf(this.head, example), end = stages.length - 1;
        const stage = computation.stage, go = (to) => this.go(to);
        const playing = element("button", { type: "button" }, "Play");
        playing.addEventListener("click", () => this.play(stage === end ? 0 : stage + 1, end));
        const bar = element("div", { class: "bar" },
            this.choice("Query", state.query, tokens, (query) => this.move(query, state.key)),
            this.choice("Key", state.key, tokens, (key) => this.move(state.query, key)),
            this.choice("Heads", Number(computation.all), [this.head.name, `all of layer ${this.head.layer}`], (all) => {
                computation.all = all === 1;
                this.draw();
            }),
            stageButton("Back", stage - 1, stage === 0, go), stageButton("Next", stage + 1, stage === end, go), playing,
            stageButton("All", end, stage === end, go));
        const legend = element("p", { class: "hint" }, "Blue numbers are above 0, orange ones below. The fullest colour is the " +
            "largest number in its row, which stands behind it. Point at a cell to read its number.");
        const list = element("ol", { class: "stages" }, ...stages.slice(0, stage + 1).map((build) => build()));
        const note = indexOf(this.head.run) === this.head.run.steps.length - 1 ? [] :
            [element("p", { class: "hint" }, `These are the numbers of the last step, ${this.head.run.steps.at(-1)}.`)];
        this.place.replaceChildren(bar, ...note, legend, list);
        [...bar.querySelectorAll("button, select")]
            .find((control) => (control.dataset.choice ?? control.textContent) === focused)?.focus();
    }
}
