/* The classes of a run, as scores.csv and confusion.csv have them: a table and the matrix of confusions, of the most
 * frequent ones. */

const MOST_CLASSES = 40;

/* The rows of a CSV file, its header the first; fields may be quoted. */
function quotedRows(text) {
    const rows = [[]];
    for (const [, field, end] of text.matchAll(/("(?:[^"]|"")*"|[^,\n]*)([,\n])/g)) {
        rows.at(-1).push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
        if (end === "\n") {
            rows.push([]);
        }
    }
    return rows.slice(0, -1);
}

/* Those with most cases, of equals the first by name: { name, place, cases, found, right, precision, recall, f1 }. */
function classesOf(run) {
    const numberOf = (text) => (text === "" ? NaN : Number(text));
    const classes = quotedRows(run.data.scores ?? "").slice(1).map(([name, ...numbers], place) => {
        const [cases, found, right, precision, recall, f1] = numbers.map(numberOf);
        return { name, place, cases, found, right, precision, recall, f1 };
    });
    return classes.sort((a, b) => b.cases - a.cases || a.place - b.place);
}

/* A share 0 .. 1 as per cent. */
function perCent(share) {
    return Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "–";
}

function classTable(classes) {
    const columns = [["Class", (one) => one.name], ["Cases", (one) => one.cases], ["Found", (one) => one.found],
                     ["Right", (one) => one.right], ["Precision", (one) => perCent(one.precision)],
                     ["Recall", (one) => perCent(one.recall)], ["F1", (one) => perCent(one.f1)]];
    const titles = element("tr", {}, ...columns.map(([name], i) =>
        element("th", { scope: "col", class: i === 0 ? "text plain" : "plain" }, name)));
    const body = element("tbody");
    for (const one of classes) {
        body.append(element("tr", {}, ...columns.map(([name, value], i) =>
            element("td", { class: i === 0 ? "text" : "", "data-name": name }, `${value(one)}`))));
    }
    return element("table", { class: "class-table" }, element("thead", {}, titles), body);
}

/* The matrix: a row for each class that is asked for, a column for each answer. The pointer and the arrow keys move an
 * outlined cell, which the line above tells in words. */
class ConfusionMap {
    constructor(place, classes, matrix) {
        this.classes = classes;
        this.counts = classes.map((target) => classes.map((answer) => matrix[target.place][answer.place]));
        this.readout = element("output", { class: "confusion-readout" });
        this.canvas = element("canvas", { tabindex: "0", role: "img" });
        this.box = element("div", { class: "confusion" }, this.canvas);
        place.append(this.readout, this.box);
        this.target = this.answer = 0;
        const follow = (event) => {
            const box = this.canvas.getBoundingClientRect();
            const answer = Math.floor((event.clientX - box.left - this.side) / this.cell);
            const target = Math.floor((event.clientY - box.top - this.side) / this.cell);
            if (answer >= 0 && target >= 0 && answer < classes.length && target < classes.length) {
                this.move(target, answer);
            }
        };
        this.canvas.addEventListener("pointermove", follow);
        this.canvas.addEventListener("pointerdown", follow);
        this.canvas.addEventListener("keydown", (event) => {
            const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
            if (moves[event.key]) {
                event.preventDefault();
                event.stopPropagation();
                const inside = (i) => Math.min(Math.max(i, 0), classes.length - 1);
                this.move(inside(this.target + moves[event.key][0]), inside(this.answer + moves[event.key][1]));
            }
        });
        const [target, answer] = this.worst();
        this.target = target;
        this.answer = answer;
    }

    /* The confusion that comes most often: what the page opens on. */
    worst() {
        let worst = [0, 0], most = 0;
        this.counts.forEach((row, target) => row.forEach((count, answer) => {
            if (target !== answer && count > most) {
                most = count;
                worst = [target, answer];
            }
        }));
        return worst;
    }

    move(target, answer) {
        this.target = target;
        this.answer = answer;
        this.draw();
    }

    shareOf(target, answer) {
        const cases = this.classes[target].cases;
        return cases > 0 ? this.counts[target][answer] / cases : 0;
    }

