/* `heads grammar`: which head finds which relation, checked against the maps that heads map --input has. */
#include "core/base/memory.h"
#include "core/files/npz.h"
#include "heads/tree.h"
#include "programs/heads/memory.h"
#include "programs/heads/treebank.h"
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCES = 3, COPIES = 51, LAYERS = 2, HEADS = 3, ALL = LAYERS * HEADS, MOST_WORDS = 8 }; /* of bert_bare */

/* Words of one piece each, whose trees are as good as any. */
static const struct {
    const char *words[MOST_WORDS];
    int n, heads[MOST_WORDS]; /* from 1; 0: the root */
    const char *relations[MOST_WORDS];
} bank[SENTENCES] = {
    { { "the", "cat", "sat", "on", "the", "mat" },
      6,
      { 2, 3, 0, 6, 6, 3 },
      { "det", "nsubj", "root", "case", "det", "obl:on" } },
    { { "the", "dog", "saw", "it" }, 4, { 2, 3, 0, 3 }, { "det", "nsubj", "root", "obj" } },
    { { "it", "sat" }, 2, { 2, 0 }, { "nsubj", "root" } },
};

/* The sentences in turn, COPIES times, and one of one word. */
static const char *treebank(void)
{
    text_used = 0;
    for (int i = 0; i < SENTENCES * COPIES; i++) {
        int s = i % SENTENCES;
        text_say("# sent_id = s<%d>\n", i);
        for (int w = 0; w < bank[s].n; w++) {
            text_say_word(w, bank[s].words[w], bank[s].heads[w] - 1, bank[s].relations[w]);
        }
        text_say("\n");
    }
    text_say_word(0, "cat", -1, "root");
    return run_config("bank.conllu", text_made);
}

/* A head's map (T, T) of a sentence, whose word w is row and column w + 1. */
typedef struct head_map {
    const float *weights;
    int sentence;
    bool column; /* whether a word looks with what it is given */
} head_map;

static double weight_of(const head_map *map, int from, int to)
{
    int T = bank[map->sentence].n + 2;
    return (double)(map->column ? map->weights[(to + 1) * T + from + 1] : map->weights[(from + 1) * T + to + 1]);
}

/* The word other than `a` that it gives its largest weight. */
static int guess_of(const head_map *map, int a)
{
    int best = a == 0 ? 1 : 0;
    for (int b = 0; b < bank[map->sentence].n; b++) {
        best = b != a && weight_of(map, a, b) > weight_of(map, a, best) ? b : best;
    }
    return best;
}

static bool hits(const head_map *map, int a)
{
    return guess_of(map, a) == bank[map->sentence].heads[a] - 1;
}

/* The maps of a sentence, as --input tells them. */
static const hl_npz *maps_of(const char *folder, int sentence)
{
    char text[128] = "";
    for (int w = 0; w < bank[sentence].n; w++) {
        strcat(strcat(text, w > 0 ? " " : ""), bank[sentence].words[w]);
    }
    OK(HEADS("map", folder, "--input", text, "--npz", run_path("s.npz")));
    return answer_arrays(run_path("s.npz"));
}

/* The map of a head, counted over all layers. */
static head_map map_of(const hl_npz *npz, int sentence, int head, bool column)
{
    const hl_npz_array *maps = hl_npz_find(npz, head < HEADS ? "layer_0" : "layer_1");
    int64_t T = bank[sentence].n + 2;
    ck_assert(hl_shape_equal(maps->shape, HL_SHAPE(1, HEADS, T, T)));
    return (head_map){ (const float *)maps->data + head % HEADS * T * T, sentence, column };
}

