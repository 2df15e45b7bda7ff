#include "study/predict_text.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "core/kernels/random.h"
#include "data/text/private/tokens_encode.h"

#include <string.h>

/* ---- masks ---- */

int64_t hl_predict_masks(const hl_predictor *p, int32_t *asked)
{
    int32_t mask = hl_tokens_role(p->spec.tokens, HL_ROLE_MASK);
    int64_t n = 0;
    for (size_t i = 0; i < p->text.n; i++) {
        if (p->text.at[i].id == mask && mask >= 0) {
            if (asked != NULL) {
                asked[n] = (int32_t)i;
            }
            n++;
        }
    }
    return n;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Adds the piece where a mask stood. */
static void add_piece(const hl_tokens *tokens, int32_t id, hl_text *text)
{
    size_t size;
    const char *piece = hl_tokens_piece(tokens, id, &size);
    if (hl_tokens_get_kind(tokens) == HL_TOKENS_WORDPIECE && size > 2 && memcmp(piece, "##", 2) == 0) {
        while (text->size > 0 && is_blank(text->bytes[text->size - 1])) {
            text->bytes[--text->size] = '\0';
        }
        hl_text_add(text, piece + 2, size - 2);
        return;
    }
    hl_text spelled = { 0 };
    hl_text_fail(text, hl_tokens_decode(tokens, &id, 1, true, &spelled));
    bool again =
        spelled.size > 1 && is_blank(*spelled.bytes) && (text->size == 0 || is_blank(text->bytes[text->size - 1]));
    hl_text_add(text, spelled.bytes + again, spelled.size - again);
    hl_text_free(&spelled);
}

void hl_predict_blank(const hl_predictor *p, hl_span line, const int32_t *asked, int64_t n, hl_text *text)
{
    size_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        size_t begin = p->text.at[asked[i]].begin, end = p->text.at[asked[i]].end;
        while (begin < end && is_blank(line.text[begin])) { /* a mask may take the blanks beside it along */
            begin++;
        }
        while (end > begin && is_blank(line.text[end - 1])) {
            end--;
        }
        hl_text_add(text, line.text + at, begin - at);
        hl_text_add(text, "", 1);
        at = end;
    }
    hl_text_add(text, line.text + at, line.size - at);
}

void hl_predict_fill(const hl_tokens *tokens, const hl_text *blank, const hl_choice *choices, int64_t most,
                     hl_text *text)
{
    for (size_t at = 0, size; at < blank->size; at += size + 1) {
        size = strlen(blank->bytes + at); /* a zero byte follows the last of them, too */
        hl_text_add(text, blank->bytes + at, size);
        if (at + size < blank->size) {
            add_piece(tokens, choices->id, text);
            choices += most;
        }
    }
}

/* ---- continuing ---- */

typedef struct drawing {
    hl_predictor *predictor;
    const hl_continuation *how;
    hl_predict_tell *tell;
    void *context;
    hl_choice *room;
    double uniform;
    int32_t id;      /* what was drawn */
    hl_text spelled; /* all of it, of which so many bytes were told */
    size_t told;
} drawing;

static void take_drawn(void *context, int64_t i, const hl_real *logits)
{
    (void)i;
    drawing *d = context;
    d->id = hl_choices_draw(logits, d->predictor->width, d->how->temperature, d->how->top_k, d->uniform, d->room);
}

/* Whether more bytes may make a character of these, which are none. */
static bool may_be_character(const char *bytes, size_t size)
{
    unsigned char first = (unsigned char)bytes[0];
    size_t length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    bool so_far = size < length;
    for (size_t i = 1; i < size && so_far; i++) {
        so_far = ((unsigned char)bytes[i] & 0xc0) == 0x80;
    }
    return so_far;
}

/* Tells the whole characters that were not told yet; at the end all that is left. */
static hl_status give(drawing *d, bool end)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    while (d->told < d->spelled.size) {
        const char *at = d->spelled.bytes + d->told;
        size_t left = d->spelled.size - d->told, size = hl_utf8_decode(at, left, NULL);
        if (size == 0 && !end && may_be_character(at, left)) {
            return hl_ok();
        }
        HL_TRY(size > 0 ? d->tell(d->context, at, size) : d->tell(d->context, replacement, sizeof replacement - 1));
        d->told += size > 0 ? size : 1;
    }
    return hl_ok();
}

