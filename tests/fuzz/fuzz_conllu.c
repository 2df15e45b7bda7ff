/* The bytes as a treebank. Words are what is written back: all that is read, whether sentence or rest, makes the file
 * again, less a mark at its start; and heads that are taken make trees. */
#include "data/text/conllu.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input_file.h"

#include <string.h>

static void check_tree(const hl_conllu_sentence *s)
{
    for (int64_t i = 0; i < s->n_words; i++) {
        int64_t steps = 0, id = i + 1;
        for (; id > 0 && steps <= s->n_words; steps++) {
            fuzz_require(id <= s->n_words);
            id = s->words[id - 1].head;
        }
        fuzz_require(id == 0 && steps <= s->n_words);
    }
}

static hl_status read_all(hl_conllu_check check, hl_text *text)
{
    hl_conllu *reader;
    const hl_conllu_sentence *s;
    HL_TRY(hl_conllu_open("treebank", check, &reader));
    hl_status status = hl_conllu_next(reader, &s);
    for (; status.code == HL_OK && s != NULL; status = hl_conllu_next(reader, &s)) {
        fuzz_require(s->n_words > 0);
        for (int c = 0; c < HL_CONLLU_COLUMNS; c++) {
            fuzz_require(s->words[s->n_words - 1].columns[c].size > 0);
        }
        hl_conllu_comment(s, "text");
        if (check == HL_CONLLU_WORDS) {
            hl_conllu_print(s, HL_CONLLU_UPOS, NULL, text);
        } else {
            check_tree(s);
        }
    }
    hl_span rest = hl_conllu_rest(reader);
    hl_text_add(text, rest.text, status.code == HL_OK ? rest.size : 0);
    hl_conllu_close(reader);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hl_text text = { 0 }, unused = { 0 };
    input_file_set(data, size);
    hl_status words = read_all(HL_CONLLU_WORDS, &text);
    if (words.code == HL_OK) {
        bool gzipped = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
        size_t mark = size > 2 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        fuzz_require(gzipped || (text.size == size - mark && memcmp(text.bytes, data + mark, text.size) == 0));
    }
    hl_status trees = read_all(HL_CONLLU_TREE, &unused), roots = read_all(HL_CONLLU_ROOTS, &unused);
    fuzz_require((trees.code != HL_OK || roots.code == HL_OK) && (roots.code != HL_OK || words.code == HL_OK));
    hl_text_free(&text);
    hl_text_free(&unused);
    return 0;
}
