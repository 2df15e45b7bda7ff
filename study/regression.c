#include "study/regression.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void hl_regression_free(hl_regression *r)
{
    hl_free(r->pairs);
    *r = (hl_regression){ 0 };
}

hl_status hl_regression_want(hl_regression *r, hl_span text)
{
    char copy[64], *end;
    snprintf(copy, sizeof copy, "%.*s", text.size < sizeof copy ? (int)text.size : (int)sizeof copy, text.text);
    double number = strtod(copy, &end);
    if (text.size >= sizeof copy || end == copy || *end != '\0' || !isfinite(number)) {
        return hl_error(HL_INVALID,
                        "\"%s\" is no number, and the model answers with one; task.label_column names the column of "
                        "numbers",
                        copy);
    }
    HL_NEED(HL_GROW(r->pairs, r->capacity, r->n_wanted + 1), "the numbers of a file");
    r->pairs[r->n_wanted++][0] = number;
    return hl_ok();
}

void hl_regression_say(hl_regression *r, double number)
{
    assert(r->n_said < r->n_wanted);
    r->pairs[r->n_said++][1] = number;
}

static double mean_of(double (*pairs)[2], int side, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += pairs[i][side];
    }
    return sum / (double)n;
}

static double pearson(double (*pairs)[2], size_t n)
{
    double mean_a = mean_of(pairs, 0, n), mean_b = mean_of(pairs, 1, n), aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < n; i++) {
        double a = pairs[i][0] - mean_a, b = pairs[i][1] - mean_b;
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : (double)NAN;
}

typedef struct place {
    double number;
    size_t at;
} place;

static int compare(const void *a, const void *b)
{
    double x = ((const place *)a)->number, y = ((const place *)b)->number;
    return (x > y) - (x < y);
}

/* Writes the rank of each number of a side, of equal ones the mean of theirs; places (n): scratch. */
static void rank(double (*pairs)[2], int side, size_t n, place *places, double (*ranks)[2])
{
    for (size_t i = 0; i < n; i++) {
        places[i] = (place){ pairs[i][side], i };
    }
    qsort(places, n, sizeof *places, compare);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && places[end].number == places[first].number; end++) {
        }
        for (size_t i = first; i < end; i++) {
            ranks[places[i].at][side] = (double)(first + end - 1) / 2;
        }
    }
}

hl_status hl_regression_score(const hl_regression *r, hl_regression_scores *scores)
{
    size_t n = r->n_said;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (r->pairs[i][1] - r->pairs[i][0]) * (r->pairs[i][1] - r->pairs[i][0]);
    }
    place *places = hl_calloc(n, sizeof *places);
    double(*ranks)[2] = hl_calloc(n, sizeof *ranks);
    bool good = places != NULL && ranks != NULL;
    for (int side = 0; side < 2 && good; side++) {
        rank(r->pairs, side, n, places, ranks);
    }
    if (good) {
        *scores = (hl_regression_scores){ sum / (double)n, pearson(r->pairs, n), pearson(ranks, n) };
    }
    hl_free(places);
    hl_free(ranks);
    return good ? hl_ok() : hl_error_memory("the ranks of numbers");
}
