#include "heads/coreference.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/kernels/random.h"
#include "heads/estimate.h"

#include <math.h>
#include <string.h>

const char *hl_coreference_row_name(hl_coreference_rows row)
{
    static const char *const names[HL_COREFERENCE_ROWS] = { "all",           "pronoun",  "name",   "other",
                                                            "same sentence", "1-3 back", "further" };
    return names[row];
}

/* ---- memory ---- */

static int64_t cells(const hl_coreference_text *text)
{
    return text->n_documents * HL_COREFERENCE_ROWS;
}

static void lay_out(void *context, hl_block *block)
{
    hl_coreference_counts *counts = context;
    int64_t n = cells(counts->text);
    counts->chance = hl_block_take(block, n, sizeof *counts->chance);
    counts->hits = hl_block_take(block, n * counts->n_heads, sizeof *counts->hits);
    counts->cases = hl_block_take(block, n, sizeof *counts->cases);
    counts->baselines = hl_block_take(block, n * HL_COREFERENCE_BASELINES, sizeof *counts->baselines);
    counts->rows = hl_block_take(block, (int64_t)counts->text->n_mentions, sizeof *counts->rows);
}

size_t hl_coreference_counts_bytes(const hl_coreference_text *text, int64_t n_heads)
{
    hl_coreference_counts counts = { .text = text, .n_heads = n_heads };
    return hl_block_bytes(lay_out, &counts);
}

void hl_coreference_free(hl_coreference_counts *counts)
{
    hl_free(counts->memory);
    *counts = (hl_coreference_counts){ 0 };
}

void hl_coreference_clear(hl_coreference_counts *counts)
{
    memset(counts->hits, 0, (size_t)(cells(counts->text) * counts->n_heads) * sizeof *counts->hits);
}

/* ---- cases ---- */

static size_t same_word(const hl_coreference_text *text, size_t first, size_t mention)
{
    for (size_t i = mention; i-- > first;) {
        if (text->mentions[i].form == text->mentions[mention].form) {
            return i;
        }
    }
    return mention - 1;
}

static void add_case(hl_coreference_counts *counts, int64_t window, size_t mention)
{
    const hl_coreference_text *text = counts->text;
    size_t first = text->firsts[window], right = 0, nearest_right = 0;
    for (size_t i = first; i < mention; i++) {
        if (hl_coreference_same(text, mention, i)) {
            right++;
            nearest_right = i;
        }
    }
    if (right == 0) {
        return;
    }
    size_t guesses[HL_COREFERENCE_BASELINES] = { same_word(text, first, mention), mention - 1, first };
    const hl_coreference_mention *m = &text->mentions[mention];
    int32_t back = m->sentence - text->mentions[nearest_right].sentence;
    hl_coreference_rows kind = m->kind == HL_MENTION_PRONOUN ? HL_COREFERENCE_PRONOUN
                               : m->kind == HL_MENTION_NAME  ? HL_COREFERENCE_NAME
                                                             : HL_COREFERENCE_OTHER;
    hl_coreference_rows distance = back == 0   ? HL_COREFERENCE_SAME_SENTENCE
                                   : back <= 3 ? HL_COREFERENCE_NEAR
                                               : HL_COREFERENCE_FAR;
    unsigned rows = 1U << HL_COREFERENCE_ALL | 1U << kind | 1U << distance;
    counts->rows[mention] = (uint8_t)rows;
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        if ((rows >> row & 1) == 0) {
            continue;
        }
        int64_t cell = row * counts->n_documents + text->documents[window];
        counts->cases[cell]++;
        counts->chance[cell] += (double)right / (double)(mention - first);
        for (int b = 0; b < HL_COREFERENCE_BASELINES; b++) {
            counts->baselines[cell * HL_COREFERENCE_BASELINES + b] += hl_coreference_same(text, mention, guesses[b]);
        }
    }
}

