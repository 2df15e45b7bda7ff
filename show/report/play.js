/* What moves a page by itself: playing from step to step by `goTo`, the page's own, up to the end of its slider; light and
 * dark. */

const paces = { slow: 3, normal: 1, fast: 1 / 3 }; /* how long a step stays, against the normal */
let playing = null; /* the timer of the next step */

function isPlaying() {
    return playing !== null;
}

function lastPlace() {
    return Number(byId("slider").max);
}

function play(on) {
    clearTimeout(playing);
    playing = null;
    byId("play").setAttribute("aria-pressed", on);
    byId("play").textContent = on ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", on ? "Pause (space)" : "Play (space)");
    if (!on) {
        return;
    }
    goTo(state.index >= lastPlace() ? 0 : state.index);
    playOn();
}

/* The next step after a while, as long as it plays; never before the one before is drawn. */
function playOn() {
    const timer = setTimeout(async () => {
        await goTo(state.index + 1);
        if (playing === timer && state.index >= lastPlace()) {
            play(false);
        } else if (playing === timer) {
            playOn();
        }
    }, paces[byId("pace").value] * Math.max(120, Math.min(500, 8000 / (lastPlace() + 1))));
    playing = timer;
}

/* Light or dark as the system has it, until the button is used. */
function setUpTheme() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const set = (theme) => {
        document.documentElement.dataset.theme = theme;
        byId("dark").media = theme === "dark" ? "all" : "not all";
        paintScale();
    };
    const use = (theme) => {
        set(theme);
        draw();
    };
    set(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => use(dark.matches ? "dark" : "light"));
    byId("theme").addEventListener("click", () => use(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}
