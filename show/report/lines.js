/* The attention of one head as lines from queries, at the left, to keys, at the right. */

class Lines {
    constructor(place, head, move) {
        this.head = head;
        this.only = null; /* the query under the pointer, whose lines alone are drawn */
        this.canvas = element("canvas", { tabindex: "0", role: "img" });
        place.append(this.canvas);
        const follow = (event) => {
            const box = this.canvas.getBoundingClientRect();
            const row = Math.floor((event.clientY - box.top - this.top) / this.row);
            const inside = row >= 0 && row < this.n && event.clientX - box.left < box.width / 2;
            this.only = inside ? row : null;
            if (inside) {
                move(row, this.strongest(row));
            } else {
                this.draw();
            }
        };
        this.canvas.addEventListener("pointermove", follow);
        this.canvas.addEventListener("pointerdown", follow);
        this.canvas.addEventListener("pointerleave", () => {
            this.only = null;
            this.draw();
        });
        this.canvas.addEventListener("keydown", (event) => {
            const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
            if (by !== undefined) {
                event.preventDefault();
                event.stopPropagation();
                this.only = Math.min(Math.max((this.only ?? -by) + by, 0), this.n - 1);
                move(this.only, this.strongest(this.only));
            }
        });
    }

    strongest(query) {
        const levels = this.levels?.subarray(query * this.n, (query + 1) * this.n) ?? [];
        return levels.reduce((best, level, key) => (Math.abs(level) > Math.abs(levels[best]) ? key : best), 0);
    }

    draw() {
        const run = this.head.run, example = exampleOf(run);
        const tokens = run.examples[example].tokens;
        this.n = tokens.length;
        this.row = this.n > 40 ? 14 : 20;
        this.top = 22;
        this.levels = run.map(this.head, indexOf(run), example);
        const width = Math.min(this.canvas.parentElement.clientWidth, 620);
        const context = sharpContext(this.canvas, width, this.top + this.n * this.row + 6);
        const side = Math.min(width * 0.28, 120);
        if (this.levels === undefined) {
            return;
        }
        context.textBaseline = "middle";
        context.font = "12px system-ui, sans-serif";
        context.fillStyle = css("--quiet");
        context.textAlign = "right";
        context.fillText("query", side - 8, 9);
        context.textAlign = "left";
        context.fillText("key", width - side + 8, 9);
        this.drawLines(context, side, width - side);
        this.drawTokens(context, tokens, side, width - side);
        this.canvas.setAttribute("aria-label", `Attention of ${this.head.name} as lines from queries to keys. ` +
            "Up and down choose a query.");
    }

    middle(i) {
        return this.top + (i + 0.5) * this.row;
    }

    drawLines(context, left, right) {
        for (let query = 0; query < this.n; query++) {
            for (let key = 0; key < this.n; key++) {
                const level = this.levels[query * this.n + key], weight = weightOf[Math.abs(level)];
                if (weight < 0.02 || (this.only !== null && this.only !== query)) {
                    continue;
                }
                context.strokeStyle = css(level < 0 ? "--second" : "--accent");
                context.globalAlpha = weight;
                context.lineWidth = 0.8 + 2.2 * weight;
                context.beginPath();
                context.moveTo(left, this.middle(query));
                const third = (right - left) / 3;
                context.bezierCurveTo(left + third, this.middle(query), right - third, this.middle(key), right,
                                      this.middle(key));
                context.stroke();
            }
        }
        context.globalAlpha = 1;
    }

    drawTokens(context, tokens, left, right) {
        const run = this.head.run;
        tokens.forEach((token, i) => {
            const chosen = this.only === i;
            context.font = `${chosen ? "700 " : ""}${this.row > 16 ? 13 : 11}px system-ui, sans-serif`;
            context.fillStyle = css(chosen ? "--second" : "--text");
            context.textAlign = "right";
            context.fillText(fitted(context, token, left - 12), left - 8, this.middle(i));
            const weight = this.only === null ? 0 : weightOf[Math.abs(this.levels[this.only * this.n + i])];
            context.font = `${weight > 0.5 ? "700 " : ""}${this.row > 16 ? 13 : 11}px system-ui, sans-serif`;
            context.fillStyle = css("--text");
            context.textAlign = "left";
            const value = weight >= 0.02 ? ` ${run.weightText(this.head, indexOf(run), exampleOf(run), this.only, i)}` : "";
            const room = this.canvas.clientWidth - right - 12 - context.measureText(value).width;
            context.fillText(fitted(context, token, room) + value, right + 8, this.middle(i));
        });
    }
}