    draw() {
        const n = this.classes.length, names = this.classes.map((one) => one.name);
        const measure = this.canvas.getContext("2d");
        measure.font = "700 12px system-ui, sans-serif";
        this.side = Math.ceil(Math.min(widestOf(measure, names), 110)) + 28;
        const room = this.box.clientWidth - this.side - 4;
        this.cell = Math.min(Math.max(Math.floor(Math.min(room, 820) / n), 14), 40);
        const size = this.cell * n, context = sharpContext(this.canvas, this.side + size + 2, this.side + size + 2);
        Object.assign(this.canvas.dataset, { side: this.side, cell: this.cell });
        this.nameAxes(context, size);
        this.drawNames(context, names);
        for (let target = 0; target < n; target++) {
            for (let answer = 0; answer < n; answer++) {
                this.drawCell(context, target, answer);
            }
        }
        context.strokeStyle = css("--line");
        context.lineWidth = 1;
        context.strokeRect(this.side - 0.5, this.side - 0.5, size + 1, size + 1);
        context.strokeStyle = OUTLINE;
        context.lineWidth = 2;
        context.strokeRect(this.side + this.answer * this.cell, this.side + this.target * this.cell, this.cell, this.cell);
        this.tell();
    }

    drawCell(context, target, answer) {
        const share = this.shareOf(target, answer), x = this.side + answer * this.cell, y = this.side + target * this.cell;
        const colour = colourAt(Math.sqrt(share)); /* so that small shares are seen */
        context.fillStyle = `rgb(${colour[0]} ${colour[1]} ${colour[2]})`;
        context.fillRect(x, y, this.cell, this.cell);
        if (this.cell >= 30 && share >= 0.005) {
            const light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 140;
            context.fillStyle = light ? "#111" : "#fff";
            context.font = "11px system-ui, sans-serif";
            context.textAlign = "center";
            context.textBaseline = "middle";
            context.fillText((100 * share).toFixed(0), x + this.cell / 2, y + this.cell / 2);
        }
    }

    nameAxes(context, size) {
        context.font = "11px system-ui, sans-serif";
        context.fillStyle = css("--quiet");
        context.textAlign = "left";
        context.textBaseline = "top";
        context.fillText("answer →", this.side, 0);
        context.save();
        context.translate(0, this.side + size);
        context.rotate(-Math.PI / 2);
        context.textAlign = "right";
        context.fillText("← asked for", size, 0);
        context.restore();
    }

    drawNames(context, names) {
        const room = this.side - 24;
        context.textBaseline = "middle";
        names.forEach((name, i) => {
            const middle = this.side + (i + 0.5) * this.cell;
            const write = (chosen, x, y) => {
                context.font = `${chosen ? "700 " : ""}12px system-ui, sans-serif`;
                context.fillStyle = css(chosen ? "--second" : "--text");
                context.fillText(fitted(context, name, room), x, y);
            };
            context.textAlign = "right";
            write(i === this.target, this.side - 5, middle);
            context.save();
            context.translate(middle, this.side - 5);
            context.rotate(-Math.PI / 2);
            context.textAlign = "left";
            write(i === this.answer, 0, 0);
            context.restore();
        });
    }

    tell() {
        const asked = this.classes[this.target], answered = this.classes[this.answer];
        const count = this.counts[this.target][this.answer], share = perCent(this.shareOf(this.target, this.answer));
        const what = this.target === this.answer ? `“${asked.name}” found` : `“${asked.name}” taken for “${answered.name}”`;
        this.readout.textContent = `${what}: ${count} of ${asked.cases} cases${asked.cases > 0 ? `, ${share}` : ""}`;
        this.canvas.setAttribute("aria-label", `Confusions of ${this.classes.length} classes. ${this.readout.textContent}. ` +
            "Arrow keys move through them.");
    }
}

/* Returns the matrices, which are drawn with the rest of the page. */
function buildClasses() {
    const maps = [];
    for (const run of runs) {
        const all = classesOf(run), classes = all.slice(0, MOST_CLASSES);
        if (all.length === 0) {
            continue;
        }
        byId("classes").hidden = false;
        byId("classes-link").hidden = false;
        const place = element("div", { class: classes.length > 20 ? "classes-of many" : "classes-of" });
        byId("class-list").append(place);
        if (runs.length > 1) {
            place.append(element("h3", {}, run.name));
        }
        if (all.length > classes.length) {
            place.append(element("p", { class: "hint" },
                `The ${MOST_CLASSES} most frequent of ${all.length} classes. scores.csv in the run’s folder has all of them.`));
        }
        const side = element("div", { class: "class-side" });
        const table = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of classes" }, classTable(classes));
        place.append(side, table);
        const matrix = quotedRows(run.data.confusion ?? "").slice(1).map((row) => row.slice(1).map(Number));
        if (matrix.length === all.length && matrix.every((row) => row.length === all.length)) {
            maps.push(new ConfusionMap(side, classes, matrix));
        } else {
            side.remove();
        }
    }
    return maps;
}
