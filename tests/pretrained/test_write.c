/* A folder that is written is read as the same model; what no open model has is refused; a failure leaves no model. */
#include "core/base/memory.h"
#include "data/text/tokens_file.h"
#include "pretrained/write.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/layers/config_change.h"
#include "tests/pretrained/pass.h"
#include "tests/pretrained/tiny.h"
#include "tests/pretrained/tiny_models.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, ARENA = 4 << 20 };

/* A folder that is open and its model. */
typedef struct opened {
    hl_pretrained *folder;
    hl_model model;
    hl_pretrained_loaded loaded;
} opened;

static void open_model(opened *o, const char *path)
{
    *o = (opened){ 0 };
    CHECK_OK(hl_pretrained_open(path, &o->folder));
    tiny_load(o->folder, hl_pretrained_model(o->folder), &o->model, &o->loaded);
}

static void close_model(opened *o)
{
    hl_pretrained_loaded_free(&o->loaded);
    hl_model_free(&o->model);
    hl_pretrained_close(o->folder);
    *o = (opened){ 0 };
}

/* What is written, and what is read of it; gone after each test. */
static opened before, after;
static hl_pretrained_written written;

static void end(void)
{
    close_model(&after);
    close_model(&before);
    hl_pretrained_written_free(&written);
}

static hl_pretrained_parts parts_of(opened *o, bool with_source)
{
    const char *const *labels;
    hl_pretrained_labels(o->folder, &labels);
    return (hl_pretrained_parts){ .model = &o->model,
                                  .head = hl_pretrained_stored_head(o->folder),
                                  .tokens = hl_pretrained_tokens(o->folder),
                                  .labels = labels,
                                  .source = with_source ? o->folder : NULL,
                                  .sentence = hl_pretrained_sentence_of(o->folder) };
}

/* ---- the same model ---- */

static void assert_same_tokens(const hl_tokens *a, const hl_tokens *b)
{
    hl_text texts[2] = { { 0 } };
    CHECK_OK(hl_tokens_json(a, &texts[0]));
    CHECK_OK(hl_tokens_json(b, &texts[1]));
    ck_assert_str_eq(texts[0].bytes, texts[1].bytes);
    hl_text_free(&texts[0]);
    hl_text_free(&texts[1]);
}

static void assert_same_parameters(const hl_model *a, const hl_model *b)
{
    ck_assert_int_eq(a->parameters.n, b->parameters.n);
    for (int i = 0; i < a->parameters.n; i++) {
        const hl_parameter *one = &a->parameters.list[i], *other = &b->parameters.list[i];
        ck_assert_str_eq(one->name, other->name);
        ck_assert_int_eq(one->count, other->count);
        ck_assert_msg(memcmp(one->tensor->data, other->tensor->data, (size_t)one->count * sizeof(hl_real)) == 0, "%s",
                      one->name);
    }
}

static void assert_same(opened *a, opened *b, const char *kind)
{
    const char *const *labels[2];
    int64_t n = hl_pretrained_labels(a->folder, &labels[0]);
    ck_assert_str_eq(hl_pretrained_kind(b->folder), kind);
    ck_assert_int_eq(hl_pretrained_stored_head(a->folder), hl_pretrained_stored_head(b->folder));
    ck_assert_mem_eq(hl_pretrained_model(a->folder), hl_pretrained_model(b->folder), sizeof(hl_model_config));
    ck_assert_int_eq(hl_pretrained_labels(b->folder, &labels[1]), n);
    for (int64_t i = 0; i < n; i++) {
        ck_assert_str_eq(labels[0][i], labels[1][i]);
    }
    assert_same_tokens(hl_pretrained_tokens(a->folder), hl_pretrained_tokens(b->folder));
    assert_same_parameters(&a->model, &b->model);
}

