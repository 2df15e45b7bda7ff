/* Examples as their caches hold them. A checksum reveals damage, but not who wrote the file. So each number that will
 * be an index is checked against its range. */
#include "core/examples.h"
#include "data/text/private/corpus_file.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/tokens_parts.h"

#include <inttypes.h>

static hl_status bad(const hl_corpus *corpus, const char *what, int64_t found, int64_t low, int64_t high)
{
    return hl_error(HL_BAD_FILE,
                    "%s: is damaged: %s %" PRId64 " is not in %" PRId64 " .. %" PRId64
                    "; remove the file, and it is made again",
                    corpus->path, what, found, low, high);
}

static hl_status check(const hl_corpus *corpus, const char *what, const int32_t *numbers, int64_t n, int64_t low,
                       int64_t high)
{
    int64_t wrong = 0; /* counted first, in vector code: usually none is */
#pragma omp simd reduction(+ : wrong)
    for (int64_t i = 0; i < n; i++) {
        wrong += numbers[i] < low || numbers[i] > high;
    }
    for (int64_t i = 0; i < n && wrong > 0; i++) {
        if (numbers[i] < low || numbers[i] > high) {
            return bad(corpus, what, numbers[i], low, high);
        }
    }
    return hl_ok();
}

/* How many targets an example of T tokens may have, and must have. Masks are drawn when it is read, and only lines of
 * others (hl_text_data_open_others) may have no targets. */
static hl_status check_targets(const hl_text_data *data, const hl_corpus_reader *reader, int64_t T)
{
    const hl_corpus *corpus = reader->corpus;
    const int32_t *rows = reader->columns[HL_TEXT_ROWS];
    int64_t n = reader->lengths[HL_TEXT_ROWS], n_ids = reader->lengths[HL_TEXT_IDS];
    bool drawn = data->task == HL_TEXT_MASKED && !data->written;
    int64_t least = drawn || data->of != NULL ? 0 : 1, most = drawn ? 0 : data->task == HL_TEXT_CLASSES ? 1 : T;
    if (n < least || n > most) {
        return bad(corpus, "a number of targets", n, least, most);
    }
    if (n_ids != n) {
        return bad(corpus, "a number of targets' ids", n_ids, n, n);
    }
    for (int64_t i = 0, low = 0; i < n; low = rows[i++] + 1) {
        HL_TRY(rows[i] >= low && rows[i] < T ? hl_ok() : bad(corpus, "a target's row", rows[i], low, T - 1));
    }
    const hl_tokens *targets = data->labels != NULL ? data->labels : data->tokens;
    return check(corpus, "a target's id", reader->columns[HL_TEXT_IDS], n, -1, hl_tokens_count(targets) - 1);
}

hl_status hl_text_data_sentence(const hl_text_data *data, hl_corpus_reader *reader, int64_t i, hl_text_example *example)
{
    HL_TRY(hl_corpus_read(reader, i));
    const hl_corpus *corpus = reader->corpus;
    const int32_t *const *columns = reader->columns;
    const int64_t *lengths = reader->lengths;
    int64_t T = lengths[HL_TEXT_TOKENS], n_types = lengths[HL_TEXT_TYPES], n_sources = lengths[HL_TEXT_SOURCES];
    HL_TRY(T > 0 ? hl_ok() : bad(corpus, "a number of tokens", T, 1, hl_corpus_longest(corpus, HL_TEXT_TOKENS)));
    HL_TRY(n_types == 0 || n_types == T ? hl_ok() : bad(corpus, "a number of types", n_types, T, T));
    HL_TRY(n_sources == 0 || n_sources == T ? hl_ok() : bad(corpus, "a number of sources", n_sources, T, T));
    HL_TRY(lengths[HL_TEXT_PLACE] == 2 ? hl_ok() : bad(corpus, "the size of a place", lengths[HL_TEXT_PLACE], 2, 2));
    HL_TRY(check_targets(data, reader, T));
    HL_TRY(check(corpus, "token", columns[HL_TEXT_TOKENS], T, 0, hl_tokens_count(data->tokens) - 1));
    HL_TRY(check(corpus, "type", columns[HL_TEXT_TYPES], n_types, 0, 1));
    HL_TRY(check(corpus, "source", columns[HL_TEXT_SOURCES], n_sources, HL_IGNORE, T - 1));
    *example = (hl_text_example){ .n_tokens = T,
                                  .tokens = columns[HL_TEXT_TOKENS],
                                  .types = n_types > 0 ? columns[HL_TEXT_TYPES] : NULL,
                                  .sources = n_sources > 0 ? columns[HL_TEXT_SOURCES] : NULL,
                                  .rows = columns[HL_TEXT_ROWS],
                                  .ids = columns[HL_TEXT_IDS],
                                  .n_targets = lengths[HL_TEXT_ROWS],
                                  .line = columns[HL_TEXT_PLACE][0],
                                  .number = columns[HL_TEXT_PLACE][1] };
    return hl_ok();
}

hl_status hl_text_data_pieces(const hl_text_data *data, hl_corpus_reader *reader, int64_t first, int64_t count,
                              int32_t *tokens)
{
    HL_TRY(hl_corpus_window(reader, first, count, tokens));
    return check(reader->corpus, "token", tokens, count, 0, hl_tokens_count(data->tokens) - 1);
}
