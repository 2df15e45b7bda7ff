/* Which head finds which relation of a treebank: the table's row, all heads for it, and sentences in which the head that
 * was chosen is right and wrong. A report of one run alone may have it. All shares are held out unless said otherwise.
 * The section also shows which head finds earlier mentions of an entity; coreference.js has the words for that. */

const CASE_ROW = 22, CASE_ARCS = 76; /* in pixels: a word's height, the room for arcs beside the words */
const OFFSET_NAMES = { "-1": "the word before", 1: "the word after" };

function grammarOf() {
    return runs.length === 1 ? runs[0].data.syntax : undefined;
}

function shareOf([hits, cases]) {
    return cases > 0 ? hits / cases : NaN;
}

function counted(number) {
    return number.toLocaleString("en-US");
}

function percent(value, digits = 1) {
    return Number.isFinite(value) ? `${(100 * value).toFixed(digits)}%` : "–";
}

function betweenText([low, high]) {
    return `${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}%`;
}

function offsetText(offset) {
    return `${OFFSET_NAMES[offset] ?? `${Math.abs(offset)} words ${offset < 0 ? "before" : "after"}`} (${offset > 0 ? "+" : ""}${offset})`;
}

/* What a head finds of a relation where it was not chosen. */
function heldOutOf(relation, head) {
    const [direction, hits, earned] = relation.heads[head.place], cases = relation.held_out.found[1];
    return { direction, earned, share: shareOf([hits, cases]), baseline: shareOf(grammarOf().texts.baseline(relation)) };
}

/* The second label of a head, with its figures; "" where it has earned none. */
function grammarText(head) {
    const label = head.grammar ?? null;
    return label === null ? "" : `${label.relation} (${label.direction}): ${percent(shareOf(label.found))} of ${counted(label.found[1])} held-out cases, ` +
        `95% ${betweenText(label.interval)}, baseline ${percent(shareOf(label.baseline))}` +
        (label.faithful === null ? "" : label.faithful ? ", faithful" : ", not faithful");
}

/* ---- the table's row ---- */

function grammarColumns(choice) {
    return [["Cases", counted(choice.found[1])], ["Head", runs[0].heads[choice.head].name], ["Direction", choice.direction],
            ["Found", percent(shareOf(choice.found))], ["95%", betweenText(choice.interval)], ["Baseline", percent(shareOf(choice.baseline))],
            ["Offset", `${choice.offset > 0 ? "+" : ""}${choice.offset}`]];
}

function figuresTable(relation) {
    const columns = [["held out", relation.held_out, relation.null_held_out], [`on all ${grammarOf().texts.units}`, relation.published, relation.null]].map(([name, choice, none]) =>
        [["Chosen and measured", name], ...grammarOf().texts.columns(choice), ...none === undefined ? [] : [["Null", percent(shareOf(none))]]]);
    const titles = columns[0].map(([title]) => title), rows = columns.map((row) => row.map(([, value]) => value));
    const cellOf = (value, i) => element("td", { class: i === 0 ? "text" : "", "data-name": titles[i] }, `${value}`);
    return [element("thead", {}, element("tr", {}, ...titles.map((title, i) => element("th", { scope: "col", class: i === 0 ? "plain text" : "plain" }, title)))),
            element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cellOf))))];
}

function relationText(relation) {
    const choice = relation.held_out, head = runs[0].heads[choice.head];
    const other = relation.name === "entity" ? "another word of its mention" : "its syntactic head";
    const [from, to] = choice.direction === "d>h" ? ["the word looks at", other] : [`${other} looks at`, "the word"];
    const null_ = relation.null_held_out === undefined ? "" : `, random weights in ${percent(shareOf(relation.null_held_out))}`;
    const verdict = relation.earned ? `${head.name} earns the label ${relation.name}.` :
        relation.name === "all" || !relation.own ? "" : "This is too close to the baseline to earn the label.";
    return `${head.name} finds ${relation.name === "all" ? "all relations together" : relation.name} best (${choice.direction}: ${from} ${to}): in ${percent(shareOf(choice.found))} of ${counted(choice.found[1])} cases, ` +
        `95% interval ${betweenText(choice.interval)}; the best fixed offset, ${offsetText(choice.offset)}, in ${percent(shareOf(choice.baseline))}${null_}. ${verdict}`;
}

