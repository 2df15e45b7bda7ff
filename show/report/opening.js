/* The example that the page opens on. */

/* The key that a label names for each query of an example, -1 for none; undefined for labels that name none. */
function keysOfLabel(label, example) {
    const offset = { previous: -1, next: 1, self: 0 }[label] ?? label?.match(/^offset\((.*)\)$/)?.[1];
    if (offset !== undefined) {
        const n = example.tokens.length;
        return example.tokens.map((_, i) => (i + Number(offset) >= 0 && i + Number(offset) < n ? i + Number(offset) : -1));
    }
    return example.gold.find((gold) => gold.name === goldOfLabel(label))?.keys;
}

/* How much a head shows on an example: the weights on the keys of its label; without such, the largest of each query. */
function weightShown(head, index, example) {
    const run = head.run, n = run.examples[example].tokens.length, levels = run.map(head, index, example);
    const keys = keysOfLabel(head.label, run.examples[example]);
    let sum = 0;
    for (let query = 0; query < n; query++) {
        const row = levels.subarray(query * n, (query + 1) * n);
        const key = keys?.[query] ?? row.indexOf(row.reduce((a, b) => Math.max(a, b), 0));
        sum += key < 0 ? 0 : weightOf[row[key]];
    }
    return sum;
}

/* The example on which the labelled heads show most of what they are labelled for, each measured by its best one; right
 * answers count like a head. The first of equals. */
function openingExample(count) {
    const run = runs[0], index = run.steps.length - 1;
    const labelled = run.heads.filter((head) => !["mixed", "uniform", undefined].includes(head.label));
    const scores = new Array(count).fill(0);
    const add = (shownBy) => {
        const shows = scores.map((_, example) => shownBy(example)), most = Math.max(...shows, 1e-9);
        shows.forEach((value, example) => {
            scores[example] += value / most;
        });
    };
    add((example) => run.answers(index, example).filter((answer) => answer.right).length);
    for (const head of labelled.length > 0 ? labelled : run.heads) {
        add((example) => weightShown(head, index, example));
    }
    return scores.indexOf(Math.max(...scores));
}
