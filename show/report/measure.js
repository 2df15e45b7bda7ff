/* What a map shows: the attention's weights at any step, or at the last step also the norms of what the weights move
 * (Kobayashi et al. 2020), or what each key adds to the right answer's logit. */

/* The numbers of the last step, unpacked once. */
async function openPass(run) {
    const pass = run.data.pass, floats = ["lengths", "x", "q", "k", "v", "u", "w_o", "b_o", "gain", "shift"];
    const layers = await Promise.all(pass.layers.map(async (layer) => {
        const open = { ...layer };
        for (const name of floats.filter((one) => layer[one] !== undefined)) {
            open[name] = await unpackedFloats(layer[name]);
        }
        return open;
    }));
    const of = async (packed) => (packed === undefined ? undefined : unpackedFloats(packed));
    run.pass = { ...pass, layers, hidden: await of(pass.hidden), logits: await of(pass.logits) };
    return run.pass;
}

/* The vector of a position: `width` numbers of part `part` of a row of `parts`. */
function vectorOf(numbers, row, parts, part, width) {
    const begin = (row * parts + part) * width;
    return numbers.subarray(begin, begin + width);
}

function dot(a, b) {
    return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/* Whether a query may see a key: core/kernels/mask.h. */
function sees(run, layer, query, key) {
    const near = run.data.causal ? query - key < layer.window : 2 * Math.abs(query - key) <= layer.window;
    return (!run.data.causal || key <= query) && (layer.window === 0 || near);
}

/* All that one head computes for one query. `adds[j]`: what key j adds to the answer that is read from the query. */
function compute(head, example, query) {
    const { run } = head, pass = run.pass, layer = pass.layers[head.layer], heads = run.layers[head.layer].length;
    const n = run.data.examples[example].tokens.length, first = example * pass.tokens;
    const kv = Math.floor(head.head / (heads / layer.kv_heads));
    const q = vectorOf(layer.q, first + query, heads, head.head, layer.d_k);
    const keys = Array.from({ length: n }, (_, j) => vectorOf(layer.k, first + j, layer.kv_heads, kv, layer.d_k));
    const values = Array.from({ length: n }, (_, j) => vectorOf(layer.v, first + j, layer.kv_heads, kv, layer.d_v));
    const u = vectorOf(layer.u, first + query, heads, head.head, layer.d_v);
    const products = keys.map((k, j) => (sees(run, layer, query, j) ? dot(q, k) : -Infinity));
    const scores = products.map((product) => product / Math.sqrt(layer.d_k));
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    const sum = powers.reduce((a, b) => a + b, 0);
    const weights = powers.map((power) => power / sum);
    const z = Array.from({ length: layer.d_v }, (_, c) => weights.reduce((s, a, j) => s + a * values[j][c], 0));
    return { head, q, keys, values, products, scores, weights, z, adds: weights.map((a, j) => a * dot(values[j], u)) };
}

/* The rows of the map in tokens. Without q and k they are made of the weights that the page has, to three decimals. */
function rowsOf(head, example, measure) {
    const { run } = head, pass = run.pass, n = run.data.examples[example].tokens.length;
    const lengths = pass.layers[head.layer].lengths, heads = run.layers[head.layer].length, last = run.steps.length - 1;
    return Array.from({ length: n }, (_, query) => {
        if (measure === "answer") {
            return compute(head, example, query).adds;
        }
        const weights = pass.whole ? compute(head, example, query).weights
            : Array.from({ length: n }, (_, key) => run.tokenWeight(head, last, example, query, key));
        const norms = weights.map((weight, key) => weight * lengths[(example * pass.tokens + key) * heads + head.head]);
        const sum = norms.reduce((a, b) => a + b, 0);
        return norms.map((norm) => (sum > 0 ? norm / sum : 0));
    });
}

const measuredRows = new Map();

function measured(head, example) {
    const key = `${state.measure} ${head.run.index} ${head.place} ${example}`;
    if (!measuredRows.has(key)) {
        measuredRows.set(key, rowsOf(head, example, state.measure));
    }
    return measuredRows.get(key);
}

/* The largest number in all maps of an example, by which those of the answers are coloured. */
function answerTop(run, example) {
    const key = `top ${run.index} ${example}`;
    if (!measuredRows.has(key)) {
        measuredRows.set(key, Math.max(1e-9, ...run.heads.flatMap((head) => measured(head, example).flat()).map(Math.abs)));
    }
    return measuredRows.get(key);
}

/* Which measures every run has. */
function measuresThere() {
    const asks = (run) => run.data.pass.logits !== undefined &&
        run.data.examples.some((example) => example.targets?.some((target) => target >= 0));
    const passes = runs.every((run) => run.data.pass !== undefined);
    return ["weights", ...passes ? ["norms"] : [], ...passes && runs.every(asks) ? ["answer"] : []];
}

const MEASURE_HINTS = {
    weights: "",
    norms: "Norms: each weight is multiplied by the length of the vector that it moves, |v W_O|, and each row is divided by its sum. " +
        "All norms are those of the last step.",
    answer: "To the answer: what each key adds, through this head, to the logit of the right answer. Blue adds, orange takes away. " +
        "The logit counts from the mean of all logits. All numbers are those of the last step.",
};

async function chooseMeasure(measure) {
    await Promise.all(runs.map((run) => (measure === "weights" ? null : run.pass ?? openPass(run))));
    state.measure = measure;
    byId("measure-hint").textContent = MEASURE_HINTS[measure];
    byId("measure-hint").hidden = measure === "weights";
    byId("scale-choice").value = state.scale = openingScale();
    await draw();
}
