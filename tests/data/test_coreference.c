#include "data/text/coreference.h"

#include "tests/check_suite.h"
#include "tests/data/tokens_texts.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

#define WORD(id, form, upos, head, misc) id "\t" form "\t_\t" upos "\t_\t_\t" head "\tx\t_\t" misc "\n"

static hl_tokens *pieces(void)
{
    return kept_tokens(wordpiece_of("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nAnn\nsaw\nshe\nShe\nBob\nwe\n", false));
}

static hl_coreference_text read_with(const char *bank, int64_t max_pieces)
{
    hl_tokens *tokens = pieces();
    hl_treebank_spec spec = {
        .path = scratch_file("t", bank), .tokens = tokens, .wraps = true, .max_pieces = max_pieces
    };
    hl_coreference_text text;
    CHECK_OK(hl_coreference_read(&spec, &text));
    return text;
}

/* The mentions as "window.word/sentence kind form:entities ...". */
static const char *shown(const hl_coreference_text *text)
{
    static char line[1024];
    size_t n = 0;
    line[0] = '\0';
    for (int64_t w = 0; w < text->windows->n_sentences; w++) {
        for (size_t m = text->firsts[w]; m < text->firsts[w + 1]; m++) {
            const hl_coreference_mention *x = &text->mentions[m];
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%d.%d/%d %c%d:", n > 0 ? " " : "", (int)w, x->word,
                                  x->sentence, "pno"[x->kind], x -> form);
            for (int i = 0; i < x->n_entities; i++) {
                n += (size_t)snprintf(line + n, sizeof line - n, "%s%d", i > 0 ? "," : "",
                                      text->entities[x->first_entity + (size_t)i]);
            }
        }
    }
    return line;
}

/* Ann saw Bob. / she saw We-with-Ann, over the end of the sentence, / She */
static const char bank[] = "# newdoc id = one\n" /* the head of "Ann saw" is saw */
    WORD("1", "Ann", "PROPN", "2", "Entity=(e1-person-1(e3-event") WORD("2", "saw", "VERB", "0", "Entity=e3)e1)")
        WORD("3", "Bob", "PROPN", "2", "SpaceAfter=No|Entity=(e2)") "\n" WORD("1", "she", "PRON", "2", "Entity=(e1)")
            WORD("2", "saw", "VERB", "0", "Entity=(e4[1/2]-x")
                WORD("3", "we", "PRON", "2", "Entity=e4[1/2])(e5") "\n" WORD("1", "She", "PRON", "2", "Entity=e5)")
                    WORD("2", "saw", "VERB", "0", "Entity=(e4[2/2])") "\n# newdoc\n" WORD("1", "Bob", "PROPN", "0",
                                                                                          "Entity=(e2)")
                        WORD("2", "Ann", "PROPN", "1", "Bridge=e9|Entity=(e1)(e1)");

TEST(mentions_stand_at_their_heads_in_windows_of_whole_sentences)
{
    hl_coreference_text text = read_with(bank, 12);
    ck_assert_int_eq(text.n_documents, 2);
    ck_assert_int_eq(text.n_left_out, 0);
    ck_assert_int_eq(text.windows->n_sentences, 2);
    ck_assert_int_eq(hl_treebank_at(text.windows, 0).n_words, 8);
    ck_assert_int_eq(hl_treebank_at(text.windows, 0).n_pieces, 10);
    ck_assert(text.documents[0] == 0 && text.documents[1] == 1);
    /* e1 and e3 are one mention at "saw"; e4 stands at the first "saw" of its two parts, and e5 at "we". */
    ck_assert_str_eq(shown(&text), "0.1/0 o1:0,1 0.2/0 n2:2 0.3/1 p3:0 0.4/1 o1:3 0.5/1 p4:4 1.0/0 n2:0 1.1/0 n0:1");
    ck_assert(hl_coreference_same(&text, 0, 2) && !hl_coreference_same(&text, 0, 1));
    ck_assert_int_eq(hl_treebank_at(text.windows, 0).heads[3], 4); /* heads of the window's words */
    ck_assert_str_eq(hl_treebank_word(text.windows, 0, 6), "She");
    ck_assert_uint_ge(hl_coreference_bytes(&text), hl_treebank_bytes(text.windows));
    hl_coreference_text_free(&text);
    hl_coreference_text_free(&text);
}

