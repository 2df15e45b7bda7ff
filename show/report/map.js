/* The attention of one head as a large map with tokens at the axes. */

const OUTLINE = "#d9540b"; /* seen on every level */

/* A canvas of so many pixels of the page, sharp on dense screens; its context measures in pixels of the page. */
function sharpContext(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

/* The token, shortened with "…" until it is no wider than `most`. */
function fitted(context, token, most) {
    if (context.measureText(token).width <= most) {
        return token;
    }
    const letters = [...token];
    while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > most) {
        letters.pop();
    }
    return `${letters.join("")}…`;
}

/* What the colours of a map mean; `top`: its largest number, where the scale ends there. */
function scaleText(run, example, top) {
    if (state.measure === "answer") {
        const most = (top ?? signed(answerTop(run, example))).replace(/^[+-]/, "");
        return `colours: takes away ${most} (orange) to adds ${most} (blue)`;
    }
    return `colours: ${{ weights: "weights", norms: "shares" }[state.measure]} 0 to ${top === null ? "1" : `${top}, the maximum here`}`;
}

/* The large map. Its cell at (query, key) of the state is outlined; the pointer and the arrow keys move it. */
class LargeMap {
    constructor(place, head, move) {
        this.head = head;
        this.canvas = element("canvas", { tabindex: "0", role: "img" });
        this.small = document.createElement("canvas");
        place.append(this.canvas);
        const follow = (event) => {
            const cell = this.cellAt(event);
            if (cell !== null) {
                move(cell.query, cell.key);
            }
        };
        this.canvas.addEventListener("pointermove", follow);
        this.canvas.addEventListener("pointerdown", follow);
        this.canvas.addEventListener("keydown", (event) => {
            const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
            if (moves[event.key]) {
                event.preventDefault();
                event.stopPropagation();
                move(state.query + moves[event.key][0], state.key + moves[event.key][1]);
            }
        });
    }

    cellAt(event) {
        const box = this.canvas.getBoundingClientRect();
        const key = Math.floor((event.clientX - box.left - this.side) / this.cell);
        const query = Math.floor((event.clientY - box.top - this.head_room) / this.cell);
        return key >= 0 && query >= 0 && key < this.n && query < this.n ? { query, key } : null;
    }

    /* Sizes: the labels' room, then cells as large as the page has room for. */
    measure(tokens, answers) {
        const context = this.canvas.getContext("2d");
        context.font = "700 13px system-ui, sans-serif";
        const longest = Math.min(Math.max(...tokens.map((token) => context.measureText(token).width)), 96);
        this.n = tokens.length;
        this.upright = longest > 18;
        this.side = Math.max(Math.ceil(longest) + 10, 54);
        this.head_room = Math.max(this.upright ? Math.ceil(longest) + 10 : 0, 38);
        const width = this.canvas.parentElement.clientWidth - this.side - 2;
        const written = Math.min(widestOf(context, ["answer", ...answers.map(answerText)]) + 16, 110);
        const isWritten = answers.length > 0 && (width - written) / this.n >= LEAST_CELL;
        this.answers_room = isWritten ? written : 0;
        const room = width - this.answers_room;
        const tall = Math.max(window.innerHeight - this.head_room - 395, 200);
        this.cell = Math.min(Math.max(Math.min(room, tall) / this.n, 3), 44);
    }

    draw() {
        const run = this.head.run, example = exampleOf(run);
        const tokens = run.examples[example].tokens;
        const all = run.answers(indexOf(run), example), answers = all.filter((answer) => !answer.whole);
        this.measure(tokens, answers);
        const size = this.cell * this.n;
        const whole = all.find((answer) => answer.whole);
        const context = sharpContext(this.canvas, this.side + size + 2 + this.answers_room, this.head_room + size + (whole === undefined ? 20 : 36));
        Object.assign(this.canvas.dataset, { left: this.side, top: this.head_room, cell: this.cell });
        const levels = run.map(this.head, indexOf(run), example);
        if (levels === undefined) {
            return;
        }
        paintLevels(this.small, levels, this.n);
        context.imageSmoothingEnabled = false;
        context.drawImage(this.small, this.side, this.head_room, size, size);
        context.strokeStyle = css("--line");
        context.strokeRect(this.side - 0.5, this.head_room - 0.5, size + 1, size + 1);
        this.outlineGold(context, goldOf(run));
        this.nameAxes(context);
        this.drawTokens(context, tokens);
        this.drawAnswers(context, answers);
        this.nameScale(context, scaleText(run, example, state.scale === "own" ? run.topText(this.head, indexOf(run), example, levels) : null), whole);
        this.outline(context, state.query, state.key, OUTLINE, 2);
        this.canvas.setAttribute("aria-label", `Attention of ${this.head.name}, ${this.n} queries by ${this.n} keys. ` +
            "Arrow keys move through it.");
    }

