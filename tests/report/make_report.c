/* make_report FOLDER: the report of a made-up run, for a browser to open: FOLDER/report.html, and what it is to be
 * compared with, heads.csv and patterns/step_000000.npz, ... */
#include "core/files/files.h"
#include "core/files/folders.h"
#include "core/files/npz.h"
#include "heads/effect.h"
#include "heads/label.h"
#include "heads/word_join.h"
#include "show/report.h"
#include "tests/heads/made_up_run.h"

#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 2, HEADS = 3, EXAMPLES = 6, TOKENS = 14, SNAPSHOTS = 8 };

static const char vocabulary_text[] = "<pad>\n<sep>\n<mask>\n</script><b>\n&amp;\n<img/src=x/onerror=alert(1)>\n"
                                      "]]>\xe2\x80\x8b\xe2\x80\xae\xef\xbf\xbe\n\"'e\nf\nlonger-word\n";

/* Classes, not in the order of their cases, with names that are hostile to CSV and to pages. */
static const char scores_text[] = "class,cases,found,right,precision,recall,f1\n"
                                  "rare,2,0,0,,0,0\n"
                                  "\"</script><b>,\"\"q\"\"\",40,38,36,0.947368421,0.9,0.923076923\n"
                                  "NOUN,50,53,44,0.830188679,0.88,0.854368932\n"
                                  "never,0,1,0,0,,0\n";
static const char confusion_text[] =
    "class,rare,\"</script><b>,\"\"q\"\"\",NOUN,never\n"
    "rare,0,0,2,0\n\"</script><b>,\"\"q\"\"\",0,36,4,0\nNOUN,0,5,44,1\nnever,0,0,0,0\n";

static void ok(hl_status status)
{
    if (status.code != HL_OK) {
        fprintf(stderr, "%s\n", status.text);
        exit(1);
    }
}

static const char *path(const char *folder, const char *name)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s/%s", folder, name);
    return text;
}

static void write_snapshot(const char *folder, const made_up_run *run, int64_t s)
{
    char name[64];
    snprintf(name, sizeof name, "patterns/step_%06d.npz", (int)(10 * s));
    hl_npz_writer *npz = hl_npz_create(path(folder, name));
    hl_shape shape = HL_SHAPE(EXAMPLES, HEADS, TOKENS, TOKENS);
    for (int l = 0; l < LAYERS; l++) {
        snprintf(name, sizeof name, "layer_%d", l);
        hl_npz_add(npz, name, HL_NPY_FLOAT32, shape, run->weights + l * hl_shape_count(shape));
    }
    ok(hl_npz_close(npz, HL_VOLATILE));
}

/* Every verdict on a head alone. */
static hl_head_effect *judge_heads(void)
{
    static hl_head_effect heads[LAYERS * HEADS];
    static const hl_faithful own[] = { HL_FAITHFUL_NO, HL_FAITHFUL_UNKNOWN, HL_FAITHFUL_YES,
                                       HL_FAITHFUL_NO, HL_FAITHFUL_UNKNOWN, HL_FAITHFUL_YES };
    for (int i = 0; i < LAYERS * HEADS; i++) {
        heads[i] = (hl_head_effect){ 0.5, 0.25, 0.01, 0.9, own[i] };
    }
    return heads;
}

/* All snapshots, at the end of which the labels are earned. */
static void measure(const char *folder, made_up_run *run, hl_report_maps *maps, hl_heads_csv *csv, hl_label *labels)
{
    hl_patterns layers[LAYERS];
    made_up_run_layers(run, layers);
    for (int64_t s = 0; s < SNAPSHOTS; s++) {
        made_up_run_snapshot(run, s);
        hl_answers answers = made_up_run_answers(run);
        ok(hl_report_maps_add(maps, 10 * s, layers, LAYERS, &answers));
        ok(hl_heads_csv_add(csv, 10 * s, layers, LAYERS, NULL, s == SNAPSHOTS - 1 ? judge_heads() : NULL));
        write_snapshot(folder, run, s);
    }
    for (int i = 0; i < LAYERS * HEADS; i++) {
        hl_patterns head = layers[i / HEADS];
        head.head = i % HEADS;
        labels[i] = hl_label_of(&head);
    }
}

/* Every verdict as a group, too; a head's group counts unless the head itself is faithful. */
static hl_effects judge(const hl_label *labels)
{
    static hl_group_effect groups[3];
    static const hl_faithful grouped[] = { HL_FAITHFUL_YES, HL_FAITHFUL_NO, HL_FAITHFUL_NO };
    for (int i = 0; i < 3; i++) {
        groups[i] = (hl_group_effect){ 0, labels[i], 2, { 1, 0.5, 0.01, 0.9, grouped[i] } };
    }
    return (
        hl_effects){ .loss = 0.1, .heads = judge_heads(), .n_heads = LAYERS * HEADS, .groups = groups, .n_groups = 3 };
}

/* Words of one to three tokens between two special ones, in each example other ones, and a special one inside; their
 * texts are their numbers and end in a letter. */