/* ---- all heads for a relation ---- */

function buildShares(relation) {
    const box = byId("relation-heads"), most = Math.max(...runs[0].layers.map((heads) => heads.length));
    box.style.setProperty("--columns", most);
    const numbers = Array.from({ length: most }, (_, i) => element("span", { class: "share-head" }, `H${i}`));
    numbers[0]?.style.setProperty("grid-column", "2");
    box.replaceChildren(...numbers, ...runs[0].layers.flatMap((heads, layer) => [element("span", { class: "share-layer" }, `L${layer}`), ...heads.map((head) => {
        const { direction, earned, share, baseline } = heldOutOf(relation, head), best = relation.held_out.head === head.place;
        const text = `${head.name}${direction && ` ${direction}`}: ${percent(share)}${earned ? `, ${grammarOf().texts.earns} ${relation.name}` : ""}${best ? ", the best of the other half" : ""}`;
        const button = element("button", { type: "button", class: `share${earned ? " earned" : ""}${best ? " best" : ""}`, title: text, "aria-label": text },
                               Number.isFinite(share) ? `${(100 * share).toFixed(0)}` : "–");
        button.style.setProperty("--share", `${Number.isFinite(share) ? Math.round(55 * share) : 0}%`);
        button.style.gridColumn = `${head.head + 2}`;
        button.classList.toggle("above", share > baseline);
        button.addEventListener("click", () => openHead(head, button));
        return button;
    })]));
}

/* In the overview the heads that find the chosen relation better than the baseline are lit, the others dimmed. */
function lightHeads() {
    const relation = state.relation === null ? null : grammarOf().relations[state.relation];
    for (const cell of parts.cells) {
        const found = relation === null ? null : heldOutOf(relation, cell.head), lit = found !== null && found.share > found.baseline;
        cell.button.classList.toggle("lit", lit);
        cell.button.classList.toggle("earned", found?.earned === true);
        cell.button.classList.toggle("dimmed", found !== null && !lit);
        cell.relation.textContent = relation === null ? "" : `${found.earned ? "★ " : ""}${relation.name} ${percent(found.share)} ${found.direction}`.trim();
    }
}

/* ---- sentences ---- */

function arcOf(from, to) {
    const y = (word) => (word + 0.5) * CASE_ROW, out = CASE_ARCS - Math.min(10 + 7 * Math.abs(from - to), CASE_ARCS - 6) * (4 / 3);
    return `M ${CASE_ARCS} ${y(from)} C ${out} ${y(from)}, ${out} ${y(to)}, ${CASE_ARCS} ${y(to)}`;
}

/* What the word gives to all words, or gets from them, and over it the arc to its head in the treebank. */
function arcsOf(one) {
    const height = one.words.length * CASE_ROW;
    const svg = svgElement("svg", { class: "arcs", width: CASE_ARCS, height, viewBox: `0 0 ${CASE_ARCS} ${height}`, "aria-hidden": "true" });
    one.weights.forEach((weight, word) => {
        if (word !== one.word && weight >= 0.02) {
            svg.append(svgElement("path", { class: "attention", d: arcOf(one.word, word), "stroke-width": (1 + 6 * weight).toFixed(2),
                                            "stroke-opacity": Math.min(0.2 + weight, 0.85).toFixed(2) }));
        }
    });
    svg.append(svgElement("path", { class: "gold", d: arcOf(one.word, one.gold) }),
               svgElement("circle", { class: "gold", cx: CASE_ARCS - 3, cy: (one.gold + 0.5) * CASE_ROW, r: 3.5 }));
    return svg;
}

function wordOfCase(relation, one, word, right) {
    if (one.words[word] === null) {
        return element("li", { class: "gap" }, element("span", { class: "case-word" }, "…"));
    }
    const roles = [...word === one.word ? ["word"] : [], ...word === one.gold ? [grammarOf().texts.gold(relation)] : [],
                   ...word === one.guess ? [right ? "✓" : "✗ guess"] : []];
    const kind = word === one.word ? "asked" : word === one.gold ? "gold" : word === one.guess ? "guess" : "";
    const bar = element("span", { class: "weight-bar" }, element("i", {}));
    bar.firstChild.style.width = `${Math.round(100 * one.weights[word])}%`;
    return element("li", { class: kind }, element("span", { class: "case-word", title: one.words[word] }, shortened(one.words[word])),
                   element("span", { class: "role" }, roles.join(" ")), bar,
                   element("span", { class: "case-weight" }, one.weights[word] < 0.005 ? "" : one.weights[word].toFixed(2)));
}

