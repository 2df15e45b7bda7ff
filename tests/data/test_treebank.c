#include "data/text/treebank.h"

#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"
#include "tests/data/tokens_texts.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(id, form, head, label) id "\t" form "\t_\t_\t_\t_\t" head "\t" label "\t_\t_\n"

/* Sentence 1: a range, an empty node, a word of three pieces, one without a piece, a subtype. Then one of one word, one
 * of six pieces, and one that is too long for eight. */
static const char bank[] =
    "# sent_id = first-1\n# text = playing [SEP]'s \xe2\x80\x8b\n" WORD("1-2", "playing[SEP]'s", "_", "_")
        WORD("1", "playing", "2", "nmod:poss") WORD("2", "saw", "0", "root") WORD("2.1", "saw", "_", "_")
            WORD("3", "\xe2\x80\x8b", "1", "case") "\n" WORD("1", "saw", "0", "root") "\n" WORD("1", "saw", "2", "nmod")
                WORD("2", "saw", "0", "root") WORD("3", "saw", "2", "obj")
                    WORD("4", "saw", "3", "nmod:tmod") "\n" WORD("1", "playing", "0", "root")
                        WORD("2", "playing", "1", "late") WORD("3", "playing", "2", "late");

static hl_tokens *pieces(void)
{
    return kept_tokens(wordpiece_of("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nplay\n##in\n##g\nsaw\n", true));
}

static void is_list(const int32_t *numbers, const int *expected, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        ck_assert_int_eq(numbers[i], expected[i]);
    }
}

#define MARKED(id, head, label, feats, misc) id "\tsaw\t_\t_\t_\t" feats "\t" head "\t" label "\t_\t" misc "\n"
#define PLAIN(id, head, label) MARKED(id, head, label, "_", "_")

static void release_treebank(void *treebank)
{
    hl_treebank_free(treebank);
}

/* The treebank that the spec says; it goes when the test ends. */
static hl_treebank *kept_treebank(const hl_treebank_spec *spec)
{
    hl_treebank *t;
    CHECK_OK(hl_treebank_read(spec, &t));
    return scratch_own(t, release_treebank);
}

static hl_treebank *read_marked(hl_tokens *tokens, const char *content)
{
    hl_treebank_spec spec = { .path = scratch_file("t", content), .tokens = tokens, .max_pieces = 9 };
    return kept_treebank(&spec);
}

static void is_arc(hl_treebank_arc arc, int64_t relation, int word, int first, int end)
{
    ck_assert_msg(arc.relation == relation && arc.word == word && arc.first == first && arc.end == end,
                  "%d: word %d, %d to %d", arc.relation, arc.word, arc.first, arc.end);
}

/* Words 2 to 4 are a mention; in it, 3 and 4 are a shorter one. Word 5 alone is one, and 6 and 1 of the next sentence.
 * Word 8 is far from its head, as is word 1, which also has Polarity=Neg. */
