#include "programs/heads/answers.h"

#include "core/files/json_text.h"
#include "heads/answers.h"
#include "show/table.h"
#include "show/terminal_cells.h"

#include <inttypes.h>
#include <limits.h>

static hl_answer answer_at(const hl_snapshot *maps, int64_t position)
{
    hl_answer best = { 0 };
    hl_answers_best(&maps->answers, 0, position, 1, &best);
    return best;
}

/* The position of the first answer from `position` on; the number of tokens where there is none. A class is the answer
 * to the whole example and stands at its first token, a tag at a word's first piece; else masks are answered, or where
 * there are none all tokens. */
static int64_t next_answer(const hl_model_source *run, const hl_snapshot *maps, int64_t position)
{
    const hl_examples *examples = &maps->examples;
    const unsigned char *kinds = hl_vocabulary_kinds(run->vocabulary);
    int64_t n = examples->lengths[0];
    bool any_mask = false, tags = hl_dataset_targets(run->dataset) != run->vocabulary;
    if (run->shape.head == HL_HEAD_NONE || run->config.sizes.pooled) {
        return run->shape.head != HL_HEAD_NONE && position == 0 ? 0 : n;
    }
    for (int64_t i = 0; i < n; i++) {
        any_mask = any_mask || (kinds[examples->tokens[i]] & HL_TOKEN_MASK) != 0;
    }
    for (; position < n; position++) {
        const int32_t *word = examples->words != NULL ? examples->words + position : NULL;
        bool begins = word == NULL || (*word >= 0 && (position == 0 || word[-1] != *word));
        if (tags ? begins : !any_mask || (kinds[examples->tokens[position]] & HL_TOKEN_MASK) != 0) {
            break;
        }
    }
    return position;
}

/* ---- for a person ---- */

/* A token in a column of that width, with a space after it. */
static void print_token(hl_text *text, const char *token, int width)
{
    static const hl_terminal any = { .ascii = false };
    int columns = hl_terminal_put(&any, token, INT_MAX, text);
    hl_terminal_space(text, columns < width ? width - columns : 1);
}

void hl_heads_tokens_print(hl_text *text, const hl_vocabulary *vocabulary, const hl_examples *examples)
{
    for (int64_t i = 0; i < examples->lengths[0]; i++) {
        hl_text_print(text, " ");
        hl_text_shown(text, hl_vocabulary_token(vocabulary, examples->tokens[i]));
    }
}

void hl_heads_answers_print(hl_text *text, const hl_model_source *run, const hl_snapshot *maps)
{
    enum { TOKEN = 16 };
    hl_text tokens = { 0 };
    hl_heads_tokens_print(&tokens, run->vocabulary, &maps->examples);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%d tokens:%s", (int)maps->examples.lengths[0],
                      hl_text_part(text, &tokens));
    hl_text_free(&tokens);
    hl_text_print(text, "\n");
    if (run->shape.head == HL_HEAD_NONE) {
        return;
    }
    hl_text_print(text, "position  %-*s%-*sprobability\n", TOKEN, "token", TOKEN, "answer");
    for (int64_t i = 0; (i = next_answer(run, maps, i)) < maps->examples.lengths[0]; i++) {
        hl_answer a = answer_at(maps, i);
        hl_text_print(text, "%8" PRId64 "  ", i);
        print_token(text, hl_vocabulary_token(run->vocabulary, maps->examples.tokens[i]), TOKEN);
        print_token(text, hl_vocabulary_token(hl_dataset_targets(run->dataset), a.id), TOKEN);
        hl_text_print(text, "%11.2f\n", a.probability);
    }
    hl_text_print(text, "\n");
}

/* ---- for programs ---- */

json_t *hl_heads_tokens_json(const hl_vocabulary *vocabulary, const hl_examples *examples)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < examples->lengths[0]; i++) {
        hl_json_append(&list, hl_json_name(hl_vocabulary_token(vocabulary, examples->tokens[i])));
    }
    return list;
}

json_t *hl_heads_answers_json(const hl_model_source *run, const hl_snapshot *maps)
{
    json_t *list = json_array();
    for (int64_t i = 0; (i = next_answer(run, maps, i)) < maps->examples.lengths[0]; i++) {
        hl_answer a = answer_at(maps, i);
        hl_json_append(&list,
                       json_pack("{s:I, s:o, s:o, s:o}", "position", (json_int_t)i, "token",
                                 hl_json_name(hl_vocabulary_token(run->vocabulary, maps->examples.tokens[i])), "answer",
                                 hl_json_name(hl_vocabulary_token(hl_dataset_targets(run->dataset), a.id)),
                                 "probability", hl_json_number(a.probability)));
    }
    return list;
}