/* The hits of every head in both directions for a relation, of all sentences; returns the cases. */
static int64_t count(const char *folder, const char *relation, int64_t counts[ALL][2])
{
    int64_t cases = 0;
    memset(counts, 0, sizeof(int64_t[ALL][2]));
    for (int s = 0; s < SENTENCES; s++) {
        const hl_npz *npz = maps_of(folder, s);
        for (int w = 0; w < bank[s].n; w++) {
            bool asked = strcmp(relation, "all") == 0 || strcmp(relation, bank[s].relations[w]) == 0;
            if (bank[s].heads[w] == 0 || !asked) {
                continue;
            }
            cases += COPIES;
            for (int i = 0; i < 2 * ALL; i++) {
                head_map map = map_of(npz, s, i / 2, i % 2 == 1);
                counts[i / 2][i % 2] += hits(&map, w) ? COPIES : 0;
            }
        }
    }
    return cases;
}

/* The folder has vectors that no token has, and else nothing to tell. */
static bool tells_rows_alone(const char *err)
{
    const char *end = strstr(err, ": 4 vectors are no token's\n");
    return end != NULL && strchr(end, '\n')[1] == '\0' && strchr(err, '\n') > end;
}

TEST(the_numbers_are_those_of_the_maps)
{
    static const char *const relations[] = { "det", "nsubj", "all" };
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank();
    for (int r = 0; r < 3; r++) {
        int64_t counts[ALL][2], cases = count(folder, relations[r], counts);
        run_result run = HEADS("grammar", folder, file, "--relation", relations[r], "--json");
        ck_assert_msg(run.code == 0 && tells_rows_alone(run.err), "%s", run.err);
        json_t *found = told(run), *heads = json_object_get(found, "heads");
        ck_assert_int_eq((int64_t)number_at(found, "cases"), cases);
        ck_assert_int_eq((int64_t)json_array_size(heads), ALL);
        for (int64_t h = 0; h < ALL; h++) {
            const json_t *head = json_array_get(heads, (size_t)h);
            int way = counts[h][1] > counts[h][0];
            ck_assert_str_eq(text_at(head, "direction"), way == 0 ? "d>h" : "h>d");
            ck_assert_double_eq_tol(number_at(head, "accuracy"), (double)counts[h][way] / (double)cases, 1e-8);
        }
    }
}

/* UAS of the maximum spanning trees of one head over the sentences 1, 3, 5 ... */
static double uas_of(const char *folder, int head, bool column)
{
    hl_tree_score score = { 0 };
    for (int s = 0; s < SENTENCES; s++) {
        double scores[MOST_WORDS * MOST_WORDS];
        int32_t gold[MOST_WORDS], guess[MOST_WORDS];
        int n = bank[s].n;
        int64_t root = 0;
        head_map map = map_of(maps_of(folder, s), s, head, column);
        for (int i = 0; i < n; i++) {
            gold[i] = bank[s].heads[i] - 1;
            root = gold[i] < 0 ? i : root;
            for (int j = 0; j < n; j++) {
                scores[i * n + j] = weight_of(&map, i, j);
            }
        }
        CHECK_OK(hl_tree_maximum(scores, n, root, guess));
        for (int i = s; i < SENTENCES * COPIES; i += SENTENCES) {
            if (i % 2 == 1) {
                hl_tree_score_add(&score, guess, gold, n);
            }
        }
    }
    return hl_tree_share(&score, score.directed);
}