static hl_word_forms make_words(const made_up_run *run, int32_t words[EXAMPLES * TOKENS])
{
    static size_t places[EXAMPLES * TOKENS];
    hl_word_forms forms = { .n_examples = EXAMPLES, .n_tokens = TOKENS, .places = places };
    hl_text_add(&forms.texts, "", 1);
    for (int e = 0; e < EXAMPLES; e++) {
        int32_t word = -1;
        for (int i = 0; i < TOKENS; i++) {
            int at = e * TOKENS + i;
            bool special = i == 0 || i >= run->lengths[e] - 1 || i == 4 + e;
            bool begins = words[at - (i > 0)] < 0 || (i + e) % 3 != 1;
            places[at] = special ? 0 : begins ? forms.texts.size : places[at - 1];
            word += !special && begins;
            words[at] = special ? HL_IGNORE : word;
            if (!special && begins) {
                hl_text_print(&forms.texts, "%d<w>%c", (int)word, '\0');
            }
        }
    }
    ok(hl_text_status(&forms.texts));
    return forms;
}

/* The same run as one of text, FOLDER/words.html, and its last maps of words, FOLDER/words.npz: layer_N (E, H, W, W)
 * and lengths. */
static void write_words(const char *folder, const made_up_run *run, hl_report_run report)
{
    int32_t words[EXAMPLES * TOKENS] = { 0 };
    hl_word_forms forms = make_words(run, words);
    hl_patterns layers[LAYERS];
    hl_report_maps maps = { .n_snapshots = 1 };
    hl_answers answers = made_up_run_answers(run);
    hl_text page = { 0 };
    made_up_run_layers(run, layers);
    for (int l = 0; l < LAYERS; l++) {
        layers[l].text.words = words;
    }
    ok(hl_report_maps_add(&maps, 0, layers, LAYERS, &answers));
    report.maps = &maps;
    report.words = &forms;
    report.csv = NULL;
    ok(hl_report_write(&report, 1, &page));
    ok(hl_file_replace(path(folder, "words.html"), page.bytes, page.size, HL_VOLATILE));
    hl_word_join join;
    ok(hl_word_join_make(&join, layers, LAYERS));
    int64_t W = join.examples.n_tokens;
    hl_npz_writer *npz = hl_npz_create(path(folder, "words.npz"));
    hl_npz_add(npz, "layer_0", HL_NPY_FLOAT32, HL_SHAPE(EXAMPLES, HEADS, W, W), join.layers[0].weights);
    hl_npz_add(npz, "layer_1", HL_NPY_FLOAT32, HL_SHAPE(EXAMPLES, HEADS, W, W), join.layers[1].weights);
    hl_npz_add(npz, "lengths", HL_NPY_INT32, HL_SHAPE(EXAMPLES), join.examples.lengths);
    ok(hl_npz_close(npz, HL_VOLATILE));
    hl_word_join_free(&join);
    hl_text_free(&forms.texts);
    hl_text_free(&page);
    hl_report_maps_free(&maps);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_report FOLDER\n");
        return 2;
    }
    const char *folder = argv[1];
    made_up_run run = made_up_run_make(LAYERS, HEADS, EXAMPLES, TOKENS, SNAPSHOTS);
    hl_report_maps maps = { .n_snapshots = SNAPSHOTS };
    hl_heads_csv csv = { 0 };
    hl_label labels[LAYERS * HEADS];
    hl_vocabulary *vocabulary;
    hl_text readings = { 0 }, page = { 0 };
    ok(hl_folder_make(path(folder, "patterns")));
    ok(hl_vocabulary_of_lines(vocabulary_text, sizeof vocabulary_text - 1, &vocabulary));
    measure(folder, &run, &maps, &csv, labels);
    labels[LAYERS * HEADS - 1].kind = HL_LABEL_RELATION; /* which no metric is there for */
    labels[LAYERS * HEADS - 1].parameter = 0;
    hl_effects effects = judge(labels);
    hl_heads_csv_print(&csv, NULL, -1, &readings);
    ok(hl_text_status(&readings));
    hl_report_run report = {
        .name = "made-up <b>run</b>",
        .config = "[task]\nname = copy\n[model]\nd_model = 8\n",
        .metrics_csv = "step,split,loss,accuracy,learning_rate,grad_norm,tokens_per_second,macro_f1,micro_f1\n"
                       "0,validation,3.5,0.01,,,,0.02,0.01\n10,train,2.5,0.25,0.001,1.5,1000,,\n70,validation,0.5,0."
                       "875,,,,0.75,0.875\n",
        .scores_csv = scores_text,
        .confusion_csv = confusion_text,
        .csv = &csv,
        .maps = &maps,
        .vocabulary = vocabulary,
        .relations = (const char *const[]){ "adj_noun" },
        .labels = labels,
        .effects = &effects,
    };
    ok(hl_report_write(&report, 1, &page));
    ok(hl_file_replace(path(folder, "report.html"), page.bytes, page.size, HL_VOLATILE));
    ok(hl_file_replace(path(folder, "heads.csv"), readings.bytes, readings.size, HL_VOLATILE));
    write_words(folder, &run, report);
    hl_text_free(&page);
    hl_text_free(&readings);
    hl_heads_csv_free(&csv);
    hl_report_maps_free(&maps);
    hl_vocabulary_free(vocabulary);
    made_up_run_free(&run);
    return 0;
}
