/* Tables of results: a function states the cells of a row, each with the names of its column, and from it the table is
 * printed for people, in text and in Markdown, and for programs, in CSV and in JSON. A column whose title is NULL is
 * not there for people, one whose key is NULL not for programs. A number that is not finite is a missing value: "-" for
 * people, an empty field of CSV, null in JSON. */
#pragma once

#include "core/base/text.h"
#include "core/base/text_grid.h"
#include "core/files/json.h"

#include <stdint.h>

/* Where the cells of a row go. Each of the functions below adds one. */
typedef struct hl_row hl_row;

/* Formatted as by printf, and cut where it has more than 1023 bytes. In JSON an empty text is null. */
void hl_row_text(hl_row *row, const char *title, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* For people in so many decimals, for programs with nine significant digits. */
void hl_row_number(hl_row *row, const char *title, const char *key, int decimals, double number);

/* From 0 to 1; for people in per cent with one decimal. */
void hl_row_share(hl_row *row, const char *title, const char *key, double share);

/* A whole number, which a double holds. */
void hl_row_integer(hl_row *row, const char *title, const char *key, double integer);

/* For programs: 0 or 1, which JSON has as false and true. */
void hl_row_truth(hl_row *row, const char *key, double truth);

/* In JSON alone: a member of any kind, which the row takes; NULL stands for missing memory. */
void hl_row_json(hl_row *row, const char *key, json_t *value);

typedef struct hl_results {
    void (*row_of)(const void *context, int64_t index, hl_row *row); /* adds the same columns to each row */
    const void *context;
    int64_t n; /* rows; at least one, but for JSON */
} hl_results;

/* The table for people, the titles in row 0. HL_NO_MEMORY; must be freed on failure too. */
hl_status hl_results_grid(hl_text_grid *grid, hl_results results);

/* All add to the text, on which HL_NO_MEMORY is left; columns as hl_text_grid_print has them, with `ascii`. The second
 * adds an empty line before and after the table. */
void hl_results_print(hl_text *text, hl_results results, int width, int64_t repeated);
void hl_results_print_apart(hl_text *text, hl_results results, int width, int64_t repeated);
void hl_results_markdown(hl_text *text, hl_results results);
void hl_results_csv(hl_text *text, hl_results results);

/* A list of objects; NULL when out of memory. */
json_t *hl_results_json(hl_results results);
