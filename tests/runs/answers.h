/* Answers of the program heads, as tests read them. Failures here end the test. */
#pragma once

#include <jansson.h>
#include <stdint.h>

/* The document that the text is; to be json_decref'ed. */
json_t *answer_json(const char *text);

/* A number of an object. */
double answer_figure(const json_t *object, const char *key);

/* No line takes more than 80 columns. Bytes that go on with a character take none. */
void answer_fits(const char *text);

/* The same, but for the first line, which may hold a path. */
void answer_fits_below(const char *text);

/* The number of lines, each of which ends. */
int64_t answer_lines(const char *text);

/* Runs heads with these words, up to a NULL, of which the first `closely` allocations and then every `stride`-th fail
 * once, in a run of its own each: nothing is lost, and memory is what it complains of. */
void answer_without_memory(const char *const *words, int closely, int stride);
#define WITHOUT_MEMORY(closely, stride, ...) \
    answer_without_memory((const char *const[]){ "heads", __VA_ARGS__, NULL }, closely, stride)