/* The pieces that the continuation goes on from. */
static hl_status begin(hl_predictor *p, hl_span text)
{
    const hl_tokens *tokens = p->spec.tokens;
    int32_t first = hl_tokens_role(tokens, HL_ROLE_BEGIN);
    first = first >= 0 ? first : hl_tokens_role(tokens, HL_ROLE_END);
    p->text.n = 0;
    p->uncut = 0;
    HL_TRY(hl_tokens_encode(tokens, text.text, text.size, true, &p->text));
    if (p->text.n == 0) {
        HL_TRY(first >= 0 ? hl_pieces_add(&p->text, first, 0, 0) : hl_tokens_encode(tokens, "\n", 1, false, &p->text));
    }
    p->uncut = (int64_t)p->text.n;
    return p->text.n > 0 ? hl_ok() : hl_error(HL_INVALID, "is empty: there is nothing to continue");
}

/* Adds the piece that was drawn, and its text. */
static hl_status add_drawn(drawing *d)
{
    hl_pieces *pieces = &d->predictor->text;
    const int32_t ids[2] = { pieces->at[pieces->n - 1].id, d->id };
    hl_text before = { 0 }, both = { 0 };
    hl_status status = hl_tokens_decode(d->predictor->spec.tokens, ids, 1, true, &before);
    HL_THEN(status, hl_tokens_decode(d->predictor->spec.tokens, ids, 2, true, &both));
    if (status.code == HL_OK) {
        hl_text_add(&d->spelled, both.bytes + before.size, both.size - before.size);
        status = hl_text_status(&d->spelled);
    }
    hl_text_free(&before);
    hl_text_free(&both);
    HL_TRY(status);
    return hl_pieces_add(pieces, d->id, 0, 0);
}

static hl_status draw_all(drawing *d, hl_random random, int64_t *made)
{
    hl_predictor *p = d->predictor;
    int32_t end = hl_tokens_role(p->spec.tokens, HL_ROLE_END);
    for (*made = 0; *made < d->how->length; ++*made) {
        uint32_t words[4];
        hl_random_block(random, (uint64_t)*made, words);
        d->uniform = (double)((uint64_t)words[0] << 21 | words[1] >> 11) * 0x1p-53;
        /* As many of the last pieces stay as the model takes. */
        size_t room = (size_t)hl_predictor_room(p, false), over = p->text.n > room ? p->text.n - room : 0;
        memmove(p->text.at, p->text.at + over, (p->text.n - over) * sizeof *p->text.at);
        p->n_first = p->text.n -= over;
        int32_t last = (int32_t)p->text.n - 1;
        HL_TRY(hl_predictor_logits(p, &last, 1, take_drawn, d));
        HL_TRY(hl_predictor_finish(p));
        if (d->id == end) {
            break;
        }
        HL_TRY(add_drawn(d));
        HL_TRY(give(d, false));
    }
    return give(d, true);
}

hl_status hl_predict_continue(hl_predictor *p, hl_span text, int64_t number, const hl_continuation *how,
                              hl_predict_tell *tell, void *context, int64_t *made)
{
    *made = 0;
    HL_TRY(begin(p, text));
    int64_t V = p->spec.model->config.vocabulary;
    hl_continuation sane = *how;
    sane.top_k = how->top_k < V ? how->top_k : V;
    drawing d = { .predictor = p, .how = &sane, .tell = tell, .context = context };
    d.room = hl_calloc((size_t)sane.top_k + 1, sizeof *d.room);
    HL_NEED(d.room != NULL, "a continuation");
    hl_random random = { .seed = how->seed, .stream = hl_random_stream("continue"), .step = (uint32_t)number };
    hl_status status = draw_all(&d, random, made);
    hl_text_free(&d.spelled);
    hl_free(d.room);
    return status;
}
