#include "study/regression.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void hl_regression_free(hl_regression *r)
{
    hl_free(r->wanted);
    hl_free(r->said);
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
    bool good =
        HL_GROW(r->wanted, r->wanted_capacity, r->n_wanted + 1) && HL_GROW(r->said, r->said_capacity, r->n_wanted + 1);
    HL_NEED(good, "the numbers of a file");
    r->wanted[r->n_wanted++] = number;
    return hl_ok();
}

void hl_regression_say(hl_regression *r, double number)
{
    assert(r->n_said < r->n_wanted);
    r->said[r->n_said++] = number;
}

static double mean_of(const double *numbers, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += numbers[i];
    }
    return sum / (double)n;
}

static double pearson(const double *a, const double *b, size_t n)
{
    double mean_a = mean_of(a, n), mean_b = mean_of(b, n), aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < n; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
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

/* Writes the rank of each number, of equal ones the mean of theirs; places (n): scratch. */
static void rank(const double *numbers, size_t n, place *places, double *ranks)
{
    for (size_t i = 0; i < n; i++) {
        places[i] = (place){ numbers[i], i };
    }
    qsort(places, n, sizeof *places, compare);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && places[end].number == places[first].number; end++) {
        }
        for (size_t i = first; i < end; i++) {
            ranks[places[i].at] = (double)(first + end - 1) / 2;
        }
    }
}

hl_status hl_regression_score(const hl_regression *r, hl_regression_scores *scores)
{
    size_t n = r->n_said;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (r->said[i] - r->wanted[i]) * (r->said[i] - r->wanted[i]);
    }
    place *places = hl_calloc(n, sizeof *places);
    double *ranks = hl_calloc(n, 2 * sizeof *ranks);
    bool good = places != NULL && ranks != NULL;
    if (good) {
        rank(r->wanted, n, places, ranks);
        rank(r->said, n, places, ranks + n);
        *scores =
            (hl_regression_scores){ sum / (double)n, pearson(r->wanted, r->said, n), pearson(ranks, ranks + n, n) };
    }
    hl_free(places);
    hl_free(ranks);
    return good ? hl_ok() : hl_error_memory("the ranks of numbers");
}