TEST(negations_mentions_and_long_dependencies_are_further_relations)
{
    hl_tokens *tokens = pieces();
    hl_treebank *t = read_marked(
        tokens,
        MARKED("1", "7", "a", "Mood=Ind|Polarity=Neg", "_") MARKED("2", "1", "a", "_", "SpaceAfter=No|Entity=(x")
            MARKED("3", "2", "a", "Polarity=Negative", "Entity=(y") MARKED("4", "2", "a", "_", "Entity=y)x)")
                MARKED("5", "2", "a", "_", "Entity=(z)") MARKED("6", "2", "a", "_", "Entity=(w")
                    MARKED("7", "0", "root", "Polarity=Neg", "_") PLAIN("8", "2", "b") "\n" MARKED("1", "2", "a", "_",
                                                                                                   "Entity=w)(v[1/2]")
                        MARKED("2", "0", "root", "_", "Entity=v[1/2])") MARKED("3", "2", "a", "_", "Entity=(v[2/2])"));
    int64_t neg = t->extras[HL_TREEBANK_NEG], entity = t->extras[HL_TREEBANK_ENTITY], far = t->extras[HL_TREEBANK_LONG];
    ck_assert(t->n_own == 3 && t->n_relations == 6 && neg == 3 && entity == 4 && far == 5);
    ck_assert_str_eq(hl_treebank_relation(t, neg), "neg");
    ck_assert_str_eq(hl_treebank_relation(t, entity), "entity");
    ck_assert_str_eq(hl_treebank_relation(t, far), "long");
    hl_treebank_sentence first = hl_treebank_at(t, 0);
    ck_assert_int_eq(first.n_arcs, 6);
    is_arc(first.arcs[0], neg, 0, 6, 7);
    is_arc(first.arcs[1], far, 0, 6, 7);
    is_arc(first.arcs[2], entity, 1, 1, 4);
    is_arc(first.arcs[3], entity, 2, 2, 4);
    is_arc(first.arcs[4], entity, 3, 2, 4);
    is_arc(first.arcs[5], far, 7, 1, 2);
    ck_assert_int_eq(hl_treebank_at(t, 1).n_arcs, 0); /* of two sentences, and of two parts */
    ck_assert_int_eq(t->entity_fault.code, HL_OK);
}

TEST(a_relation_of_the_treebank_keeps_its_name)
{
    hl_tokens *tokens = pieces();
    hl_treebank *t = read_marked(tokens, MARKED("1", "2", "neg", "Polarity=Neg", "_") PLAIN("2", "0", "root"));
    ck_assert(t->n_relations == 2 && t->n_own == 2);
    ck_assert_int_eq(t->extras[HL_TREEBANK_NEG], -1);
    ck_assert_int_eq(hl_treebank_at(t, 0).arcs[0].relation, -1);
}

/* There are no mentions then, also none of those before; a document begins anew. */
TEST(mentions_that_cannot_be_read_leave_the_rest)
{
    hl_tokens *tokens = pieces();
    hl_treebank *t = read_marked(tokens, MARKED("1", "2", "a", "Polarity=Neg", "Entity=(x")
                                             MARKED("2", "0", "root", "_", "Entity=x)") "\n" MARKED(
                                                 "1", "2", "a", "_", "Entity=B-PER") PLAIN("2", "0", "root"));
    ck_assert_int_eq(t->extras[HL_TREEBANK_ENTITY], -1);
    ck_assert_int_eq(t->extras[HL_TREEBANK_NEG], 2);
    ck_assert_int_eq(hl_treebank_at(t, 0).arcs[1].relation, -1);
    ck_assert_str_eq(strstr(t->entity_fault.text, ":4: "), ":4: Entity= cannot be read at \"B-PER\": its parts look "
                                                           "like (e1-person, e1) or (e1-person)");
    t = read_marked(tokens, "# newdoc\n" MARKED("1", "2", "a", "_", "Entity=(x")
                                MARKED("2", "0", "root", "_", "Entity=x)(y") "\n# newdoc\n" MARKED(
                                    "1", "2", "a", "_", "Entity=(x") MARKED("2", "0", "root", "_", "Entity=x)"));
    ck_assert_int_eq(hl_treebank_at(t, 0).n_arcs, 2);
    ck_assert_int_eq(hl_treebank_at(t, 1).n_arcs, 2);
    t = read_marked(tokens, "# newdoc\n" MARKED("1", "2", "a", "_", "Entity=(y")
                                PLAIN("2", "0", "root") "\n# newdoc\n" MARKED("1", "2", "a", "_", "_")
                                    MARKED("2", "0", "root", "_", "Entity=y)"));
    ck_assert_int_eq(t->entity_fault.code, HL_BAD_FILE); /* y was open in the other document */
}