hl_status hl_coreference_init(hl_coreference_counts *counts, const hl_coreference_text *text, int64_t n_heads)
{
    *counts = (hl_coreference_counts){ .text = text, .n_heads = n_heads, .n_documents = text->n_documents };
    hl_status status = hl_block_make(&counts->memory, lay_out, counts, "what heads find of mentions");
    if (status.code != HL_OK) {
        hl_coreference_free(counts);
        return status;
    }
    for (int64_t w = 0; w < text->windows->n_sentences; w++) {
        for (size_t m = text->firsts[w] + 1; m < text->firsts[w + 1]; m++) {
            add_case(counts, w, m);
        }
    }
    return hl_ok();
}

/* ---- heads ---- */

size_t hl_coreference_guess(const hl_coreference_text *text, int64_t window, size_t mention, const hl_real *weights)
{
    int64_t W = hl_treebank_at(text->windows, window).n_words;
    const hl_real *row = weights + text->mentions[mention].word * W;
    size_t best = text->firsts[window]; /* candidates begin with the window */
    for (size_t i = best + 1; i < mention; i++) {
        if (row[text->mentions[i].word] > row[text->mentions[best].word]) {
            best = i;
        }
    }
    return best;
}

void hl_coreference_add_head(hl_coreference_counts *counts, int64_t head, int64_t window, const hl_real *weights)
{
    const hl_coreference_text *text = counts->text;
    for (size_t m = text->firsts[window]; m < text->firsts[window + 1]; m++) {
        unsigned rows = counts->rows[m];
        if (rows == 0 || !hl_coreference_same(text, m, hl_coreference_guess(text, window, m, weights))) {
            continue;
        }
        for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
            int64_t cell = row * counts->n_documents + text->documents[window];
            counts->hits[cell * counts->n_heads + head] += rows >> row & 1;
        }
    }
}

/* ---- rows ---- */

/* Documents first, first + step ... of a row. */
typedef struct part {
    const hl_coreference_counts *counts;
    int64_t first, step;
    hl_coreference_rows row;
} part;

/* The sum over the part's documents of one of `each` counts. */
static int64_t sum(const part *p, const int32_t *counts, int64_t each, int64_t at)
{
    int64_t D = p->counts->n_documents, total = 0;
    for (int64_t d = p->first; d < D; d += p->step) {
        total += counts[(p->row * D + d) * each + at];
    }
    return total;
}

static int64_t cases_of(const part *p)
{
    return sum(p, p->counts->cases, 1, 0);
}

static int64_t hits_of(const part *p, int64_t head)
{
    return sum(p, p->counts->hits, p->counts->n_heads, head);
}

static int64_t best_head(const part *p)
{
    int64_t best = 0;
    for (int64_t h = 1; h < p->counts->n_heads; h++) {
        best = hits_of(p, h) > hits_of(p, best) ? h : best;
    }
    return best;
}

static int64_t documents_with_cases(const part *p)
{
    int64_t D = p->counts->n_documents, n = 0;
    for (int64_t d = p->first; d < D; d += p->step) {
        n += p->counts->cases[p->row * D + d] > 0;
    }
    return n;
}

static double share_of(int64_t hits, int64_t cases)
{
    return cases > 0 ? (double)hits / (double)cases : NAN;
}

/* Draws the measured documents again and again, with replacement: of each draw the head's share, and how far that is
 * above the baseline's. A draw without a case repeats the one before. */
static void draw_shares(const part *p, int64_t head, int baseline, double *shares, double *lifts)
{
    const hl_coreference_counts *c = p->counts;
    int64_t n = (c->n_documents - p->first + p->step - 1) / p->step;
    hl_random random = { .seed = 1, .stream = hl_random_stream("coreference") };
    for (int draw = 0; draw < HL_COREFERENCE_DRAWS; draw++) {
        int64_t hits = 0, base = 0, cases = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t d = p->first + p->step * (int64_t)hl_random_below(random, (uint64_t)(draw * n + i), (uint32_t)n);
            int64_t cell = p->row * c->n_documents + d;
            cases += c->cases[cell];
            hits += c->hits[cell * c->n_heads + head];
            base += c->baselines[cell * HL_COREFERENCE_BASELINES + baseline];
        }
        bool again = cases == 0 && draw > 0;
        shares[draw] = again ? shares[draw - 1] : cases > 0 ? share_of(hits, cases) : 0;
        lifts[draw] = again ? lifts[draw - 1] : cases > 0 ? share_of(hits - base, cases) : 0;
    }
}