LOOP_TEST(what_is_written_is_read_as_the_same_model, 0, TINY_MODELS)
{
    const char *path = scratch_path("made/on/the/way");
    open_model(&before, tiny_folder(tiny_models[_i].name));
    hl_pretrained_parts parts = parts_of(&before, true);
    CHECK_OK(hl_pretrained_write(&parts, path, &written));
    ck_assert_str_eq(written.kind, hl_pretrained_kind(before.folder));
    ck_assert_str_eq(written.class_name, tiny_models[_i].class_name);
    ck_assert_int_eq(written.n_kept, tiny_models[_i].n_kept);
    ck_assert_int_eq(written.n_left_out, 0);
    open_model(&after, path);
    assert_same(&before, &after, hl_pretrained_kind(before.folder));
    hl_pretrained_sentence told = hl_pretrained_sentence_of(before.folder),
                           copied = hl_pretrained_sentence_of(after.folder);
    ck_assert(told.pooling == copied.pooling && told.normalised == copied.normalised && told.length == copied.length);
    ck_assert_int_eq(written.sentence, told.pooling != HL_SENTENCE_UNKNOWN);
    bool untied = strcmp(tiny_models[_i].name, "bert_untied") == 0; /* whose other bias has no use */
    ck_assert_int_eq(after.loaded.n_unused, untied ? 1 : tiny_models[_i].n_kept);
}

/* Of several kinds with one shape, the first is written. */
LOOP_TEST(a_source_that_is_not_known_is_told_by_the_shape, 0, TINY_MODELS)
{
    const char *path = scratch_path("model");
    open_model(&before, tiny_folder(tiny_models[_i].name));
    hl_pretrained_parts parts = parts_of(&before, false);
    hl_status status = hl_pretrained_write(&parts, path, &written);
    if (parts.head == HL_PRETRAINED_NONE) {
        ck_assert_int_eq(status.code, HL_INVALID);
        ck_assert_ptr_nonnull(strstr(status.text, "without an output layer"));
        ck_assert(!scratch_exists(path));
    } else {
        CHECK_OK(status);
        open_model(&after, path);
        assert_same(&before, &after,
                    hl_pretrained_model(before.folder)->position_offset > 0 ? "roberta" : tiny_models[_i].kind);
        close_model(&after);
    }
}

TEST(what_belongs_to_another_class_is_left_out_and_told)
{
    const char *path = scratch_path("model");
    before.folder = tiny_open("bert_bare");
    hl_model_config config = *hl_pretrained_model(before.folder);
    config.head = HL_HEAD_LINEAR;
    config.targets = 2;
    CHECK_OK(hl_model_init(&before.model, &config));
    CHECK_OK(hl_model_allocate(&before.model, 3));
    CHECK_OK(hl_pretrained_load(before.folder, &before.model, &before.loaded));
    static const char *const labels[] = { "NOUN", "VERB" };
    hl_pretrained_parts parts = parts_of(&before, true);
    parts.head = HL_PRETRAINED_TAGS;
    parts.labels = labels;
    CHECK_OK(hl_pretrained_write(&parts, path, &written));
    hl_text *text = scratch_text();
    hl_pretrained_print_written(&written, text);
    ck_assert_ptr_nonnull(strstr(text->bytes, "written: BertForTokenClassification, a model of the kind bert, "));
    ck_assert_ptr_nonnull(strstr(text->bytes, "left out, as a BertForTokenClassification has them not: "
                                              "pooler.dense.bias, pooler.dense.weight\n"));
    open_model(&after, path);
    ck_assert_int_eq(hl_pretrained_stored_head(after.folder), HL_PRETRAINED_TAGS);
    ck_assert_int_eq(after.loaded.n_unused + after.loaded.n_drawn, 0);
    assert_same_parameters(&before.model, &after.model);
}

/* ---- pruned heads ---- */

static pass run(const hl_model *model, const hl_batch *batch)
{
    hl_arena arena;
    pass p = { 0 };
    CHECK_OK(hl_arena_init(&arena, ARENA));
    CHECK_OK(pass_run(&p, model, batch, &arena));
    hl_arena_free(&arena);
    return p;
}

/* A model of the folder's shape without heads 2 of layer 0 and 1 and 2 of layer 1, with numbers everywhere. */
static void make_pruned(hl_pretrained *folder, hl_model *model)
{
    hl_model_config config = *hl_pretrained_model(folder);
    config.heads[0] = config.kv_heads[0] = 1 + (config.heads[0] > 2);
    config.heads[1] = config.kv_heads[1] = 1;
    CHECK_OK(hl_model_init(model, &config));
    CHECK_OK(hl_model_allocate(model, 11));
    for (int i = 0; i < model->parameters.n; i++) {
        const hl_parameter *p = &model->parameters.list[i];
        for (int64_t k = 0; k < p->count; k++) {
            p->tensor->data[k] += (hl_real)0.3 * (hl_real)sin((double)(k + 7 * i));
        }
    }
}

