/* SIGINT, SIGTERM and SIGHUP (its terminal was closed): the first asks the run to save and end, a second one ends the
 * process at once. */
#ifndef HL_TRAIN_SIGNALS_H
#define HL_TRAIN_SIGNALS_H

/* Installs the handlers but for a signal that is ignored, as whoever started the program wanted it (a job in a script's
 * background ignores SIGINT, nohup lets a program ignore SIGHUP). Cannot fail. */
void hl_signals_install(void);

/* The signal that asked, or 0. */
int hl_signals_received(void);

#endif