TEST(sentences_have_pieces_and_trees)
{
    hl_tokens *tokens = pieces();
    hl_treebank_spec spec = { .path = scratch_file("t", bank), .tokens = tokens, .wraps = true, .max_pieces = 8 };
    hl_treebank *t = kept_treebank(&spec);
    ck_assert_int_eq(t->n_sentences, 2);
    ck_assert_int_eq(t->n_short, 1);
    ck_assert_int_eq(t->n_long, 1);
    ck_assert_int_eq(t->n_several_roots, 0);
    ck_assert_int_eq(t->n_unknown_words, 1);
    ck_assert_int_eq(t->longest, 7);
    ck_assert_int_eq(t->most_words, 4);
    hl_treebank_sentence first = hl_treebank_at(t, 0), second = hl_treebank_at(t, 1);
    ck_assert(first.n_words == 3 && first.n_pieces == 7 && second.n_words == 4 && second.n_pieces == 6);
    is_list(first.heads, (const int[]){ 1, -1, 0 }, 3);
    is_list(first.begins, (const int[]){ 1, 4, 5, 6 }, 4);
    is_list(first.pieces, (const int[]){ 2, 5, 6, 7, 8, 1, 3 }, 7);
    is_list(second.heads, (const int[]){ 1, -1, 1, 2 }, 4);
    is_list(second.begins, (const int[]){ 1, 2, 3, 4, 5 }, 5);
    ck_assert_int_eq(t->n_relations, 4);
    static const char *const names[] = { "nmod", "root", "case", "obj" };
    for (int r = 0; r < 4; r++) {
        ck_assert_str_eq(hl_treebank_relation(t, r), names[r]);
    }
    is_list(second.relations, (const int[]){ 0, 1, 3, 0 }, 4);
    ck_assert_str_eq(hl_treebank_word(t, 0, 0), "playing");
    ck_assert_str_eq(hl_treebank_id(t, 0), "first-1");
    ck_assert_str_eq(hl_treebank_id(t, 1), "");
    ck_assert_str_eq(hl_treebank_word(t, 1, 3), "saw");
}

TEST(subtypes_are_kept_where_asked_and_nothing_need_stand_around)
{
    hl_tokens *tokens = pieces();
    hl_treebank_spec spec = {
        .path = scratch_file("t", bank), .tokens = tokens, .max_pieces = 9, .max_sentences = 2, .subtypes = true
    };
    hl_treebank *t = kept_treebank(&spec);
    ck_assert_int_eq(t->n_sentences, 2); /* the last one would fit */
    ck_assert_int_eq(t->n_long, 0);
    ck_assert_str_eq(hl_treebank_relation(t, 0), "nmod:poss");
    ck_assert_int_eq(t->n_relations, 6);
    hl_treebank_sentence first = hl_treebank_at(t, 0);
    is_list(first.begins, (const int[]){ 0, 3, 4, 5 }, 4);
    ck_assert_int_eq(first.n_pieces, 5);
}

TEST(only_sentences_with_several_roots_are_counted_as_such)
{
    hl_tokens *tokens = pieces();
    hl_treebank_spec spec = { .path = scratch_file("t", WORD("1", "saw", "0", "root") WORD("2", "saw", "0", "root")
                                                            WORD("3", "saw", "0", "root") "\n" WORD(
                                                                "1", "saw", "2", "obj") WORD("2", "saw", "0", "root")),
                              .tokens = tokens,
                              .max_pieces = 8 };
    hl_treebank *t = kept_treebank(&spec);
    ck_assert_int_eq(t->n_sentences, 2);
    ck_assert_int_eq(t->n_several_roots, 1);
}

