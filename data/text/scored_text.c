#include "data/text/scored_text.h"

#include "core/base/private/utf8.h"
#include "core/base/text.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

static void add_character(hl_scored_text *text, bool white)
{
    text->words += !white && !text->in_word;
    text->in_word = !white;
}

/* A character is known at its last byte. If some of its bytes are missing, it is not in a word. */
static void add_byte(hl_scored_text *text, char byte)
{
    bool continues = ((unsigned char)byte & 0xC0) == 0x80;
    uint32_t code;
    text->characters += !continues;
    text->n_cut = continues ? text->n_cut : 0;
    if (text->n_cut == sizeof text->cut) {
        return;
    }
    text->cut[text->n_cut++] = byte;
    if (hl_utf8_decode(text->cut, text->n_cut, &code) > 0) {
        add_character(text, hl_byte_level_kind(code) == HL_KIND_WHITE);
    }
}

static bool continues_word(const hl_tokens *tokens, int32_t id)
{
    size_t size;
    const char *piece = hl_tokens_piece(tokens, id, &size);
    return hl_tokens_get_kind(tokens) == HL_TOKENS_WORDPIECE && size > 2 && memcmp(piece, "##", 2) == 0;
}

/* Whether it is a character that the normaliser sets apart. Such text, Chinese or Japanese, has no spaces. */
static bool is_set_apart(const hl_tokens *tokens, const hl_text *piece)
{
    uint32_t code;
    return tokens->rules.cjk && hl_utf8_decode(piece->bytes, piece->size, &code) > 0 &&
           (hl_bert_class(code) & HL_BERT_CJK) != 0;
}

/* `piece`: memory that is reused. */
static hl_status add_piece(hl_scored_text *text, const hl_tokens *tokens, int32_t id, hl_text *piece)
{
    hl_tokens_kind kind = hl_tokens_get_kind(tokens);
    bool unknown = id >= 0 && id == hl_tokens_role(tokens, HL_ROLE_UNK);
    piece->size = 0;
    HL_TRY(hl_tokens_decode(tokens, &id, 1, false, piece));
    if (!unknown && hl_tokens_is_special(tokens, id)) {
        text->in_word = false;
        return hl_ok();
    }
    bool continues = text->any && continues_word(tokens, id), apart = !unknown && is_set_apart(tokens, piece);
    bool joined = continues || apart || text->apart;
    if (text->any && !joined && (kind == HL_TOKENS_WORDS || kind == HL_TOKENS_WORDPIECE)) {
        add_byte(text, ' ');
    }
    text->any = true;
    text->apart = apart;
    if (unknown) {
        text->characters++;
        add_character(text, false);
        return hl_ok();
    }
    for (size_t i = continues ? 2 : 0; i < piece->size; i++) {
        add_byte(text, piece->bytes[i]);
    }
    return hl_ok();
}

hl_status hl_scored_text_add(hl_scored_text *text, const hl_tokens *tokens, const int32_t *ids, size_t n)
{
    hl_text piece = { 0 };
    hl_status status = hl_ok();
    for (size_t i = 0; i < n && status.code == HL_OK; i++) {
        status = add_piece(text, tokens, ids[i], &piece);
    }
    hl_text_free(&piece);
    return status;
}

void hl_scored_text_break(hl_scored_text *text)
{
    text->any = text->in_word = text->apart = false;
    text->n_cut = 0;
}

/* Adds the targets of a masked example, separately for each word. */
static hl_status add_words(hl_scored_text *text, const hl_tokens *tokens, const hl_text_example *example)
{
    for (int64_t target = 0, word = 0; target < example->n_targets; target++) {
        bool other = target == 0;
        while (word + 1 < example->n_words && example->words[word + 1] <= example->rows[target]) {
            word++;
            other = true;
        }
        if (other) {
            hl_scored_text_break(text);
        }
        HL_TRY(hl_scored_text_add(text, tokens, &example->ids[target], 1));
    }
    return hl_ok();
}

static hl_status add_examples(const hl_text_data *data, hl_text_reader *reader, uint64_t seed, int64_t count,
                              hl_scored_text *text)
{
    const hl_tokens *tokens = hl_text_data_tokens(data);
    hl_text_example example;
    for (int64_t i = 0; i < count; i++) {
        HL_TRY(hl_text_data_read(reader, HL_VALIDATION, seed, i, &example));
        HL_TRY(data->task == HL_TEXT_MASKED ? add_words(text, tokens, &example)
                                            : hl_scored_text_add(text, tokens, example.ids, (size_t)example.n_targets));
    }
    return hl_ok();
}

hl_status hl_scored_text_of_validation(const hl_text_data *data, uint64_t seed, int64_t count, hl_scored_text *text)
{
    *text = (hl_scored_text){ 0 };
    hl_text_reader *reader;
    HL_TRY(hl_text_reader_open(data, &reader));
    hl_status status = add_examples(data, reader, seed, count, text);
    hl_text_reader_close(reader);
    return status;
}