/* The heads that are left are the first ones, or where they are said to have been. */
LOOP_TEST(pruned_heads_have_columns_of_zeros, 0, 4)
{
    static const char *const names[] = { "bert_masked", "gpt2_next" };
    static const int32_t places[4][3] = { { 0, 1, 0 }, { 0, 0 }, { 0, 2, 1 }, { 1, 1 } };
    const char *of = names[_i % 2];
    before.folder = tiny_open(of);
    make_pruned(before.folder, &before.model);
    const hl_model_config *c = &before.model.config;
    const hl_parameter *bias = hl_parameters_find(&before.model.parameters, "output.bias");
    ck_assert_ptr_null(bias);
    hl_pretrained_parts parts = parts_of(&before, _i % 2 == 1);
    parts.places = _i < 2 ? NULL : places[_i];
    const char *path = scratch_path("model");
    CHECK_OK(hl_pretrained_write(&parts, path, &written));
    int64_t H = c->d_model / c->d_k[0], empty = 2 * H - c->heads[0] - c->heads[1];
    ck_assert_int_eq(written.n_empty_heads, empty);
    open_model(&after, path);
    for (int l = 0; l < 2; l++) {
        char name[64];
        snprintf(name, sizeof name, "encoder.layers.%d.self_attn.out_proj.weight", l);
        const hl_real *out = hl_parameters_find(&after.model.parameters, name)->tensor->data;
        const hl_real *ours = hl_parameters_find(&before.model.parameters, name)->tensor->data;
        int64_t before_it = l > 0 ? c->heads[0] : 0, D = c->d_model, d_k = c->d_k[l], width = c->heads[l] * d_k;
        ck_assert_int_eq(after.model.config.heads[l], H);
        for (int64_t i = 0; i < D * D; i++) {
            int64_t head = 0, column = i % D;
            while (head < c->heads[l] && places[_i][before_it + head] != column / d_k) {
                head++;
            }
            hl_real expected = head < c->heads[l] ? ours[i / D * width + head * d_k + column % d_k] : 0;
            ck_assert(out[i] == expected);
        }
    }
    hl_batch_storage storage;
    tiny_encode(before.folder, of, &storage);
    pass a = run(&before.model, &storage.batch), b = run(&after.model, &storage.batch);
    ck_assert_int_eq(a.n_logits, b.n_logits);
    for (int64_t i = 0; i < a.n_logits; i++) {
        ck_assert_double_le(fabs((double)a.logits[i] - (double)b.logits[i]), 2e-5 * fmax(1, fabs((double)a.logits[i])));
    }
    pass_free(&a);
    pass_free(&b);
    hl_batch_storage_free(&storage);
}

/* ---- refused ---- */

