#include "heads/words.h"
#include "core/base/text.h"
#include "programs/heads/verb.h"
#include "programs/print_line.h"

#include <string.h>

static hl_status run(hl_heads_call *call)
{
    hl_text words = { 0 };
    hl_word word, before = { .group = "" };
    for (int i = 0; hl_word_at(i, &word); before = word, i++) {
        if (strcmp(word.group, before.group) != 0) {
            hl_text_print(&words, "%s%s\n", i > 0 ? "\n" : "", word.group);
        }
        hl_text_print(&words, "  %-23s  %s\n", word.name, word.meaning);
    }
    hl_status status = hl_text_status(&words);
    if (status.code == HL_OK) {
        hl_print_wrapped(call->out, words.bytes, 80);
    }
    hl_text_free(&words);
    return status;
}

const hl_heads_verb hl_heads_verb_words = {
    .name = "words",
    .does = "what the words in tables and on the page mean",
    .example = "words",
    .help = hl_heads_help_words,
    .options = "",
    .without_model = true,
    .run = run,
};
