#include "data/text/text_data.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "data/draw.h"
#include "data/permute.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/tokens_parts.h"

#include <inttypes.h>
#include <string.h>

/* Rows that are masked together. */
typedef struct unit {
    int32_t begin, end;
} unit;

struct hl_text_reader {
    const hl_text_data *data;
    hl_corpus_reader corpora[2];
    void *memory; /* owned: the block of all arrays below, each as long as the longest example, plus one */
    int32_t *tokens, *rows, *ids, *words;
    unit *units;
    bool *chosen;
};

/* How many of n pieces are masked. */
static int64_t to_mask(int64_t n)
{
    enum { PERCENT = 15 };
    int64_t count = (PERCENT * n + 50) / 100;
    return count > 0 ? count : 1;
}

int64_t hl_text_data_most_targets(const hl_text_data *data, int64_t rows)
{
    if (data->task == HL_TEXT_CLASSES) {
        return 1;
    }
    /* A word may have more pieces than are to be masked; if nothing else is left, the whole word is masked. */
    return data->task == HL_TEXT_MASKED && !data->whole_words ? to_mask(rows) : rows;
}

static void lay_out(void *context, hl_block *block)
{
    hl_text_reader *reader = context;
    int64_t train = hl_text_data_longest(reader->data, HL_TRAIN);
    int64_t validation = hl_text_data_longest(reader->data, HL_VALIDATION);
    int64_t n = (train > validation ? train : validation) + 1;
    reader->tokens = hl_block_take(block, n, sizeof *reader->tokens);
    reader->rows = hl_block_take(block, n, sizeof *reader->rows);
    reader->ids = hl_block_take(block, n, sizeof *reader->ids);
    reader->words = hl_block_take(block, n, sizeof *reader->words);
    reader->units = hl_block_take(block, n, sizeof *reader->units);
    reader->chosen = hl_block_take(block, n, sizeof *reader->chosen);
}

static hl_status open_reader(const hl_text_data *data, hl_text_reader *reader)
{
    reader->data = data;
    HL_TRY(hl_block_make(&reader->memory, lay_out, reader, "a reader of text data"));
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        HL_TRY(data->corpora[split] != NULL ? hl_corpus_reader_init(&reader->corpora[split], data->corpora[split])
                                            : hl_ok());
    }
    return hl_ok();
}

hl_status hl_text_reader_open(const hl_text_data *data, hl_text_reader **out)
{
    hl_text_reader *reader = *out = hl_calloc(1, sizeof *reader);
    HL_NEED(reader != NULL, "a reader of text data");
    hl_status status = open_reader(data, reader);
    if (status.code != HL_OK) {
        hl_text_reader_close(reader);
        *out = NULL;
    }
    return status;
}

void hl_text_reader_close(hl_text_reader *reader)
{
    if (reader != NULL) {
        hl_corpus_reader_free(&reader->corpora[HL_TRAIN]);
        hl_corpus_reader_free(&reader->corpora[HL_VALIDATION]);
        hl_free(reader->memory);
        hl_free(reader);
    }
}

void hl_text_data_find_words(const hl_text_data *data, hl_text_example *example, int32_t *words)
{
    bool chars = data->tokens->kind != HL_TOKENS_WORDS && data->tokens->kind != HL_TOKENS_WORDPIECE;
    unsigned before = HL_PIECE_APART;
    int64_t target = 0;
    example->words = words;
    for (int32_t row = 0; row < example->n_tokens; row++) {
        unsigned bits = data->pieces[example->tokens[row]];
        bool apart = ((bits | before) & HL_PIECE_APART) != 0, begins;
        if (data->task == HL_TEXT_TAGS) {
            begins = target < example->n_targets && example->rows[target] == row;
            target += begins;
        } else {
            begins = chars ? (bits & HL_PIECE_WHITE_FIRST) != 0 && (before & HL_PIECE_WHITE) == 0
                           : (bits & HL_PIECE_CONTINUES) == 0;
        }
        if (apart || begins) {
            words[example->n_words++] = row;
        }
        before = bits;
    }
}

