/* SIGINT, SIGTERM and SIGHUP (its terminal was closed): the first asks the run to save and end (train/signals.h), and
 * is answered at once, however long that takes; a second one ends the process at once. */
#pragma once

/* `text` is the answer: a line, its newline too, for standard error, or ""; it must stand as long as the process.
 *
 * Installs the handlers but for a signal that is ignored, as whoever started the program wanted it (a job in a script's
 * background ignores SIGINT, nohup lets a program ignore SIGHUP). Cannot fail. */
void hl_signal_handlers_install(const char *text);

/* From here on the first signal ends the process at once, with exit code 128 + signal, after this answer: for what
 * takes long when all is saved. The files at `unfinished`, up to a NULL, are removed then; NULL: there are none. Paths
 * stand as long as the process. A signal that came before is still told by hl_signals_received. Cannot fail. */
void hl_signal_handlers_end_at_once(const char *text, const char *const *unfinished);