    nameAxes(context) {
        context.font = "11px system-ui, sans-serif";
        context.fillStyle = css("--quiet");
        context.textAlign = "right";
        context.textBaseline = "middle";
        context.fillText("key →", this.side - 6, this.head_room - 24);
        context.fillText("query ↓", this.side - 6, this.head_room - 10);
    }

    /* Right of the queries that something is asked of. */
    drawAnswers(context, answers) {
        if (this.answers_room === 0) {
            return;
        }
        const left = this.side + this.cell * this.n + 8;
        context.font = "11px system-ui, sans-serif";
        context.textAlign = "left";
        context.fillStyle = css("--quiet");
        context.fillText("answer", left, this.head_room - 10);
        context.font = `600 ${Math.min(Math.max(this.cell * 0.72, 9), 13)}px system-ui, sans-serif`;
        for (const answer of answers) {
            context.fillStyle = colourOf(answer);
            context.fillText(fitted(context, answerText(answer), this.answers_room - 10), left,
                             this.head_room + (answer.position + 0.5) * this.cell);
        }
    }

    /* Below the map: where the colours end, and the answer that is of no query. */
    nameScale(context, text, whole) {
        const y = this.head_room + this.cell * this.n + 12;
        context.font = "11px system-ui, sans-serif";
        context.textAlign = "left";
        context.fillStyle = css("--quiet");
        context.fillText(text, this.side, y);
        if (whole !== undefined) {
            const name = "answer from the mean: ", x = context.measureText(name).width;
            const answer = fitted(context, answerText(whole), this.canvas.clientWidth - x);
            context.fillText(name, 0, y + 16);
            context.fillStyle = colourOf(whole);
            context.fillText(answer, x, y + 16);
            this.canvas.dataset.whole = answer;
        }
    }

    outline(context, query, key, colour, width) {
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.strokeRect(this.side + key * this.cell, this.head_room + query * this.cell, this.cell, this.cell);
    }

    outlineGold(context, keys) {
        keys?.forEach((key, query) => {
            if (key >= 0) {
                this.outline(context, query, key, OUTLINE, 1);
            }
        });
    }

    /* Where cells are smaller than letters, only some tokens are written; those of the outlined cell always. */
    drawTokens(context, tokens) {
        const font = Math.min(Math.max(this.cell * 0.72, 9), 13);
        const every = Math.ceil((font + 1) / this.cell);
        const wide = Math.max(...tokens.map((token) => context.measureText(token).width), 1);
        const everyKey = this.upright ? every : Math.max(every, Math.ceil(Math.min(wide, 18) / this.cell));
        context.textBaseline = "middle";
        tokens.forEach((token, i) => {
            this.drawToken(context, token, i, false, font, every);
            this.drawToken(context, token, i, true, font, everyKey);
        });
    }

    drawToken(context, token, i, isKey, font, every) {
        const chosen = i === (isKey ? state.key : state.query);
        const near = Math.abs(i - (isKey ? state.key : state.query)) < every;
        if (!chosen && (i % every !== 0 || (near && every > 1))) {
            return;
        }
        context.font = `${chosen ? "700 " : ""}${font}px system-ui, sans-serif`;
        context.fillStyle = css(chosen ? "--second" : "--text");
        const middle = (i + 0.5) * this.cell;
        const text = fitted(context, token, this.side - 8);
        if (!isKey) {
            context.textAlign = "right";
            context.fillText(text, this.side - 6, this.head_room + middle);
        } else if (context.measureText(text).width > this.cell - 2 && this.upright) {
            context.save();
            context.translate(this.side + middle, this.head_room - 6);
            context.rotate(-Math.PI / 2);
            context.textAlign = "left";
            context.fillText(text, 0, 0);
            context.restore();
        } else {
            context.textAlign = "center";
            context.fillText(text, this.side + middle, this.head_room - 11);
        }
    }
}