TEST(rows_are_the_frequent_relations_with_their_best_heads)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank();
    run_result run = OK(HEADS("grammar", folder, file, "--json", "-", "--trees"));
    json_t *all = told(run), *rows = json_object_get(all, "rows");
    ck_assert_int_eq((int)number_at(all, "sentences"), SENTENCES * COPIES);
    ck_assert_int_eq((int)number_at(all, "left_out"), 1);
    static const char *const names[] = { "all", "det", "nsubj" }; /* 9, 3 and 3 a copy; others have less than 100 */
    ck_assert_int_eq((int)json_array_size(rows), 3);
    for (int r = 0; r < 3; r++) {
        json_t *row = json_array_get(rows, (size_t)r);
        ck_assert_str_eq(text_at(row, "relation"), names[r]);
        ck_assert_int_eq((int)number_at(row, "offset"), 1);
        ck_assert(number_at(row, "low") <= number_at(row, "accuracy"));
        ck_assert(number_at(row, "high") >= number_at(row, "accuracy"));
        ck_assert(json_is_number(json_object_get(row, "null")));
        int64_t counts[ALL][2], cases = count(folder, names[r], counts), most = 0;
        for (int64_t h = 0; h < 2 * ALL; h++) {
            most = counts[h / 2][h % 2] > most ? counts[h / 2][h % 2] : most;
        }
        ck_assert_double_eq_tol(number_at(row, "accuracy"), (double)most / (double)cases, 1e-8);
    }
    /* Gold arcs of a right-branching chain, from word i to i - 1: word 2 and 4 of the first two; to i + 1: 2, 2, 1. */
    ck_assert_double_eq_tol(number_at(json_array_get(rows, 0), "baseline"), 6.0 / 9, 1e-8);
    json_t *trees = json_object_get(all, "trees");
    ck_assert_str_eq(text_at(json_array_get(trees, 0), "trees"), "right-branching");
    ck_assert_double_eq_tol(number_at(json_array_get(trees, 0), "uas"), 1.0 / 9, 0.01);
    ck_assert(number_at(json_array_get(trees, 0), "uuas") > number_at(json_array_get(trees, 0), "uas"));
    const json_t *row = json_array_get(rows, 0);
    int layer, head;
    ck_assert_int_eq(sscanf(text_at(row, "held_out_head"), "L%dH%d", &layer, &head), 2);
    ck_assert_str_eq(text_at(json_array_get(trees, 3), "trees"), "best head");
    ck_assert_double_eq_tol(number_at(json_array_get(trees, 3), "uas"),
                            uas_of(folder, layer * HEADS + head, *text_at(row, "held_out_direction") == 'h'), 1e-8);
    ck_assert_str_eq(text_at(json_array_get(trees, 4), "trees"), "mean of best heads"); /* none beats the offsets */
    ck_assert(json_is_null(json_object_get(json_array_get(trees, 4), "uas")));
}

TEST(trees_are_told_in_every_form)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank();
    json_t *all = told(HEADS("grammar", folder, file, "--trees", "--json"));
    const char *table = run_kept(HEADS("grammar", folder, file, "--trees").out);
    const char *csv = run_kept(HEADS("grammar", folder, file, "--trees", "--csv").out);
    const char *markdown = run_kept(HEADS("grammar", folder, file, "--trees", "--md").out);
    ck_assert_int_eq(strncmp(csv, "trees,uas,uuas\n", 15), 0);
    ck_assert_ptr_nonnull(strstr(markdown, "\n| nsubj"));
    ck_assert_ptr_nonnull(strstr(markdown, "|\n\n| whole trees | UAS | UUAS |\n|---|---:|---:|\n"));
    for (size_t i = 0; i < 4; i++) {
        const json_t *one = item_at(all, "trees", i);
        double uas = number_at(one, "uas"), uuas = number_at(one, "uuas");
        char line[128];
        ck_assert(uas > 0 && uuas >= uas);
        snprintf(line, sizeof line, "\n%s,%.9g,%.9g\n", text_at(one, "trees"), uas, uuas);
        ck_assert_msg(strstr(csv, line) != NULL, "%s", csv);
        snprintf(line, sizeof line, "\n| %s | %.1f | %.1f |\n", text_at(one, "trees"), 100 * uas, 100 * uuas);
        ck_assert_msg(strstr(markdown, line) != NULL, "%s", markdown);
        snprintf(line, sizeof line, "\n%-18s%6.1f%6.1f\n", text_at(one, "trees"), 100 * uas, 100 * uuas);
        ck_assert_msg(strstr(table, line) != NULL, "%s", table);
    }
    ck_assert_ptr_nonnull(strstr(csv, "\nmean of best heads,,\n")); /* none beats the offsets */
}

