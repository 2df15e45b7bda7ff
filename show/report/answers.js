/* What the model answers: an example's targets and predictions, right or wrong by colour and by sign; an open one, whose
 * target nobody knows, is neither. */

function signOf(answer) {
    return answer.open ? "→" : answer.right ? "✓" : "✗";
}

function nameOf(answer) {
    return answer.open ? "open" : answer.right ? "right" : "wrong";
}

function colourOf(answer) {
    return css({ open: "--text", right: "--accent", wrong: "--second" }[nameOf(answer)]);
}

function countText(answers) {
    const judged = answers.filter((answer) => !answer.open);
    return judged.length === 0 ? `${answers.length} open answer${answers.length === 1 ? "" : "s"}`
        : `${judged.filter((answer) => answer.right).length} of ${judged.length} right`;
}

/* The example token by token. */
function buildExample() {
    const text = element("p"), list = element("ol", { class: "tokens" });
    return { box: element("div", { class: "example" }, text, list), text, list };
}

function tokenItem(token, i, answer) {
    return exampleItem(`${i}`, token, `position ${i}: ${token}`, answer);
}

/* The answer that is read from the mean of all n tokens. */
function wholeItem(n, answer) {
    return exampleItem(`0–${n - 1}`, "mean", "the mean of all positions", answer);
}

function exampleItem(place, token, title, answer) {
    const item = element("li", { title }, element("small", {}, place), element("b", {}, shortened(token)));
    if (answer !== undefined) {
        item.className = nameOf(answer);
        item.append(element("span", {}, shortened(answer.target)), element("em", {}, `${signOf(answer)} ${shortened(answer.prediction)}`));
        item.title += answer.open ? `, answer ${answer.prediction}; nobody knows the right one`
            : `, target ${answer.target}, answer ${answer.prediction}, ${nameOf(answer)}`;
    }
    return item;
}

function drawExample(run, place) {
    const index = indexOf(run), example = exampleOf(run), answers = run.answers(index, example);
    const at = new Map(answers.filter((answer) => !answer.whole).map((answer) => [answer.position, answer]));
    const head = element("li", { class: "rows" }, element("small", {}, "position"), element("b", {}, state.unit === "words" ? "word" : "token"));
    if (answers.length > 0) {
        head.append(element("span", {}, "target"), element("em", {}, "answer"));
    }
    const tokens = run.examples[example].tokens, whole = answers.filter((answer) => answer.whole);
    place.list.replaceChildren(head, ...whole.map((answer) => wholeItem(tokens.length, answer)),
                               ...tokens.map((token, i) => tokenItem(token, i, at.get(i))));
    place.text.replaceChildren(element("strong", {}, `Example ${example}`), answers.length > 0 ? `: ${countText(answers)} ${run.data.stages === undefined ? "at" : "by"} ${run.stepName(run.steps[index])}` : "");
}

/* Under a map that has no room for letters: the words themselves where they are few, else how many are right. */
function answerWords(answers) {
    if (answers.length > 5) {
        const count = (name) => answers.filter((answer) => nameOf(answer) === name).length;
        return count("open") === answers.length ? [element("span", {}, countText(answers))]
            : [element("span", { class: "right" }, `✓ ${count("right")}`), element("span", { class: "wrong" }, `✗ ${count("wrong")}`)];
    }
    return answers.map((answer) => element("span", { class: nameOf(answer) }, answerText(answer)));
}

/* One answer on one line; a wrong one with what would have been right. */
function answerText(answer) {
    return `${signOf(answer)} ${shortened(answer.prediction)}${answer.right || answer.open ? "" : ` (${shortened(answer.target)})`}`;
}

/* A tick or a cross in a box of that width and height. */
function drawSign(context, answer, x, y, width, height) {
    const half = Math.min(width, height) * 0.38, middle = [x + width / 2, y + height / 2];
    const points = answer.right ? [[-1, 0.1], [-0.3, 0.9], [1, -0.9]] : [[-1, -1], [1, 1], null, [1, -1], [-1, 1]];
    context.lineWidth = Math.max(1, half * 0.45);
    context.beginPath();
    points.forEach((point, i) => {
        if (point !== null) {
            const move = i === 0 || points[i - 1] === null ? "moveTo" : "lineTo";
            context[move](middle[0] + half * point[0], middle[1] + half * point[1]);
        }
    });
    context.stroke();
}

/* The same where a sign has no room: a low bar for right, one of full height for wrong. */
function drawBar(context, answer, x, y, width, height) {
    const tall = answer.right ? height / 3 : height;
    context.fillRect(x, y + height - tall, Math.max(width - 0.25, 0.75), tall);
}

/* Under a map's columns, from `top` on: each answer's target, prediction and sign, or where the layout has no room for
 * letters, its sign or bar alone. */
function drawAnswers(context, answers, layout, top) {
    for (const answer of answers) {
        const x = layout.side + answer.position * layout.cell, middle = x + layout.cell / 2;
        const colour = colourOf(answer);
        let y = top;
        if (layout.letters) {
            context.textAlign = "center";
            context.fillStyle = css("--text");
            context.fillText(answer.target, middle, y + layout.line / 2);
            context.fillStyle = colour;
            const fits = context.measureText(answer.prediction).width <= layout.cell;
            context.fillText(fits ? answer.prediction : "…", middle, y + 1.5 * layout.line);
            y += 2 * layout.line;
        }
        context.fillStyle = colour;
        context.strokeStyle = colour;
        (layout.cell >= 5 ? drawSign : drawBar)(context, answer, x, y, layout.cell, layout.sign);
    }
    if (layout.letters && layout.side > 0) {
        context.textAlign = "right";
        context.fillStyle = css("--quiet");
        context.fillText(fitted(context, "target", layout.side - 4), layout.side - 3, top + layout.line / 2);
        context.fillText(fitted(context, "answer", layout.side - 4), layout.side - 3, top + 1.5 * layout.line);
    }
}
