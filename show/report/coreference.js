/* The words of the section of grammar.js where it shows which head finds earlier mentions of an entity. */

const COREFERENCE_BASELINES = ["same word", "nearest", "first"]; /* the rules of thumb, in the order of the data */
const MENTION_NAMES = { all: "all mentions", pronoun: "pronouns", name: "names", other: "other nouns", "same sentence": "mentions of the same sentence",
                        "1-3 back": "mentions one to three sentences back", further: "mentions further back" };

function strongestRule(relation) {
    const shares = relation.held_out.baselines.map(shareOf);
    return shares.indexOf(Math.max(...shares));
}

function coreferenceColumns(choice) {
    return [["Cases", counted(choice.found[1])], ["Head", runs[0].heads[choice.head].name], ["Found", percent(shareOf(choice.found))],
            ["95%", choice.interval === undefined || choice.interval[0] === null ? "–" : betweenText(choice.interval)],
            ...COREFERENCE_BASELINES.map((name, i) => [name, percent(shareOf(choice.baselines[i]))])];
}

function coreferenceText(relation) {
    const choice = relation.held_out, head = runs[0].heads[choice.head], rule = strongestRule(relation);
    const between = choice.interval[0] === null ? "" : `, 95% interval ${betweenText(choice.interval)} (bootstrap over documents)`;
    const null_ = relation.null_held_out === undefined ? "" : `; random weights in ${percent(shareOf(relation.null_held_out))}`;
    return `For ${MENTION_NAMES[relation.name]}, ${head.name} finds an earlier mention of the same entity in ${percent(shareOf(choice.found))} of ${counted(choice.found[1])} cases${between}. ` +
        `The rule “${COREFERENCE_BASELINES[rule]}” finds one in ${percent(shareOf(choice.baselines[rule]))}${null_}. ` +
        (relation.earned ? "The head is above every rule." : "The head is not clearly above this rule.");
}

const coreferenceTexts = {
    units: "documents", gold: () => "same entity", earns: "above every rule for", columns: coreferenceColumns,
    baseline: (relation) => relation.held_out.baselines[strongestRule(relation)], relation: coreferenceText,
    caseText: (relation, right, word, guess, gold) =>
        (right ? `${word} looks at ${guess}, an earlier mention of the same entity.` : `${word} looks at ${guess}; the nearest mention of the same entity is ${gold}.`),
    place: (one) => `document ${one.document}`,
    hint: (grammar) => `On ${counted(grammar.documents)} documents of ${grammar.treebank}, in ${counted(grammar.windows)} windows` +
        `${grammar.left_out > 0 ? `, ${counted(grammar.left_out)} long sentences left out` : ""}: how often a mention’s largest weight on an earlier mention is on one of the same entity. ` +
        "The head is chosen on documents 0, 2, 4 … and measured on the others, which are held out. The rules guess the nearest mention with the same word, or else the nearest; the nearest; " +
        "the first of the window. ★: the head is above every rule in 97.5% of the bootstrap’s draws.",
};

/* The section's fixed texts. */
function nameCoreference() {
    byId("grammar-title").textContent = byId("grammar-link").textContent = "Coreference";
    byId("relation").previousSibling.textContent = "Mentions ";
    byId("shares-hint").textContent = "Each head on the held-out documents. A framed, bold number: the head that was chosen is above every rule. A faint number: not above the best rule. " +
        "▾ marks the head that was chosen on the other half of the documents; its examples follow. Select a head to enlarge it.";
    byId("cases-hint").textContent = "The first cases in held-out documents, with the words around the mentions. Blue arcs and bars show the weights from the underlined word, " +
        "which is the mention’s syntactic head, to the others. The dashed orange arc ends at the nearest mention of the same entity, or at the one that the head found.";
}