TEST(tables_csv_and_markdown_tell_the_same)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank();
    run_result run = OK(HEADS("grammar", folder, file, "--trees"));
    ck_assert_int_eq(strncmp(run.out, folder, strlen(folder)), 0);
    char first[1024];
    snprintf(first, sizeof first, "%.*s", (int)(strstr(run.out, "\n\n") - run.out), run.out);
    for (char *c = first; *c != '\0'; c++) { /* where it wraps depends on how long the path is */
        *c = *c == '\n' ? ' ' : *c;
    }
    ck_assert_ptr_nonnull(strstr(first, " on 153 sentences; left out: 1 of one word, 0 of more than "));
    ck_assert_ptr_nonnull(strstr(run.out, "\nnsubj "));
    run = HEADS("grammar", folder, file, "--csv", "-", "--without-null");
    ck_assert(strncmp(run.out, "relation,cases,head,direction,accuracy,low,high,offset,baseline,held_out_head", 76) ==
              0);
    ck_assert_ptr_null(strstr(run.out, "null"));
    ck_assert_ptr_nonnull(strstr(run.out, "\ndet,153,L"));
    run = HEADS("grammar", folder, file, "--md", "-", "--punct-and-root", "--subtypes");
    ck_assert_ptr_nonnull(strstr(run.out, "| relation | cases |"));
    ck_assert_ptr_nonnull(strstr(run.out, "\n| nsubj"));
    size_t size, again;
    run = OK(HEADS("grammar", folder, file, "--svg", run_path("a.svg"), "--pdf", run_path("a.pdf")));
    ck_assert_ptr_nonnull(strstr(run.out, "\nnsubj ")); /* the table all the same */
    run = HEADS("grammar", folder, file, "--svg", run_path("b.svg"));
    char *a = scratch_read(run_path("a.svg"), &size), *b = scratch_read(run_path("b.svg"), &again);
    ck_assert_uint_eq(size, again);
    ck_assert_mem_eq(a, b, size);
    free(a);
    free(b);
    a = scratch_read(run_path("a.pdf"), &size);
    ck_assert_mem_eq(a, "%PDF", 4);
    free(a);
}

/* The first run in a page's data. */
static json_t *data_of(const char *page)
{
    return item_at(answer_page(run_read(page)), "runs", 0);
}

/* A treebank in which one word of each sentence has as its head, by that relation, what head L0H0 looks at, each
 * time another distance away; all others hang on that one. */
static const char *treebank_of_first_head(const char *folder, const char *own)
{
    int words[SENTENCES] = { 0 }, heads[SENTENCES] = { 0 };
    for (int s = SENTENCES - 1; s >= 0; s--) {
        head_map map = map_of(maps_of(folder, s), s, 0, false);
        bool found = false;
        for (int w = 0; w < bank[s].n && !found; w++) {
            words[s] = w;
            heads[s] = guess_of(&map, w);
            found = true;
            for (int other = s + 1; other < SENTENCES; other++) {
                found = found && heads[s] - w != heads[other] - words[other];
            }
        }
        ck_assert(found);
    }
    text_used = 0;
    for (int i = 0; i < SENTENCES * COPIES; i++) {
        int s = i % SENTENCES;
        for (int w = 0; w < bank[s].n; w++) {
            const char *relation = w == words[s] ? own : w == heads[s] ? "root" : "dep";
            text_say_word(w, bank[s].words[w], w == heads[s] ? -1 : heads[s], relation);
        }
        text_say("\n");
    }
    return run_config("own.conllu", text_made);
}