TEST(a_treebank_without_a_usable_sentence_is_refused)
{
    hl_tokens *tokens = pieces();
    hl_treebank_spec spec = { .path = scratch_file("t", bank), .tokens = tokens, .wraps = true, .max_pieces = 5 };
    hl_treebank *t;
    refused_as(hl_treebank_read(&spec, &t), HL_BAD_FILE, spec.path,
               ": no sentence can be used: of 4, 1 have one word, 3 are longer than 5 pieces");
    ck_assert_ptr_null(t);
    spec.path = scratch_file("c", WORD("1", "saw", "2", "x") WORD("2", "saw", "1", "y") WORD("3", "saw", "0", "root"));
    refused_as(hl_treebank_read(&spec, &t), HL_BAD_FILE, spec.path, ":1: its heads lead back to it: a circle");
    spec.path = scratch_file("b", "# text = a\xff\n" WORD("1", "saw", "2", "x") WORD("2", "a\xff", "0", "root"));
    hl_status status = hl_treebank_read(&spec, &t);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
}

static hl_status stop(void *context, int64_t done, int64_t total)
{
    *(int *)context += done >= 0 && total > 0;
    return hl_error(HL_INVALID, "stopped");
}

TEST(progress_is_told_and_may_end_the_reading)
{
    hl_tokens *tokens = pieces();
    int told = 0;
    hl_treebank_spec spec = {
        .path = scratch_file("t", bank), .tokens = tokens, .max_pieces = 9, .progress = stop, .context = &told
    };
    hl_treebank *t;
    ck_assert_str_eq(hl_treebank_read(&spec, &t).text, "stopped");
    ck_assert_int_eq(told, 1);
}

/* Bytes that are allocated, in blocks. */
static size_t taken, blocks;

static void *counted(void *block)
{
    taken += block != NULL ? malloc_usable_size(block) : 0;
    blocks += block != NULL;
    return block;
}

static void release(void *block)
{
    taken -= block != NULL ? malloc_usable_size(block) : 0;
    blocks -= block != NULL;
    free(block);
}

static void *allocate(size_t bytes)
{
    return counted(aligned_alloc(64, (bytes + 63) / 64 * 64));
}

static void *reallocate(void *block, size_t bytes)
{
    taken -= block != NULL ? malloc_usable_size(block) : 0;
    blocks -= block != NULL;
    return counted(realloc(block, bytes));
}

/* Names of relations too, and no room that nothing stands in. */
TEST(the_memory_that_is_told_is_taken)
{
    hl_tokens *tokens = pieces();
    static char text[1 << 19];
    int size = 0;
    for (int i = 0; i < 3000; i++) { /* of 64 bytes a name */
        size += snprintf(text + size, sizeof text - (size_t)size,
                         WORD("1", "saw", "2", "r%062d") WORD("2", "saw", "0", "root") "\n", i);
    }
    hl_treebank_spec spec = { .path = scratch_file("t", text), .tokens = tokens, .max_pieces = 9 };
    hl_treebank *t;
    hl_allocator_set(&(hl_allocator){ allocate, reallocate, release });
    hl_status status = hl_treebank_read(&spec, &t);
    size_t told = status.code == HL_OK ? hl_treebank_bytes(t) : 0, kept = taken, most = 512 + 4200 * blocks; /* pages */
    hl_treebank_free(t);
    hl_allocator_set(NULL);
    ck_assert_str_eq(status.text, "");
    ck_assert_uint_eq(taken, 0);
    ck_assert_msg(told <= kept && kept <= told + most, "%zu told, %zu taken", told, kept);
}

typedef struct reading {
    hl_treebank_spec spec;
    hl_treebank *made;
} reading;

static hl_status read_bank(void *context)
{
    reading *r = context;
    return hl_treebank_read(&r->spec, &r->made);
}

static void free_bank(void *context)
{
    hl_treebank_free(((reading *)context)->made);
}

TEST(a_treebank_is_read_whole_or_not_at_all_without_memory)
{
    hl_tokens *tokens = pieces();
    reading r = { { .path = scratch_file("t", bank), .tokens = tokens, .wraps = true, .max_pieces = 8 }, NULL };
    faults_begin();
    fault_checks_allocations(read_bank, free_bank, &r);
    faults_end();
}

SUITE("treebank")