TEST(a_window_takes_as_many_sentences_as_fit)
{
    hl_coreference_text text = read_with(bank, 8); /* three words and three, then two, then two */
    ck_assert_int_eq(text.windows->n_sentences, 3);
    ck_assert_int_eq(hl_treebank_at(text.windows, 0).n_words, 6);
    ck_assert_str_eq(shown(&text), "0.1/0 o1:0,1 0.2/0 n2:2 0.3/1 p3:0 0.4/1 o1:3 0.5/1 p4:4 2.0/0 n2:0 2.1/0 n0:1");
    hl_coreference_text_free(&text);
    text = read_with(bank, 4); /* sentences of three words fit into none */
    ck_assert_int_eq(text.n_left_out, 2);
    ck_assert_int_eq(text.windows->n_sentences, 2);
    ck_assert_str_eq(shown(&text), "1.0/0 n2:0 1.1/0 n0:1");
    hl_coreference_text_free(&text);
}

/* A window of one word is not there, and the next one is not mistaken for it. */
TEST(a_window_of_one_word_is_left_out)
{
    hl_coreference_text text =
        read_with(WORD("1", "Ann", "PROPN", "0", "Entity=(1)") "\n" WORD("1", "Bob", "PROPN", "2", "Entity=(1)")
                      WORD("2", "saw", "VERB", "0", "_"),
                  4);
    ck_assert_int_eq(text.windows->n_sentences, 1);
    ck_assert_str_eq(shown(&text), "0.0/1 n1:0");
    hl_coreference_text_free(&text);
}

/* "1)" closes the mention that was opened last: words 1 and 2 within words 0 to 3. */
TEST(a_mention_within_one_of_the_same_entity_ends_first)
{
    hl_coreference_text text =
        read_with(WORD("1", "Ann", "X", "4", "Entity=(1") WORD("2", "saw", "X", "4", "Entity=(1")
                      WORD("3", "Bob", "X", "2", "Entity=1)") WORD("4", "saw", "X", "0", "Entity=1)"),
                  9);
    ck_assert_str_eq(shown(&text), "0.1/0 o1:0 0.3/0 o1:0");
    hl_coreference_text_free(&text);
}

/* What a file of these two words is told about its second MISC. */
static void refuses(const char *first, const char *second, const char *message)
{
    hl_tokens *tokens = pieces();
    hl_coreference_text text;
    char content[1024];
    snprintf(content, sizeof content,
             "1\tAnn\t_\tPROPN\t_\t_\t2\tx\t_\t%s\n2\tsaw\t_\tVERB\t_\t_\t0\tx\t_\t%s\n\n# newdoc id = "
             "2\n1\tAnn\t_\tX\t_\t_\t0\tx\t_\tEntity=(e1)\n2\tsaw\t_\tX\t_\t_\t1\tx\t_\tEntity=(e1)\n",
             first, second);
    hl_treebank_spec spec = { .path = scratch_file("t", content), .tokens = tokens, .wraps = true, .max_pieces = 9 };
    hl_status status = hl_coreference_read(&spec, &text);
    if (message == NULL) {
        ck_assert_str_eq(status.text, "");
    } else {
        ck_assert_msg(status.code == HL_BAD_FILE && strstr(status.text, message) != NULL, "%s %s: %s", first, second,
                      status.text);
        ck_assert_ptr_null(text.windows);
    }
    hl_coreference_text_free(&text);
}

