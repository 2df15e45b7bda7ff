/* The built program takes the memory that its summary told. */
#pragma once

/* Runs two steps of config `name` of the source tree: the most memory that the process held and what the summary tells
 * must agree within 5% and 8 MiB. */
void told_memory_check(const char *name);

/* The same of a config of that text for one step, and again for a second, resumed one; neither held more than
 * `most` MiB. Returns the run's folder; NULL under a sanitizer, where nothing is run. */
const char *told_memory_check_resumed(const char *text, double most);

/* The same of `heads` with that folder and each option whose needs differ. */
void told_memory_check_heads(const char *folder);

/* The same of `heads` where it draws the figures of such a run. */
void told_memory_check_figures(const char *text);

/* The same of `heads` where it writes the maps of such a run, whose model takes 200 tokens, a among them. */
void told_memory_check_maps(const char *text);

/* The same of `heads grammar` with an option, and its value or NULL, of a folder's model, on that many sentences of
 * 40 words. The MiB that it took; 0 under a sanitizer, where nothing is run. */
double told_memory_check_treebank(const char *folder, int sentences, const char *option, const char *value);