/* All that has to be changed is told at once. */
static const struct {
    const char *model;
    config_change changes[4];
    const char *reason;
} misfits[] = {
    { "bert_masked",
      { CHANGE(positions, HL_POSITIONS_SINUSOIDAL) },
      "none of the kind bert, which has model.positions = learned" },
    { "bert_masked", { CHANGE(norm, HL_NORM_PRE) }, "which has model.norm = post" },
    { "bert_masked", { CHANGE(causal, true) }, "none of the kind gpt2, which has model.norm = pre" },
    { "bert_masked", { CHANGE(bias, false) }, "which has model.bias = true" },
    { "bert_masked", { CHANGE(unscaled_embedding, false) }, "which has model.scale_embedding = false" },
    { "bert_masked", { CHANGE(embedding_norm, false) }, "which has model.embedding_norm = true" },
    { "bert_masked", { CHANGE(token_types, 0) }, "" }, /* DistilBERT */
    { "bert_masked",
      { CHANGE(position_offset, 9) },
      "none of the kind roberta, which has model.position_offset = the id of padding + 1" },
    { "bert_masked", { CHANGE(kv_heads[1], 1) }, "and kv_heads = heads" },
    { "bert_masked", { CHANGE(d_v[0], 5) }, "which has model.d_k = d_v" },
    { "bert_masked",
      { CHANGE(d_k[0], 5), CHANGE(d_k[1], 5), CHANGE(d_v[0], 5), CHANGE(d_v[1], 5) },
      "a divisor of d_model" },
    { "bert_masked", { CHANGE(heads[1], 4), CHANGE(kv_heads[1], 4) }, "which has model.d_k = d_v" },
    { "bert_masked", { CHANGE(head, HL_HEAD_LINEAR) }, "which has model.head = transform" },
    { "bert_masked",
      { CHANGE(positions, HL_POSITIONS_SINUSOIDAL), CHANGE(norm, HL_NORM_PRE), CHANGE(unscaled_embedding, false),
        CHANGE(head, HL_HEAD_LINEAR) },
      "which has model.positions = learned, model.norm = post, model.scale_embedding = false, model.head = transform" },
    { "bert_masked",
      { CHANGE(embedding_size, 8), CHANGE(activation, HL_RELU) },
      "none of the kind electra, which has model.activation = gelu" },
    { "bert_masked", { CHANGE(vocabulary, 7) }, "the tokens are 52, and the model has vectors for 7" },
    { "bert_classes", { CHANGE(pooling, HL_POOLING_MEAN) }, "which has model.pooling = first" },
    { "bert_classes", { CHANGE(pooler, HL_POOLER_RELU) }, "which has model.pooler = tanh" },
    { "gpt2_next", { CHANGE(bias, false) }, "which has model.bias = true" },
    { "bert_masked", { CHANGE(window, 4) }, "none of the kind bert, which has model.window = 0" },
    { "bert_masked",
      { CHANGE(attention_bias, HL_BIAS_FALSE) },
      "which has model.norm_bias, attention_bias, feed_forward_bias and head_bias = true" },
    { "bert_masked", { CHANGE(feed_forward, HL_FEED_FORWARD_GATED) }, "which has model.feed_forward = usual" },
    { "modernbert_masked", { CHANGE(window, 0) }, "none of the kind modernbert, which has model.window from 1" },
    { "modernbert_masked", { CHANGE(global_every, 0) }, "which has model.global_every from 1" },
    { "modernbert_masked", { CHANGE(lacks_first_norm, 0) }, "which has model.first_norm = false" },
    { "modernbert_masked", { CHANGE(feed_forward, HL_FEED_FORWARD_USUAL) }, "which has model.feed_forward = gated" },
    { "modernbert_tags", { CHANGE(pooling, HL_POOLING_LAST) }, "which has model.pooling = first" },
};

LOOP_TEST(what_no_open_model_has_is_refused, 0, ROWS(misfits))
{
    hl_pretrained *folder = tiny_open(misfits[_i].model);
    before.folder = folder;
    hl_model_config config = *hl_pretrained_model(folder);
    for (int i = 0; i < ROWS(misfits[_i].changes); i++) {
        config_change_make(&config, misfits[_i].changes[i]);
    }
    CHECK_OK(hl_model_init(&before.model, &config));
    CHECK_OK(hl_model_reserve(&before.model, HL_MODEL_EVALUATED));
    hl_pretrained_parts parts = parts_of(&before, false);
    const char *path = scratch_path("model");
    hl_status status = hl_pretrained_write(&parts, path, &written);
    bool fits = misfits[_i].reason[0] == '\0';
    ck_assert_msg(status.code == (fits ? HL_OK : HL_INVALID) && strstr(status.text, misfits[_i].reason) != NULL, "%s",
                  status.text);
    ck_assert(scratch_exists(path) == fits);
}

TEST(an_activation_that_open_models_do_not_have_is_refused)
{
    open_model(&before, tiny_folder("bert_masked"));
    before.model.config.activation = (hl_activation)99;
    hl_pretrained_parts parts = parts_of(&before, false);
    hl_status status = hl_pretrained_write(&parts, scratch_path("model"), &written);
    ck_assert_msg(status.code == HL_INVALID &&
                      strstr(status.text, "which has model.activation = one that transformers has") != NULL,
                  "%s", status.text);
}

TEST(a_class_that_the_kind_does_not_have_is_refused)
{
    open_model(&before, tiny_folder("bert_masked"));
    before.model.config.head = HL_HEAD_LINEAR; /* which a kind of next tokens has */
    hl_pretrained_parts parts = parts_of(&before, false);
    parts.head = HL_PRETRAINED_NEXT;
    hl_status status = hl_pretrained_write(&parts, scratch_path("model"), &written);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "models of the kind bert have no class BertLMHeadModel");
}

