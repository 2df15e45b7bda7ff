/* What the words of the page mean: the program's own texts. */

const wordData = JSON.parse(byId("word-data").textContent);

/* "all.offset(-11)" is a reading of the word "all.offset(k)". */
function plainWord(name) {
    return name.replace(/\(.*/, "");
}

function wordOf(name) {
    return wordData.words.find((word) => word.group !== "Labels" && plainWord(word.name) === plainWord(name));
}

/* What a metric of a run means. A relation of its treebank (syntax.csv) is none that a task states. */
function meaningOf(run, metric) {
    const relation = run.data.syntax_steps?.relations.find(({ name }) => metricOfRelation(name) === metric);
    return relation === undefined ? wordOf(metric)?.meaning ?? "" : `how often the head finds the treebank’s ${relation.name}, held out`;
}

/* Why a head is mixed; "" where it is not. */
function missOf(head) {
    return wordData.misses[head.run.index][head.place] ?? "";
}

function wordLink(name) {
    return element("a", { href: `#word-${name}`, class: "word", "aria-label": `What ${name} means` }, "?");
}

function byGroup(items, groupOf) {
    const groups = new Map();
    for (const item of items) {
        const group = groupOf(item);
        groups.set(group, [...(groups.get(group) ?? []), item]);
    }
    return groups;
}

function buildWords() {
    for (const [group, words] of byGroup(wordData.words, (word) => word.group)) {
        const list = element("dl");
        for (const word of words) {
            const id = group === "Labels" ? `word-label-${plainWord(word.name)}` : `word-${plainWord(word.name)}`;
            list.append(element("div", { id }, element("dt", {}, word.name), element("dd", {}, word.meaning)));
        }
        byId("word-list").append(element("h3", {}, group), list);
    }
}
