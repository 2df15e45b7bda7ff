/* The table of all heads at the last snapshot, sorted by any column. */

const columns = [
    { name: "Head", text: true, value: (head) => head.place + 1e6 * head.run.index, show: headButton },
    { name: "Label", word: "label", text: true, value: (head) => head.label ?? "", show: (head) => head.label ?? "–" },
    { name: "Score", word: "score", value: (head) => head.score, digits: 3 },
    { name: "Baseline", word: "baseline", value: (head) => head.baseline, digits: 3 },
    { name: "Entropy", word: "entropy.normalised", value: (head) => head.run.last(head, "entropy.normalised"), digits: 3 },
    { name: "Distance, tokens", word: "distance", value: (head) => head.run.last(head, "distance"), digits: 2 },
    { name: "Importance", word: "importance", value: (head) => head.importance, show: (head) => significant(head.importance) },
    { name: "Loss without", word: "loss_without", value: (head) => head.loss_without, show: (head) => significant(head.loss_without) },
    { name: "Faithful", word: "faithful", value: (head) => ({ true: 2, false: 1 })[verdictOf(head)] ?? 0, show: faithfulText },
];
/* What none has, is no column. */
const hasGrammar = runs.some((run) => run.heads.some((head) => head.grammar));
if (hasGrammar) {
    columns.splice(2, 0, { name: "Grammar", text: true, value: (head) => head.grammar?.relation ?? "",
                           show: (head) => (head.grammar ? `${head.grammar.relation} ${percent(shareOf(head.grammar.found))}` : "–") });
}
const hasDirect = runs.some((run) => run.heads.some((head) => head.direct !== undefined));
const hasCopies = runs.some((run) => run.heads.some((head) => head.copies !== undefined));
if (hasDirect) {
    columns.push({ name: "Direct", word: "direct", value: (head) => head.direct, digits: 2 });
}
if (hasCopies) {
    columns.push({ name: "Copies", word: "copies", value: (head) => head.copies, show: (head) => `${shown(head.copies, 2)}${head.copies_earned ? "*" : ""}` });
}
const hasEffects = runs.some((run) => run.heads.some((head) => head.importance !== undefined));
const hasNulls = runs.some((run) => run.heads.some((head) => Number.isFinite(head.null)));
if (!hasEffects) {
    columns.splice(columns.findIndex((column) => column.word === "importance"), 3);
}
if (hasNulls) {
    columns.splice(columns.findIndex((column) => column.word === "baseline") + 1, 0,
                   { name: "Null", word: "null", value: (head) => head.null, digits: 3 });
}
if (runs.length > 1) {
    columns.push({ name: "Closest", word: "js", text: true, value: (head) => partnerOf(head)?.head.place ?? NaN,
                   show: (head) => partnerOf(head)?.head.name ?? "–" },
                 { name: "Divergence", word: "js", value: (head) => partnerOf(head)?.js ?? NaN, digits: 3 });
}
const sorting = { column: 0, descending: false };

function headButton(head) {
    const button = element("button", { type: "button" }, runs.length > 1 ? `${head.run.name} ${head.name}` : head.name);
    button.addEventListener("click", () => openHead(head, button));
    return button;
}

/* A head's own verdict where that is yes, else that of its group where it has one, else its own, as in the program heads. */
function verdictOf(head) {
    return head.faithful === true ? true : head.group?.faithful ?? head.faithful ?? null;
}

/* Whether its group has changed a head's own verdict. */
function isByGroup(head) {
    return verdictOf(head) !== (head.faithful ?? null);
}

function faithfulText(head) {
    const text = { true: "yes", false: "no" }[verdictOf(head)] ?? "–";
    return isByGroup(head) ? `${text} (as ${head.group.heads})` : text;
}

/* Three digits, and all digits before the point, as the program heads prints them. */
function significant(value) {
    const size = Math.abs(value);
    if (!Number.isFinite(value)) {
        return "–";
    }
    if (size !== 0 && size < 9.995e-6) {
        return value.toExponential(2).replace(/e-(\d)$/, "e-0$1");
    }
    return size < 999.5 ? value.toPrecision(3) : value.toFixed(0);
}

function compareHeads(column) {
    return (a, b) => {
        const x = column.value(a), y = column.value(b);
        if (typeof x === "string") {
            return x.localeCompare(y);
        }
        const known = Number(Number.isFinite(y)) - Number(Number.isFinite(x));
        return known !== 0 && !(Number.isFinite(x) && Number.isFinite(y)) ? known : x - y;
    };
}

function sortedHeads() {
    const compare = compareHeads(columns[sorting.column]);
    const all = runs.flatMap((run) => run.heads);
    const isKnown = (head) => typeof columns[sorting.column].value(head) === "string" ||
        Number.isFinite(columns[sorting.column].value(head));
    const known = all.filter(isKnown).sort((a, b) => (sorting.descending ? compare(b, a) : compare(a, b)));
    return [...known, ...all.filter((head) => !isKnown(head))];
}

function drawTable() {
    const body = element("tbody");
    for (const head of sortedHeads()) {
        const row = element("tr", { "data-head": head.name });
        for (const column of columns) {
            const cell = element("td", { class: column.text ? "text" : "", "data-name": column.name });
            cell.append(column.show ? column.show(head) : shown(column.value(head), column.digits));
            row.append(cell);
        }
        body.append(row);
    }
    byId("rows").tBodies[0]?.remove();
    byId("rows").append(body);
}

function buildTable() {
    const titles = element("tr");
    columns.forEach((column, place) => {
        const button = element("button", { type: "button" }, column.name);
        const title = element("th", { scope: "col", class: column.text ? "text" : "" }, button);
        if (column.word !== undefined) {
            title.append(wordLink(column.word));
        }
        button.addEventListener("click", () => {
            sorting.descending = sorting.column === place ? !sorting.descending : !column.text;
            sorting.column = place;
            for (const other of titles.children) {
                other.removeAttribute("aria-sort");
            }
            title.setAttribute("aria-sort", sorting.descending ? "descending" : "ascending");
            drawTable();
        });
        titles.append(title);
    });
    titles.children[0].setAttribute("aria-sort", "ascending");
    byId("rows").append(element("thead", {}, titles));
    const last = [...new Set(runs.map((run) => run.stepName(run.steps.at(-1))))].join(" and ");
    byId("table-hint").textContent = `${runs.some((run) => run.data.stages === undefined) ? `At the last snapshot, ${last}` : `For ${last}`}. ` +
        "Labels are chosen on half of the examples and confirmed on the other half. " + (hasEffects ? "A label is faithful if the model does as well when the " +
        "label's ideal pattern replaces the head: alone, or together with the heads in its layer that have the same label (“as 4”). “–”: the loss hardly depends on " +
        "the head, or the label names no pattern. " : "") +
        (hasNulls ? "Null: the score of the same model with untrained weights. " : "") +
        (hasGrammar ? "Grammar: the relation of the treebank that the head earns, with the share of held-out cases in which it finds it. " : "") +
        (hasDirect ? "Direct: what the head adds to the logit of the right answer. " : "") +
        (hasCopies ? "Copies: how often the token that it raises most is the one that it attends to most; * is clearly more than without skill. " : "") +
        "A mixed head has no single clear pattern; select it to see the closest label." +
        (runs.length > 1 ? " Divergence (Jensen-Shannon): the distance to the most similar head of the other run, from 0 (the same) to " +
            "0.693 (no key in common)." : "");
    drawTable();
}