TEST(an_output_layer_of_gpt2_has_no_bias)
{
    open_model(&before, tiny_folder("gpt2_untied"));
    hl_pretrained_parts parts = parts_of(&before, true);
    hl_parameters_find(&before.model.parameters, "output.bias")->tensor->data[2] = 1;
    hl_status status = hl_pretrained_write(&parts, scratch_path("model"), &written);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "tie_embedding = true"));
}

TEST(other_tokens_than_open_models_have_are_refused)
{
    open_model(&before, tiny_folder("bert_masked"));
    hl_pretrained_parts parts = parts_of(&before, true);
    hl_tokens *tokens;
    static const char words[] =
        "{\"format\": 1, \"kind\": \"words\", \"rules\": {\"clean_text\": false, \"cjk_alone\": "
        "false, \"strip_accents\": false, \"lowercase\": false, \"word_characters\": 100, "
        "\"prefix_space\": false, \"unknown_bytes\": false}, \"roles\": {}, \"special\": [], "
        "\"single\": [[\"A\", 0]], \"pair\": [[\"A\", 0], [\"B\", 1]], \"pieces\": [\"a\"], "
        "\"merges\": []}\n";
    const char *path = scratch_path("tokens.json");
    scratch_write(path, words, sizeof words - 1);
    hl_status status = hl_tokens_load(path, &tokens);
    CHECK_OK(status);
    parts.tokens = tokens;
    const char *model = scratch_path("model");
    status = hl_pretrained_write(&parts, model, &written);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "wordpiece, bpe or unigram, and these are words"));
    ck_assert(!hl_pretrained_is_folder(model));
    hl_tokens_free(tokens);
}

/* ---- failures ---- */

static const char *const failing[] = { "bert_bare", "gpt2_next" };

/* Every call fails in turn, over an older model: what stands then is no model, or all of the new one. */
LOOP_TEST(a_call_that_fails_leaves_no_half_model, 0, 2)
{
    faults_begin();
    open_model(&before, tiny_folder(failing[_i]));
    hl_pretrained_parts parts = parts_of(&before, true);
    char path[PATH];
    snprintf(path, sizeof path, "%s", scratch_path("model"));
    int files = faults_open_files();
    for (int n = 1, done = 0; !done; n++) {
        written = (hl_pretrained_written){ 0 };
        scratch_copy(tiny_folder("electra_generator"), path);
        faults_in_files(n, FAULTS_ONCE, 5);
        hl_status status = hl_pretrained_write(&parts, path, &written);
        const faults_failure *failure;
        bool failed = faults_failures(&failure) > 0, open = failed && failure->call == FAULTS_OPEN;
        faults_in_files(0, FAULTS_ONCE, 0);
        ck_assert_int_eq(faults_open_files(), files);
        ck_assert_msg(status.code == (failed && failure->call != FAULTS_CLOSE ? HL_BAD_FILE : HL_OK) || !open,
                      "call %d (%s): %s", n, failed ? faults_call_name(failure->call) : "", status.text);
        if (hl_pretrained_is_folder(path) && strstr(status.text, "config.json: cannot be removed") == NULL) {
            open_model(&after, path);
            if (strcmp(hl_pretrained_kind(after.folder), "electra") != 0) {
                assert_same(&before, &after, hl_pretrained_kind(before.folder));
            } else { /* not begun */
                ck_assert_int_ne(status.code, HL_OK);
                ck_assert_int_eq(after.loaded.n_drawn, 0);
            }
            close_model(&after);
        } else {
            ck_assert_int_ne(status.code, HL_OK);
        }
        hl_pretrained_written_free(&written);
        scratch_remove(path);
        done = !failed;
    }
    faults_end();
}

LOOP_TEST(an_allocation_that_fails_is_told_and_frees_the_others, 0, 2)
{
    faults_begin();
    open_model(&before, tiny_folder(failing[_i]));
    hl_pretrained_parts parts = parts_of(&before, true);
    char path[PATH];
    snprintf(path, sizeof path, "%s", scratch_path("model"));
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        written = (hl_pretrained_written){ 0 };
        hl_status status = hl_pretrained_write(&parts, path, &written);
        fault_checks_turn(status);
        ck_assert(hl_pretrained_is_folder(path) == (status.code == HL_OK));
        hl_pretrained_written_free(&written);
    }
    faults_end();
}

SUITE("write", .after = end)
