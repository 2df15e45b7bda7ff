/* Answers of the program heads, as tests read them. Failures here end the test. */
#pragma once

#include "core/files/npz.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The document that the text is. Stands to the end of the test, like that of answer_owned, which hands it on, and
 * like the arrays below. */
json_t *answer_json(const char *text);
json_t *answer_owned(json_t *json);

/* That which heads answers to these words: ANSWER("writes", folder, "--json"). */
#define ANSWER(...) answer_json(OK(HEADS(__VA_ARGS__)).out)

/* All arrays of a file. */
const hl_npz *answer_arrays(const char *path);

/* The data of a page. */
json_t *answer_page(const char *page);

/* Members of an object: a number, a text, and item i of a list. */
double number_at(const json_t *object, const char *name);
const char *text_at(const json_t *object, const char *name);
json_t *item_at(const json_t *object, const char *name, size_t i);

/* No line takes more than 80 columns. Bytes that go on with a character take none. */
void answer_fits(const char *text);

/* The same, but for the first line, which may hold a path. */
void answer_fits_below(const char *text);

/* A row of each head of the tiny config, in order. */
void answer_has_heads(const char *table);

/* The text as one line, whatever lines it is broken into; stands to the end of the test. */
const char *answer_flat(const char *text);

/* Whether these words stand in it. */
bool answer_says(const char *text, const char *words);

/* The number of lines, each of which ends. */
int64_t answer_lines(const char *text);

/* Runs heads with these words, up to a NULL, of which the first `closely` allocations and then every `stride`-th fail
 * once, in a run of its own each: nothing is lost, memory is what it complains of, and where it does not complain, it
 * says all that it would have said. */
void answer_without_memory(const char *const *words, int closely, int stride);
#define WITHOUT_MEMORY(closely, stride, ...) \
    answer_without_memory((const char *const[]){ "heads", __VA_ARGS__, NULL }, closely, stride)

/* ---- what heads were found to do ---- */

enum { FOUND_MOST = 64 };

typedef enum found_verdict { FOUND_NOT_KNOWN, FOUND_NO, FOUND_YES } found_verdict;

typedef struct found_head {
    char label[64];
    double score, baseline;
    found_verdict faithful, in_group; /* alone; with the heads of its layer that share its label */
} found_head;

/* Runs `heads folder --json` and returns how many heads it has. */
int found_heads(const char *folder, found_head heads[FOUND_MOST]);

/* The heads of that label which score at least so much and are faithful, alone or in their group. */
int found_faithful(const found_head *heads, int n, const char *label, double score);

/* A metric of a head in the run's heads.csv. */
typedef struct found_metric {
    int step, layer, head;
    char name[64];
    double value, baseline;
} found_metric;

/* Goes on to the next row of heads.csv whose metric's name begins so. *at is its content, and then what follows the
 * row; false where there is none. */
int found_next(const char **at, const char *begin, found_metric *row);