TEST(odd_annotations_are_read_by_rule_or_refused_with_their_line)
{
    static const struct {
        const char *first, *second, *message; /* NULL: it is read */
    } cases[] = {
        { "Entity=(e1-person", "_", "t:1: the mention of e1 does not end in its document" },
        { "Entity=(e1", "Entity=e2)", "t:2: e2) closes a mention that is not open" },
        { "Entity=(e1(e2", "Entity=e1)e2)", NULL }, /* crossing */
        { "Entity=(e1(e1", "Entity=e1)e1)", NULL }, /* nested in itself */
        { "Entity=", "_", "t:1: Entity= is empty" },
        { "Entity=(", "_", "t:1: Entity= cannot be read at \"(\"" },
        { "Entity=()", "_", "t:1: Entity= cannot be read at \"()\"" },
        { "Entity=)", "_", "t:1: Entity= cannot be read at \")\"" },
        { "Entity=e1", "_", "t:1: Entity= cannot be read at \"e1\"" },
        { "Entity=(-person)", "_", "t:1: Entity= cannot be read" },
        { "Entity=(e1) (e2)", "_", "t:1: Entity= cannot be read at \" (e2)\"" },
        { "Entity=e1)(e1", "_", "t:1: e1) closes a mention that is not open" },
        { "Entity=(1-abstract(2-person)1)", "_", NULL }, /* GUM's style */
        { "Entity=(e1-person-1-head)", "_", NULL },      /* CorefUD's style */
        { "A=B|Entity=(e1)|C=D", "_", NULL },
        { "Bridge=e1<e2|SplitAnte=e1", "Entity2=(", NULL }, /* other keys */
        { "Entity=(e1[1/2])", "Entity=(e1[2/2])", NULL },   /* discontinuous */
        { "Entity=(e1[1/2])", "_", "t:1: the mention of e1 does not end in its document" },
        { "Entity=(e1[1/2]", "Entity=e1[2/2])", "t:2: e1) closes a mention that is not open" },
        { "Entity=(e1[2/1])", "_", "t:1: Entity= at \"(e1[2/1])\": the parts of a mention are numbered" },
        { "Entity=(e1[1/1])", "_", "the parts of a mention are numbered" },
        { "Entity=(e1[0/2])", "_", "the parts of a mention are numbered" },
        { "Entity=(e1[1/100])", "_", "the parts of a mention are numbered" },
        { "Entity=(e1[1/2)", "_", "the parts of a mention are numbered" },
        { "Entity=([1/2])", "_", "t:1: Entity= cannot be read" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuses(cases[i].first, cases[i].second, cases[i].message);
    }
}

TEST(a_text_without_mentions_is_refused)
{
    hl_tokens *tokens = pieces();
    hl_coreference_text text;
    hl_treebank_spec spec = { .path =
                                  scratch_file("t", WORD("1", "Ann", "X", "2", "_") WORD("2", "saw", "X", "0", "_")),
                              .tokens = tokens,
                              .max_pieces = 9 };
    hl_status status = hl_coreference_read(&spec, &text);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_nonnull(strstr(status.text, "t: no mention of an entity can be used: column MISC has none with "
                                              "Entity=, or all are in sentences longer than 9 pieces"));
}

typedef struct reading {
    hl_treebank_spec spec;
    hl_coreference_text made;
} reading;

static hl_status read_bank(void *context)
{
    reading *r = context;
    return hl_coreference_read(&r->spec, &r->made);
}

static void free_bank(void *context)
{
    hl_coreference_text_free(&((reading *)context)->made);
}

TEST(a_text_is_read_whole_or_not_at_all_without_memory)
{
    hl_tokens *tokens = pieces();
    reading r = { .spec = { .path = scratch_file("t", bank), .tokens = tokens, .wraps = true, .max_pieces = 8 } };
    faults_begin();
    fault_checks_allocations(read_bank, free_bank, &r);
    faults_end();
}

SUITE("coreference")