TEST(a_head_that_earns_a_relation_is_named_by_it)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank_of_first_head(folder, "own");
    run_result run = OK(HEADS("grammar", folder, file, "--json"));
    json_t *all = told(run);
    ck_assert_str_eq(text_at(item_at(all, "rows", 1), "relation"), "dep"); /* twice as many */
    const json_t *head = item_at(all, "heads", 0);
    ck_assert_str_eq(text_at(head, "head"), "L0H0");
    ck_assert_str_eq(text_at(head, "relation"), "own");
    ck_assert_str_eq(text_at(head, "direction"), "d>h");
    ck_assert_double_eq(number_at(head, "held_out"), 1);
    ck_assert_double_le(number_at(head, "baseline"), 0.7); /* at most two of three, where a distance is cut at an end */
    ck_assert_double_ge(number_at(head, "low"), 0.9);
    run = OK(HEADS("grammar", folder, file, "--trees", "--examples", run_config("mine.txt", "it sat\nthe cat sat\n"),
                   "--report", run_path("own.html")));
    ck_assert_ptr_nonnull(strstr(run.out, "mean is of 2 heads: ")); /* of own and of dep */
    const char *title = strstr(run.out, " score  base"), *row = strstr(title, "\nL0H0 ");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(row, " + own "));
    ck_assert(strstr(row, " + own ") < strchr(row + 1, '\n'));
    head = item_at(data_of(run_path("own.html")), "heads", 0);
    ck_assert_str_eq(text_at(json_object_get(head, "grammar"), "relation"), "own");
}

TEST(a_long_name_is_cut_at_a_whole_character)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *mine = run_config("mine.txt", "it sat\nthe cat sat\n");
    for (int i = 0; i < 2; i++) { /* one of the two lengths would be cut within a character of two bytes */
        char name[HL_TREEBANK_RELATION + 1] = "";
        for (int c = 0; c < 30; c++) {
            strcat(name, c == 0 && i == 0 ? "x" : "\xc3\xa9");
        }
        const char *file = treebank_of_first_head(folder, name);
        run_result run =
            OK(HEADS("grammar", folder, file, "--without-null", "--examples", mine, "--report", run_path("own.html")));
        const char *title = strstr(run.out, "\nhead  label"), *row = strstr(title, "\nL0H0 ");
        const char *cut = strstr(row, "\xc3\xa9~");
        ck_assert_msg(cut != NULL && cut < strchr(row + 1, '\n'), "%s", title);
        int characters = 0;
        for (const char *at = row + 1; at <= cut + 2; at++) {
            characters += ((unsigned char)*at & 0xc0) != 0x80;
        }
        ck_assert_int_eq(characters, strstr(title, "  score") - (title + 1)); /* two blanks part the columns */
    }
}

/* Hits of four heads and of an offset of 1000 cases a half of one relation, of 500 of another and 200 of a third. */
TEST(a_head_is_named_by_what_it_is_best_for_or_else_by_what_it_finds_most_clearly)
{
    static const int64_t hits[3][4] = { { 600, 500, 520, 590 }, { 400, 450, 300, 0 }, { 0, 0, 0, 130 } };
    static const int64_t cases[] = { 1000, 500, 200 }, offsets[] = { 400, 100, 100 };
    static const int64_t rows[] = { 0, 1, 2 };
    hl_syntax found;
    hl_syntax_label *labels;
    CHECK_OK(hl_syntax_init(&found, 3, 4));
    for (int i = 0; i < 6; i++) {
        hl_syntax_half *half = &found.halves[i / 3];
        half->cases[i % 3] = cases[i % 3];
        half->offsets[i % 3 * (2 * HL_SYNTAX_FURTHEST + 1) + HL_SYNTAX_FURTHEST - 1] = offsets[i % 3];
        for (int h = 0; h < 4; h++) {
            half->hits[(i % 3 * 4 + h) * 2] = hits[i % 3][h];
        }
    }
    static const int64_t expected[] = { 0, 1, 1, 2 };
    CHECK_OK(hl_syntax_labels_make(&found, NULL, rows, 3, &labels));
    for (int h = 0; h < 4; h++) {
        ck_assert_int_eq(labels[h].relation, expected[h]);
    }
    hl_free(labels);
    hl_syntax_free(&found);
}

