#include "data/text/tokens_learn.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/byte_letters.h"
#include "data/text/private/merge_learner.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <stdio.h>
#include <string.h>

enum { ALPHABET = 1000, ALPHABET_SHARE = 4, LETTER = 4 /* bytes of a character */ };

/* What is needed for learning; freed by end(). */
typedef struct work {
    const hl_tokens_options *options;
    hl_tokens *tokens;
    hl_pieces pieces; /* used for its scratch memory */
    hl_text_set words;
    hl_merge_learner learner;
} work;

static void end(work *w)
{
    hl_tokens_free(w->tokens);
    hl_pieces_free(&w->pieces);
    hl_text_set_free(&w->words);
    hl_merge_learner_free(&w->learner);
}

static hl_status check(const hl_tokens_options *options)
{
    if ((unsigned)options->kind >= HL_TOKENS_KINDS || options->roles >> HL_ROLES != 0) {
        return hl_error(HL_INVALID, "tokens of no known kind, or with an unknown role");
    }
    if (options->kind >= HL_TOKENS_LEARNED) {
        return hl_error(HL_INVALID, "tokens.kind = %s: is not learned here; name a tokenizer.json in tokens.vocabulary",
                        hl_tokens_kind_name(options->kind));
    }
    if (options->kind != HL_TOKENS_BYTES && (options->size < 1 || options->size > HL_TOKENS_MAX)) {
        return hl_error(HL_INVALID, "tokens: size = %lld: must be from 1 to %d", (long long)options->size,
                        HL_TOKENS_MAX);
    }
    return hl_ok();
}