/* Lists what may be masked: pieces that are not special, or the words that have some. Returns how many. */
static int64_t list_units(hl_text_reader *reader, const hl_text_example *example, int64_t *n_pieces)
{
    const hl_text_data *data = reader->data;
    int64_t n = 0;
    *n_pieces = 0;
    for (int64_t w = 0; w < example->n_words; w++) {
        int32_t row = example->words[w];
        int32_t end = w + 1 < example->n_words ? example->words[w + 1] : (int32_t)example->n_tokens;
        int64_t before = *n_pieces;
        for (int32_t r = row; r < end; r++) {
            if ((data->pieces[example->tokens[r]] & HL_PIECE_SPECIAL) == 0) {
                *n_pieces += 1;
                reader->units[n] = (unit){ r, r + 1 };
                n += !data->whole_words;
            }
        }
        if (data->whole_words && *n_pieces > before) {
            reader->units[n++] = (unit){ row, end };
        }
    }
    return n;
}

/* Chooses the unit unless it would exceed the rest to choose. Returns how many pieces were chosen. */
static int64_t choose(hl_text_reader *reader, unit next, int64_t left)
{
    const unsigned char *pieces = reader->data->pieces;
    int64_t n = 0;
    for (int32_t row = next.begin; row < next.end; row++) {
        reader->chosen[row] = (pieces[reader->tokens[row]] & HL_PIECE_SPECIAL) == 0;
        n += reader->chosen[row];
    }
    if (n <= left) {
        return n;
    }
    memset(reader->chosen + next.begin, 0, (size_t)(next.end - next.begin) * sizeof *reader->chosen);
    return 0;
}

/* The replacement for a chosen piece. */
static int32_t masked(const hl_text_data *data, int32_t token, hl_draw *draw)
{
    enum { TENTHS = 10, MASKED = 8 };
    int32_t tenth = hl_draw_below(draw, TENTHS);
    if (tenth < MASKED) {
        return hl_tokens_role(data->tokens, HL_ROLE_MASK);
    }
    int32_t other = token;
    while (tenth == MASKED) {
        other = hl_draw_below(draw, hl_tokens_count(data->tokens));
        tenth += (data->pieces[other] & HL_PIECE_SPECIAL) == 0;
    }
    return other;
}

/* The random numbers for one example in one pass. */
static hl_draw draw_of(hl_random random, int64_t number)
{
    uint32_t key[4];
    hl_random_block(random, (uint64_t)number, key);
    return (hl_draw){ .random = { .seed = (uint64_t)key[0] << 32 | key[1],
                                  .stream = hl_random_stream("masks of an example") } };
}

/* Makes some of the pieces unknown. So the model learns to use the neighbours, as it must when a word is new. The
 * example's tokens belong to the reader. */
static void drop(hl_text_reader *reader, hl_draw draw, int64_t n_tokens)
{
    const hl_text_data *data = reader->data;
    const int32_t parts = 1 << 24;
    for (int64_t row = 0; row < n_tokens; row++) {
        bool dropped = hl_draw_below(&draw, parts) < data->drop_pieces * parts;
        if (dropped && (data->pieces[reader->tokens[row]] & HL_PIECE_SPECIAL) == 0) {
            reader->tokens[row] = hl_tokens_role(data->tokens, HL_ROLE_UNK);
        }
    }
}

/* The example's tokens belong to the reader. */
static void mask(hl_text_reader *reader, hl_draw draw, hl_text_example *example)
{
    enum { PERCENT = 15 };
    int64_t n_pieces, n = list_units(reader, example, &n_pieces), n_chosen = 0;
    int64_t count = to_mask(n_pieces);
    memset(reader->chosen, 0, (size_t)example->n_tokens * sizeof *reader->chosen);
    unit first = { 0, 0 }; /* the first in the random order; if all are too large, it is chosen anyway */
    for (int64_t i = 0; i < n && n_chosen < count; i++) {
        int64_t other = i + hl_draw_below(&draw, n - i);
        unit next = reader->units[other];
        reader->units[other] = reader->units[i];
        first = i == 0 ? next : first;
        n_chosen += choose(reader, next, count - n_chosen);
    }
    if (n_chosen == 0) {
        choose(reader, first, INT64_MAX);
    }
    for (int32_t row = 0; row < example->n_tokens; row++) {
        if (reader->chosen[row]) {
            reader->rows[example->n_targets] = row;
            reader->ids[example->n_targets++] = reader->tokens[row];
            reader->tokens[row] = masked(reader->data, reader->tokens[row], &draw);
        }
    }
    example->rows = reader->rows;
    example->ids = reader->ids;
}