/* What a page tells of an example, beside the map that heads map --input has. */
static void check_example(const char *folder, const json_t *choice, const json_t *one, bool right)
{
    int place = (int)number_at(one, "sentence"), s = place % SENTENCES, word = (int)number_at(one, "word");
    bool column = strcmp(text_at(choice, "direction"), "h>d") == 0;
    ck_assert_int_eq(place % 2, 1);
    const char *id = scratch_format("s<%d>", place);
    ck_assert_str_eq(text_at(one, "id"), id);
    ck_assert_int_eq(bank[s].n, 6); /* those of 2 and 4 words are too short */
    head_map map = map_of(maps_of(folder, s), s, (int)number_at(choice, "head"), column);
    ck_assert_int_eq(hits(&map, word), right);
    ck_assert_int_eq((int)number_at(one, "gold"), bank[s].heads[word] - 1);
    ck_assert_int_eq(number_at(one, "guess") == number_at(one, "gold"), right);
    for (int w = 0; w < bank[s].n; w++) {
        ck_assert_str_eq(json_string_value(item_at(one, "words", (size_t)w)), bank[s].words[w]);
        ck_assert_double_eq_tol(json_number_value(item_at(one, "weights", (size_t)w)),
                                w == word ? 0 : weight_of(&map, word, w), 6e-4);
    }
}

/* Of an open model without --examples the page shows the treebank's sentences; with them, these. */
TEST(a_page_shows_what_a_relation_s_head_does)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank(), *page = run_path("page.html");
    OK(HEADS("grammar", folder, file, "--report", page, "--json", run_path("rows.json")));
    const json_t *rows = answer_owned(json_load_file(run_path("rows.json"), 0, NULL));
    const json_t *model = data_of(page), *syntax = json_object_get(model, "syntax");
    const json_t *relations = json_object_get(syntax, "relations");
    ck_assert_str_eq(text_at(syntax, "treebank"), "bank.conllu");
    ck_assert_int_eq((int)json_array_size(relations), 3);
    int examples = 0;
    for (size_t r = 0; r < 3; r++) {
        const json_t *relation = json_array_get(relations, r), *choice = json_object_get(relation, "held_out");
        const json_t *row = item_at(rows, "rows", r), *found = json_object_get(choice, "found");
        double hits_told = json_number_value(json_array_get(found, 0)),
               cases = json_number_value(json_array_get(found, 1));
        ck_assert_str_eq(text_at(relation, "name"), text_at(row, "relation"));
        ck_assert_double_eq_tol(hits_told / cases, number_at(row, "held_out"), 1e-8);
        const json_t *own = json_array_get(json_object_get(relation, "heads"), (size_t)number_at(choice, "head"));
        ck_assert_double_eq(json_number_value(json_array_get(own, 1)), hits_told);
        for (int right = 0; right < 2; right++) {
            const json_t *list = json_object_get(relation, right == 1 ? "right" : "wrong");
            ck_assert_uint_le(json_array_size(list), 4);
            for (size_t i = 0; i < json_array_size(list); i++, examples++) {
                check_example(folder, choice, json_array_get(list, i), right == 1);
            }
        }
    }
    ck_assert_int_ge(examples, 3 * 4); /* of each relation, those that are right or those that are wrong */
    const json_t *shown = item_at(model, "examples", 1);
    ck_assert_uint_eq(json_array_size(json_object_get(shown, "tokens")), 6); /* [CLS] the dog saw it [SEP] */

    run_result run =
        OK(HEADS("grammar", folder, file, "--examples", run_config("mine.txt", "it sat\n"), "--report", page));
    ck_assert(strstr(run.out, "earn a label: none.") != NULL && strstr(run.out, "+,") == NULL);
    model = data_of(page);
    ck_assert_uint_eq(json_array_size(json_object_get(model, "examples")), 1);
    ck_assert_ptr_nonnull(json_object_get(model, "syntax"));
}