function grammarCaseText(relation, right, word, guess, gold) {
    const looks = relation.held_out.direction === "d>h" ? `${word} looks at ${guess}` : `${word} is looked at by ${guess}`;
    const name = relation.name === "entity" ? "a word of the same mention" : "its head";
    return right ? `${looks}, ${name}.` : `${looks}; ${name} is ${gold}.`;
}

function caseFigure(relation, one, right) {
    const texts = grammarOf().texts, text = texts.caseText(relation, right, ...[one.word, one.guess, one.gold].map((place) => `“${shortened(one.words[place])}”`));
    const list = element("ol", { class: "case-words" }, ...one.words.map((_, i) => wordOfCase(relation, one, i, right)));
    return element("figure", { class: "case" }, element("figcaption", {}, element("strong", { class: right ? "right" : "wrong" }, right ? "✓ right" : "✗ wrong"), ` ${text} `,
                                                                element("small", {}, texts.place(one))),
                   element("div", { class: "case-box" }, arcsOf(one), list));
}

/* ---- all of it ---- */

/* Shown are the figures of this relation; lit are its heads where one was chosen (null: none). */
function chooseRelation(index, lit) {
    const relation = grammarOf().relations[index];
    state.relation = lit ? index : null;
    byId("relation").value = index;
    byId("lit").value = lit ? index : "";
    byId("relation-text").textContent = grammarOf().texts.relation(relation);
    byId("relation-rows").replaceChildren(...figuresTable(relation));
    buildShares(relation);
    for (const [name, right] of [["right", true], ["wrong", false]]) {
        byId(`${name}-cases`).replaceChildren(...relation[name].map((one) => caseFigure(relation, one, right)));
        byId(`${name}-title`).hidden = relation[name].length === 0;
    }
    lightHeads();
}

/* Opens on the relation that its head finds most clearly. */
function openingRelation(relations) {
    const lifts = relations.map((relation) => (relation.earned ? shareOf(relation.held_out.found) - shareOf(grammarOf().texts.baseline(relation)) : -1));
    return Math.max(lifts.indexOf(Math.max(...lifts)), 0);
}

const grammarTexts = {
    units: "sentences", gold: (relation) => (relation.name === "entity" ? "mention" : "head"), earns: "earns", columns: grammarColumns, baseline: (relation) => relation.held_out.baseline,
    relation: relationText, caseText: grammarCaseText, place: (one) => (one.id !== "" ? `sent_id ${one.id}` : `sentence ${one.sentence} of those used`),
    hint: (grammar) => `On ${counted(grammar.sentences)} sentences of ${grammar.treebank}` +
        `${grammar.left_out > 0 ? `, ${counted(grammar.left_out)} left out` : ""}: how often a word’s largest weight is on its syntactic head. ` +
        "Head and direction are chosen on sentences 0, 2, 4 … and measured on the others, which are held out. The baseline is the best fixed offset on the held-out sentences. " +
        "★: a head earns the relation as its second label.",
};

function buildGrammar() {
    const grammar = grammarOf();
    if (grammar === undefined) {
        return;
    }
    grammar.texts = grammar.mentions ? coreferenceTexts : grammarTexts;
    if (grammar.mentions) {
        nameCoreference();
    }
    const names = grammar.relations.map((relation, i) => [`${relation.name}${relation.earned ? " ★" : ""}`, i]);
    for (const id of ["grammar", "grammar-link", "lit-label"]) {
        byId(id).hidden = false;
    }
    byId("lit").append(new Option("none", ""), ...names.map(([name, i]) => new Option(name, i)));
    byId("relation").append(...names.map(([name, i]) => new Option(name, i)));
    byId("lit").addEventListener("change", () => chooseRelation(Number(byId("lit").value || byId("relation").value), byId("lit").value !== ""));
    byId("relation").addEventListener("change", () => chooseRelation(Number(byId("relation").value), true));
    byId("grammar-hint").textContent = grammar.texts.hint(grammar);
    chooseRelation(openingRelation(grammar.relations), false);
}