static hl_status measure(const part *p, hl_coreference_row *out)
{
    int strongest = 0;
    out->held_out_cases = cases_of(p);
    out->held_out = share_of(hits_of(p, out->held_out_head), out->held_out_cases);
    out->held_out_low = out->held_out_high = NAN;
    for (int b = 0; b < HL_COREFERENCE_BASELINES; b++) {
        int64_t hits = sum(p, p->counts->baselines, HL_COREFERENCE_BASELINES, b);
        out->held_out_baselines[b] = share_of(hits, out->held_out_cases);
        strongest = out->held_out_baselines[b] > out->held_out_baselines[strongest] ? b : strongest;
    }
    if (documents_with_cases(p) < 2) {
        return hl_ok();
    }
    double *shares = hl_malloc((size_t)2 * HL_COREFERENCE_DRAWS * sizeof *shares);
    HL_NEED(shares != NULL, "a bootstrap");
    double *lifts = shares + HL_COREFERENCE_DRAWS;
    draw_shares(p, out->held_out_head, strongest, shares, lifts);
    hl_numbers_sort(shares, HL_COREFERENCE_DRAWS);
    hl_numbers_sort(lifts, HL_COREFERENCE_DRAWS);
    enum { TAIL = HL_COREFERENCE_DRAWS / 40 };
    out->held_out_low = shares[TAIL];
    out->held_out_high = shares[HL_COREFERENCE_DRAWS - 1 - TAIL];
    out->beyond = lifts[TAIL] > 0;
    hl_free(shares);
    return hl_ok();
}

hl_status hl_coreference_row_of(const hl_coreference_counts *counts, hl_coreference_rows row, hl_coreference_row *out)
{
    part all = { counts, 0, 1, row }, even = { counts, 0, 2, row }, odd = { counts, 1, 2, row };
    *out = (hl_coreference_row){ .cases = cases_of(&all), .head = best_head(&all), .held_out_head = best_head(&even) };
    out->found = share_of(hits_of(&all, out->head), out->cases);
    for (int b = 0; b < HL_COREFERENCE_BASELINES; b++) {
        out->baselines[b] = share_of(sum(&all, counts->baselines, HL_COREFERENCE_BASELINES, b), out->cases);
    }
    for (int64_t d = 0; d < counts->n_documents; d++) {
        out->chance += counts->chance[row * counts->n_documents + d];
    }
    out->chance = out->cases > 0 ? out->chance / (double)out->cases : NAN;
    return measure(&odd, out);
}

double hl_coreference_held_out(const hl_coreference_counts *counts, hl_coreference_rows row, int64_t head)
{
    part odd = { counts, 1, 2, row };
    return share_of(hits_of(&odd, head), cases_of(&odd));
}

/* ---- over training ---- */

static void take_head(void *context, int64_t head, int64_t window, const hl_real *weights)
{
    hl_coreference_add_head(context, head, window, weights);
}

void hl_coreference_add_layer(void *counts, const hl_word_maps *maps, int threads)
{
    hl_word_maps_each_head(maps, threads, take_head, counts);
}

void hl_coreference_put(const hl_coreference_counts *counts, hl_syntax *syntax, int64_t first)
{
    enum { OFFSETS = 2 * HL_SYNTAX_FURTHEST + 1, BASELINE = HL_SYNTAX_FURTHEST - 1, DIRECTIONS = 2 };
    for (int half = 0; half < 2; half++) {
        for (int row = 0; row < HL_COREFERENCE_FOLLOWED; row++) {
            part p = { counts, half, 2, row };
            const hl_syntax_half *to = &syntax->halves[half];
            to->cases[first + row] = cases_of(&p);
            to->offsets[(first + row) * OFFSETS + BASELINE] =
                sum(&p, counts->baselines, HL_COREFERENCE_BASELINES, HL_COREFERENCE_SAME_WORD);
            for (int64_t head = 0; head < counts->n_heads; head++) {
                to->hits[((first + row) * syntax->n_heads + head) * DIRECTIONS] = hits_of(&p, head);
            }
        }
    }
}