TEST(what_cannot_be_asked_is_refused)
{
    const char *folder = run_kept(tiny_folder("bert_bare")), *file = treebank(), *toy = run_path("toy");
    REFUSED(HEADS("grammar", folder, "--relation", "nsubj"), 2, "heads.grammar_needs_a_second_word");
    REFUSED(HEADS(folder, "--relation", "nsubj"), 2, "study.relation_has_verbs_now");
    REFUSED(HEADS("grammar", folder, file, "--relation", "iobj"), 2, "study.vocab_size_is_56_and_the");
    REFUSED(HEADS("grammar", folder, file, "--relation", "det", "--png", "x"), 2, "study.relation_and_png_exclude");
    REFUSED(HEADS("grammar", folder, file, "--relation", "det", "--trees"), 2, "study.relation_and_trees_exclude");
    REFUSED(HEADS("grammar", folder, file, "--prune"), 2, "study.prune_is_for_the_verb_prune");
    REFUSED(HEADS("grammar", folder, file, "--max-pieces", "2"), 3, "study.vocab_size_is_56_and_the_2");
    REFUSED(HEADS("grammar", folder, run_path("none")), 3, "study.vocab_size_is_56_and_the_3");
    REFUSED(HEADS("grammar", folder, run_config("text", "one\ntwo\n")), 3, "study.vocab_size_is_56_and_the_4");
    run_result rootless = HEADS("grammar", folder, file, "--relation", "root"); /* nobody's head is asked for */
    ck_assert_msg(rootless.code == 0 && strstr(rootless.out, "\nroot: no cases; ") != NULL, "%s", rootless.out);
    hl_opened_model model; /* what the treebank does not have is told before the model runs */
    hl_syntax_study study;
    CHECK_OK(hl_opened_model_open(&model, folder));
    hl_heads_command command = { .object = file, .relation = "iobj" };
    ck_assert_int_eq(hl_heads_treebank_study(&study, &model, &command, stderr).code, HL_INVALID);
    ck_assert_ptr_null(study.found.memory);
    hl_syntax_study_free(&study);
    hl_opened_model_close(&model);
    EXPECT_RUN(0, run_tiny_config(), "train.steps=1", "--quiet", "--out", toy);
    REFUSED(HEADS("grammar", toy, file), 2, "study.reads_no_text_a_treebank_is");
}

TEST(memory_is_told_by_the_treebank)
{
    static const char one[] = "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n\n";
    hl_opened_model model;
    hl_heads_need needs[2];
    hl_heads_command command = { 0 };
    const char *files[] = { treebank(), run_path("one.conllu") };
    scratch_write(scratch_path("one.conllu"), one, strlen(one));
    CHECK_OK(hl_opened_model_open(&model, tiny_folder("bert_bare")));
    for (int i = 0; i < 2; i++) {
        hl_syntax_question question = { .path = files[i], .trees = true, .least_cases = 1 };
        hl_syntax_study study;
        CHECK_OK(hl_syntax_study_read(&study, &model, &question));
        CHECK_OK(hl_heads_memory_of_treebank(&study, &question, &command, &needs[i]));
        size_t bytes = needs[i].bytes - hl_treebank_bytes(study.treebank); /* it is there already */
        hl_memory_at_hand free_now = { bytes, false };
        CHECK_OK(hl_heads_need_check(&needs[i], free_now));
        free_now.bytes--;
        CHECK_FAILS(hl_heads_need_check(&needs[i], free_now), HL_NO_MEMORY, "; a lower --max-pieces needs less");
        question.null = true;
        hl_heads_need with_null;
        CHECK_OK(hl_heads_memory_of_treebank(&study, &question, &command, &with_null));
        CHECK_FAILS(hl_heads_need_check(&with_null, free_now), HL_NO_MEMORY, "; --without-null needs less");
        hl_syntax_study_free(&study);
    }
    ck_assert_uint_gt(needs[0].bytes, needs[1].bytes);
    hl_opened_model_close(&model);
}

SUITE("treebank")