static hl_status add_specials(work *w)
{
    bool wordpiece = w->options->kind == HL_TOKENS_WORDPIECE;
    int32_t *roles = w->tokens->roles;
    for (int role = 0; role < HL_ROLES; role++) {
        if ((w->options->roles >> role & 1) == 0 && !(wordpiece && role == HL_ROLE_UNK)) {
            continue;
        }
        char text[16];
        int size = snprintf(text, sizeof text, wordpiece ? "[%s]" : "<%s>", hl_role_name((hl_role)role));
        for (int i = 0; wordpiece && i < size; i++) {
            text[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
        }
        size_t id;
        HL_TRY(hl_text_set_add(&w->tokens->pieces, text, (size_t)size, 0, &id));
        HL_TRY(hl_tokens_mark_added(w->tokens, (hl_added_token){ .id = (int32_t)id }));
        roles[role] = (int32_t)id;
    }
    hl_tokens_set_templates(w->tokens, roles[HL_ROLE_CLS] >= 0 ? roles[HL_ROLE_CLS] : roles[HL_ROLE_BEGIN],
                            roles[HL_ROLE_SEP] >= 0 ? roles[HL_ROLE_SEP] : roles[HL_ROLE_END]);
    return hl_ok();
}

/* Counts the words of a text: for chars its characters, for bpe the parts that the regular expression cuts. */
static hl_status count_words(work *w, const char *text, size_t size)
{
    HL_TRY(hl_tokens_check_text(w->options->kind, text, size));
    if (w->options->kind == HL_TOKENS_BPE) {
        for (size_t begin = 0, to; begin < size; begin = to) {
            to = hl_pretoken_end(text, size, begin);
            HL_TRY(hl_text_set_add(&w->words, text + begin, to - begin, 1, NULL));
        }
        return hl_ok();
    }
    hl_tokens_part plain = { .text = text, .size = size };
    HL_TRY(hl_tokens_normalize(w->tokens, &plain, w->pieces.scratch));
    for (size_t first, to = 0; hl_tokens_next_word(w->options->kind, plain.text, plain.size, &first, &to);) {
        if (memchr(plain.text + first, '\0', to - first) != NULL) {
            return hl_error(HL_INVALID, "tokens: a text holds a zero byte, of which no piece is made");
        }
        HL_TRY(hl_text_set_add(&w->words, plain.text + first, to - first, 1, NULL));
    }
    return hl_ok();
}

static hl_status count_texts(work *w, hl_tokens_source *source, void *context)
{
    for (;;) {
        const char *text = NULL;
        size_t size = 0;
        HL_TRY(source(context, &text, &size));
        if (text == NULL) {
            return hl_ok();
        }
        HL_TRY(count_words(w, text, size));
    }
}

/* Checks that the size can hold all required pieces. */
static hl_status check_room(const work *w)
{
    if ((int64_t)w->tokens->pieces.n > w->options->size) {
        return hl_error(HL_INVALID, "tokens: size = %lld: the special tokens and the alphabet are %zu",
                        (long long)w->options->size, w->tokens->pieces.n);
    }
    return hl_ok();
}

/* Adds the stand-ins of the 256 bytes as pieces, in their own order or in that of the stand-ins; ids[byte] is the
 * id. */
static hl_status add_bytes(work *w, bool by_letter, int32_t ids[256])
{
    for (uint32_t code = 0; code < HL_LETTERS_END; code++) {
        int byte = by_letter ? hl_byte_of_letter(code) : code < 256 ? (int)code : -1;
        if (byte >= 0) {
            char letter[LETTER];
            size_t size = hl_utf8_encode(hl_byte_letter((unsigned char)byte), letter), id;
            HL_TRY(hl_text_set_add(&w->tokens->pieces, letter, size, 0, &id));
            ids[byte] = (int32_t)id;
        }
    }
    return hl_ok();
}

static hl_status split_into_bytes(work *w)
{
    int32_t ids[256];
    HL_TRY(add_bytes(w, true, ids));
    for (size_t i = 0; i < w->words.n; i++) {
        hl_span word = hl_text_set_get(&w->words, i);
        HL_TRY(hl_merge_learner_word(&w->learner, w->words.at[i].count));
        for (size_t b = 0; b < word.size; b++) {
            HL_TRY(hl_merge_learner_symbol(&w->learner, ids[(unsigned char)word.text[b]]));
        }
    }
    return hl_ok();
}

/* Counts the characters of the words. */
static hl_status count_characters(const hl_text_set *words, hl_text_set *characters)
{
    for (size_t i = 0; i < words->n; i++) {
        hl_span word = hl_text_set_get(words, i);
        for (size_t at = 0, step; at < word.size; at += step) {
            step = hl_character_bytes(word.text + at, word.size - at);
            HL_TRY(hl_text_set_add(characters, word.text + at, step, words->at[i].count, NULL));
        }
    }
    return hl_ok();
}

/* Passes the word to the learner if all its characters are in the alphabet, with symbols that are not yet ids: twice
 * the number of each character there, and one more for those that continue the word. */
static hl_status read_word(work *w, size_t number, const hl_text_set *alphabet)
{
    hl_span word = hl_text_set_get(&w->words, number);
    for (size_t at = 0, step; at < word.size; at += step) {
        step = hl_character_bytes(word.text + at, word.size - at);
        if (hl_text_set_find(alphabet, word.text + at, step) < 0) {
            return hl_ok();
        }
    }
    HL_TRY(hl_merge_learner_word(&w->learner, w->words.at[number].count));
    for (size_t at = 0, step; at < word.size; at += step) {
        step = hl_character_bytes(word.text + at, word.size - at);
        int64_t letter = hl_text_set_find(alphabet, word.text + at, step);
        HL_TRY(hl_merge_learner_symbol(&w->learner, (int32_t)(2 * letter + (at > 0))));
    }
    return hl_ok();
}

/* Makes the characters pieces, first each alone, then those that continue words. `ids`: zeroed, of all
 * symbols; each is first 1 if the symbol occurs, then its id. */
static hl_status name_symbols(work *w, const hl_text_set *alphabet, size_t *ids)
{
    hl_merge_learner *learner = &w->learner;
    for (size_t i = 0; i < learner->n_symbols; i++) {
        ids[learner->symbols[i]] = 1;
    }
    for (size_t continuing = 0; continuing < 2; continuing++) {
        for (size_t i = 0; i < alphabet->n; i++) {
            if (continuing && ids[2 * i + 1] == 0) {
                continue;
            }
            char piece[2 + LETTER] = "##";
            hl_span character = hl_text_set_get(alphabet, i);
            size_t size = 2 * continuing + character.size;
            memcpy(piece + 2 * continuing, character.text, character.size);
            HL_TRY(hl_text_set_add(&w->tokens->pieces, piece, size, 0, &ids[2 * i + continuing]));
        }
    }
    for (size_t i = 0; i < learner->n_symbols; i++) {
        learner->symbols[i] = (int32_t)ids[learner->symbols[i]];
    }
    return hl_ok();
}

static hl_status find_alphabet(const work *w, hl_text_set *characters, hl_text_set *most, hl_text_set *alphabet)
{
    size_t share = (size_t)w->options->size / ALPHABET_SHARE;
    HL_TRY(count_characters(&w->words, characters));
    HL_TRY(hl_text_set_add_most(characters, 0, share < ALPHABET ? share : ALPHABET, most));
    return hl_text_set_add_most(most, 0, ALPHABET, alphabet); /* all counts are 0: in the order of code points */
}

static hl_status split_into_characters(work *w)
{
    hl_text_set characters = { 0 }, most = { 0 }, alphabet = { 0 };
    hl_status status = find_alphabet(w, &characters, &most, &alphabet);
    for (size_t i = 0; i < w->words.n; i++) {
        HL_THEN(status, read_word(w, i, &alphabet));
    }
    size_t *ids = hl_calloc(2 * alphabet.n, sizeof *ids);
    HL_THEN(status, ids != NULL ? name_symbols(w, &alphabet, ids) : hl_error_memory("tokens to learn"));
    hl_free(ids);
    hl_text_set_free(&characters);
    hl_text_set_free(&most);
    hl_text_set_free(&alphabet);
    return status;
}

static hl_status learn_merges(work *w)
{
    bool wordpiece = w->options->kind == HL_TOKENS_WORDPIECE;
    HL_TRY(wordpiece ? split_into_characters(w) : split_into_bytes(w));
    HL_TRY(check_room(w));
    int64_t least = w->options->min_count > 1 ? w->options->min_count : 1;
    return hl_merge_learner_run(&w->learner, (size_t)w->options->size, least, wordpiece ? 2 : 0, &w->tokens->pieces);
}

/* Prepares the object, whose pieces are known. Of wordpiece, merges are of no use. */
static hl_status make(work *w)
{
    hl_tokens *tokens = w->tokens;
    if (tokens->kind == HL_TOKENS_BPE) {
        tokens->merges = w->learner.merges;
        tokens->n_merges = w->learner.n_merges;
        w->learner.merges = NULL;
    }
    HL_TRY(hl_tokens_index(tokens, "tokens", false));
    return hl_tokens_finish(tokens, "tokens");
}

static hl_status learn(work *w, hl_tokens_source *source, void *context)
{
    w->tokens = hl_tokens_new(w->options->kind);
    w->pieces.scratch = hl_calloc(1, sizeof *w->pieces.scratch);
    HL_NEED(w->tokens != NULL && w->pieces.scratch != NULL, "tokens to learn");
    bool wordpiece = w->options->kind == HL_TOKENS_WORDPIECE;
    hl_tokens_rules *rules = &w->tokens->rules;
    rules->clean = rules->cjk = wordpiece;
    bool characters = w->options->kind != HL_TOKENS_BYTES && w->options->kind != HL_TOKENS_BPE;
    rules->lowercase = characters && w->options->lowercase;
    rules->accents = wordpiece && w->options->lowercase;
    HL_TRY(add_specials(w));
    if (w->options->kind == HL_TOKENS_BYTES) {
        int32_t ids[256];
        HL_TRY(add_bytes(w, false, ids));
        return make(w);
    }
    HL_TRY(count_texts(w, source, context));
    if (wordpiece || w->options->kind == HL_TOKENS_BPE) {
        HL_TRY(learn_merges(w));
    } else { /* the text of a word may already be that of a special token */
        HL_TRY(check_room(w));
        HL_TRY(hl_text_set_add_most(&w->words, w->options->min_count, (size_t)w->options->size, &w->tokens->pieces));
    }
    if (w->words.n == 0 || w->tokens->pieces.n == w->tokens->n_added) {
        return hl_error(HL_INVALID, "tokens: no text to learn from");
    }
    return make(w);
}

hl_status hl_tokens_learn(const hl_tokens_options *options, hl_tokens_source *source, void *context, hl_tokens **out)
{
    *out = NULL;
    HL_TRY(check(options));
    work w = { .options = options };
    hl_status status = learn(&w, source, context);
    if (status.code == HL_OK) {
        *out = w.tokens;
        w.tokens = NULL;
    }
    end(&w);
    return status;
}