static hl_status read_window(hl_text_reader *reader, hl_split split, int64_t i, hl_text_example *example)
{
    const hl_text_data *data = reader->data;
    int64_t first = i * hl_text_data_stride(data, split);
    *example = (hl_text_example){ .n_tokens = data->length, .tokens = reader->tokens, .number = first };
    HL_TRY(hl_text_data_pieces(data, &reader->corpora[split], first, data->length + 1, reader->tokens));
    if (data->task == HL_TEXT_NEXT) {
        for (int32_t row = 0; row < data->length; row++) {
            reader->rows[row] = row;
        }
        example->rows = reader->rows;
        example->ids = reader->tokens + 1;
        example->n_targets = data->length;
    }
    return hl_ok();
}

static hl_status read_sentence(hl_text_reader *reader, hl_split split, int64_t i, hl_text_example *example)
{
    HL_TRY(hl_text_data_sentence(reader->data, &reader->corpora[split], i, example));
    if (reader->data->task == HL_TEXT_MASKED || reader->data->drop_pieces > 0) {
        memcpy(reader->tokens, example->tokens, (size_t)example->n_tokens * sizeof *reader->tokens);
        example->tokens = reader->tokens;
    }
    return hl_ok();
}

/* Where example `index` is in its cache, and in which pass it comes. */
static hl_status find(const hl_text_data *data, hl_split split, uint64_t seed, int64_t index, int64_t *i, int64_t *pass)
{
    int64_t n = hl_text_data_examples(data, split);
    *pass = split == HL_TRAIN && n > 0 ? index / n : 0;
    if (n == 0 || index < 0 || (split == HL_VALIDATION && index >= n) || *pass > UINT32_MAX) {
        return hl_error(HL_INVALID, "no example %" PRId64 " in split number %d", index, (int)split);
    }
    *i = split == HL_TRAIN ? hl_permute(seed, *pass, n, index % n) : index;
    return hl_ok();
}

hl_status hl_text_data_read_length(hl_text_reader *reader, uint64_t seed, int64_t index, int64_t *n_tokens)
{
    int64_t i = 0, pass = 0;
    *n_tokens = reader->data->length;
    HL_TRY(find(reader->data, HL_TRAIN, seed, index, &i, &pass));
    if (!reader->data->running) {
        HL_TRY(hl_corpus_read_lengths(&reader->corpora[HL_TRAIN], i));
        *n_tokens = reader->corpora[HL_TRAIN].lengths[HL_TEXT_TOKENS];
    }
    return hl_ok();
}

hl_status hl_text_data_read(hl_text_reader *reader, hl_split split, uint64_t seed, int64_t index,
                            hl_text_example *example)
{
    const hl_text_data *data = reader->data;
    int64_t i = 0, pass = 0;
    HL_TRY(find(data, split, seed, index, &i, &pass));
    HL_TRY(data->running ? read_window(reader, split, i, example) : read_sentence(reader, split, i, example));
    hl_text_data_find_words(data, example, reader->words);
    const char *use = split == HL_TRAIN ? "masks" : "masks of validation";
    hl_random random = { .seed = seed, .stream = hl_random_stream(use), .step = (uint32_t)pass };
    if (data->task == HL_TEXT_MASKED && !data->written) {
        mask(reader, draw_of(random, i), example);
    } else if (data->drop_pieces > 0 && split == HL_TRAIN) {
        drop(reader, draw_of(random, i), example->n_tokens);
    }
    return hl_ok();
}
