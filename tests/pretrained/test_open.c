/* What a folder says besides its weights. */
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TEST(a_folder_of_a_model_is_no_run)
{
    ck_assert(hl_pretrained_is_folder(tiny_folder("bert_masked")));
    ck_assert(!hl_pretrained_is_folder(tiny_folder("none")));
    char path[4096];
    const char *copy = tiny_changed("bert_masked", NULL, NULL, NULL);
    snprintf(path, sizeof path, "%s/config.ini", copy);
    scratch_write(path, "", 0);
    ck_assert(!hl_pretrained_is_folder(copy));
}

TEST(the_model_is_as_config_json_says)
{
    hl_pretrained *folder = tiny_open("roberta_classes");
    const hl_model_config *c = hl_pretrained_model(folder);
    ck_assert_int_eq(c->d_model, 12);
    ck_assert_int_eq(c->n_layers, 2);
    ck_assert(c->heads[1] == 3 && c->kv_heads[1] == 3 && c->d_k[1] == 4 && c->d_v[1] == 4);
    ck_assert_int_eq(c->d_ff, 20);
    ck_assert_int_eq(c->position_offset, 2);
    ck_assert_int_eq(c->max_length, 58);
    ck_assert_int_eq(c->token_types, 1);
    ck_assert_int_eq(c->targets, 3);
    ck_assert_int_eq(c->activation, HL_RELU);
    ck_assert_int_eq(c->pooling, HL_POOLING_ROWS);
    ck_assert_int_eq(c->pooler, HL_POOLER_TANH);
    ck_assert(c->norm == HL_NORM_POST && c->embedding_norm && c->unscaled_embedding && c->bias && !c->causal);
    ck_assert(!c->tie_embedding && c->head == HL_HEAD_LINEAR);
    static const double p = 0.1;
    ck_assert(c->dropout_residual == p && c->dropout_embedding == p && c->dropout_attention == p);
    ck_assert(c->dropout_pooler == p && c->dropout_output == p && c->dropout_ffn == 0);
    ck_assert(c->norm_epsilon == 1e-12 && c->initial_std == 0.05);
    ck_assert_ptr_nonnull(
        strstr(hl_pretrained_notices(folder)->bytes, "tokenizer.json: its truncation and padding are not used\n"));
    hl_pretrained_close(folder);

    folder = tiny_open("bert_classes");
    c = hl_pretrained_model(folder);
    ck_assert(c->dropout_pooler == 0 && c->dropout_output == p && c->activation == HL_GELU_TANH);
    ck_assert_uint_eq(hl_pretrained_notices(folder)->size, 0);
    hl_pretrained_close(folder);

    folder = tiny_open("distilbert_classes");
    c = hl_pretrained_model(folder);
    ck_assert(c->dropout_pooler == 0 && c->dropout_output == 0.2 && c->pooler == HL_POOLER_RELU);
    hl_pretrained_close(folder);

    folder = tiny_open("gpt2_next");
    c = hl_pretrained_model(folder);
    ck_assert(c->norm == HL_NORM_PRE && c->causal && c->tie_embedding && !c->embedding_norm && c->d_ff == 48);
    ck_assert(c->scale_residual && c->norm_epsilon == 1e-5 && c->activation == HL_GELU_TANH && c->token_types == 0);
    hl_pretrained_close(folder);
}

/* Fields of config.json that say that the output layer is another than ours, and what is left. */
static const struct {
    const char *model, *old, *new;
    hl_pretrained_head head;
} heads[] = {
    { "bert_masked", "BertForMaskedLM", "BertForPreTraining", HL_PRETRAINED_MASKED },
    { "bert_masked", "BertForMaskedLM", "BertForQuestionAnswering", HL_PRETRAINED_NONE },
    { "bert_masked", "BertForMaskedLM", "MyBertForMaskedLM", HL_PRETRAINED_NONE },
    { "bert_masked", "\"architectures\"", "\"others\"", HL_PRETRAINED_NONE },
    { "gpt2_next", "GPT2LMHeadModel", "GPT2Model", HL_PRETRAINED_NEXT },
    { "gpt2_next", "GPT2LMHeadModel", "GPT2DoubleHeadsModel", HL_PRETRAINED_NEXT },
    { "gpt2_next", "GPT2LMHeadModel", "GPT2ForSequenceClassification", HL_PRETRAINED_CLASSES },
    { "gpt2_next", "GPT2LMHeadModel", "GPT2ForMaskedLM", HL_PRETRAINED_NONE },
    { "bert_classes", "{", "{\"problem_type\": \"multi_label_classification\",", HL_PRETRAINED_NONE },
    { "bert_classes", "{", "{\"problem_type\": \"single_label_classification\",", HL_PRETRAINED_CLASSES },
};

LOOP_TEST(an_output_layer_of_another_kind_is_none, 0, ROWS(heads))
{
    const char *path = tiny_changed(heads[_i].model, "config.json", heads[_i].old, heads[_i].new);
    hl_pretrained *folder;
    CHECK_OK(hl_pretrained_open(path, &folder));
    ck_assert_int_eq(hl_pretrained_stored_head(folder), heads[_i].head);
    ck_assert_int_eq(hl_pretrained_model(folder)->head == HL_HEAD_NONE, heads[_i].head == HL_PRETRAINED_NONE);
    hl_pretrained_close(folder);
}

TEST(labels_without_names_have_those_that_they_have_there)
{
    const char *path = tiny_changed("bert_classes", "config.json", "\"id2label\"", "\"num_labels\": 3, \"labels\"");
    hl_pretrained *folder;
    const char *const *labels;
    CHECK_OK(hl_pretrained_open(path, &folder));
    ck_assert_int_eq(hl_pretrained_labels(folder, &labels), 3);
    ck_assert_str_eq(labels[2], "LABEL_2");
    hl_pretrained_close(folder);
}

/* ---- sentences ---- */

#define E20 "éééééééééééééééééééé" /* of two bytes each: 159 end within one */
static const struct {
    const char *file, *old, *new;
    hl_pretrained_sentence expected;
} sentences[] = {
    { NULL, NULL, NULL, { HL_SENTENCE_MEAN, true, 8, "" } },
    { "1_Pooling/config.json",
      "\"pooling_mode_cls_token\": false, \"pooling_mode_mean_tokens\": true",
      "\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": false",
      { HL_SENTENCE_FIRST, true, 8, "" } },
    { "1_Pooling/config.json", "pooling_mode_mean_tokens", "said_nothing_of", { HL_SENTENCE_MEAN, true, 8, "" } },
    { "1_Pooling/config.json",
      "\"pooling",
      "\"pooling_mode\": \"cls\", \"pooling",
      { HL_SENTENCE_FIRST, true, 8, "" } },
    { "1_Pooling/config.json",
      "\"pooling_mode_cls_token\": false",
      "\"pooling_mode_cls_token\": true",
      { .unsupported = "1_Pooling/config.json: mean" } },
    { "1_Pooling/config.json",
      "\"pooling_mode_mean_tokens\": true",
      "\"pooling_mode_mean_tokens\": false, \"pooling_mode_lasttoken\": true",
      { .unsupported = "1_Pooling/config.json: lasttoken" } },
    { "1_Pooling/config.json",
      "\"pooling_mode_mean_tokens\": true",
      "\"pooling_mode_mean_tokens\": false",
      { .unsupported = "1_Pooling/config.json: no pooling" } },
    { "modules.json", "1_Pooling", "9_Pooling", { .unsupported = "9_Pooling/config.json: is missing" } },
    { "modules.json",
      "models.Normalize",
      "models.Dense",
      { .unsupported = "modules.json: sentence_transformers.models.Dense" } },
    { "modules.json",
      "models.Pooling",
      "models.LSTM",
      { .unsupported = "modules.json: sentence_transformers.models.LSTM" } },
    { "modules.json",
      "sentence_transformers.models.Pooling",
      E20 E20 E20 E20 "x",
      { .unsupported = "modules.json: " E20 E20 E20 "ééééééééééé..." } },
    { "sentence_bert_config.json",
      "\"max_seq_length\": 8",
      "\"max_seq_length\": null",
      { HL_SENTENCE_MEAN, true, 0, "" } },
    { "sentence_bert_config.json",
      "\"do_lower_case\": false",
      "\"do_lower_case\": true",
      { .unsupported = "sentence_bert_config.json: do_lower_case" } },
};

static void assert_sentence(const hl_pretrained_sentence *found, const hl_pretrained_sentence *expected)
{
    ck_assert_str_eq(found->unsupported, expected->unsupported);
    ck_assert_int_eq(found->pooling, expected->pooling);
    ck_assert_int_eq(found->normalised, expected->normalised);
    ck_assert_int_eq(found->length, expected->length);
}

/* And a run's folder keeps it. */
LOOP_TEST(how_a_sentence_becomes_a_vector_is_read, 0, ROWS(sentences))
{
    const char *path = tiny_changed("bert_bare", sentences[_i].file, sentences[_i].old, sentences[_i].new);
    hl_pretrained *folder;
    CHECK_OK(hl_pretrained_open(path, &folder));
    hl_pretrained_sentence sentence = hl_pretrained_sentence_of(folder), kept;
    assert_sentence(&sentence, &sentences[_i].expected);
    CHECK_OK(hl_pretrained_sentence_save(&sentence, path));
    CHECK_OK(hl_pretrained_sentence_load(path, &kept));
    assert_sentence(&kept, &sentence);
    hl_pretrained_close(folder);
}

TEST(a_text_before_every_sentence_is_told)
{
    static const char config[] =
        "{\"prompts\": {\"query\": \"query: \", \"none\": \"\"}, \"default_prompt_name\": \"%s\"}";
    for (int i = 0; i < 2; i++) {
        char path[4200], text[200];
        snprintf(path, sizeof path, "%s/config_sentence_transformers.json",
                 tiny_changed("bert_bare", NULL, NULL, NULL));
        scratch_write(path, text, (size_t)snprintf(text, sizeof text, config, i == 0 ? "query" : "none"));
        *strrchr(path, '/') = '\0';
        hl_pretrained *folder;
        CHECK_OK(hl_pretrained_open(path, &folder));
        ck_assert_str_eq(hl_pretrained_sentence_of(folder).unsupported,
                         i == 0 ? "config_sentence_transformers.json: default_prompt_name" : "");
        hl_pretrained_close(folder);
    }
}

TEST(nothing_is_said_of_sentences)
{
    hl_pretrained_sentence sentence;
    hl_pretrained *folder = tiny_open("bert_masked");
    sentence = hl_pretrained_sentence_of(folder);
    assert_sentence(&sentence, &(hl_pretrained_sentence){ .pooling = HL_SENTENCE_UNKNOWN });
    CHECK_OK(hl_pretrained_sentence_load(tiny_folder("bert_masked"), &sentence));
    assert_sentence(&sentence, &(hl_pretrained_sentence){ .pooling = HL_SENTENCE_UNKNOWN });
    hl_pretrained_close(folder);
    static const char *const wrong[] = {
        "{}", "[", "{\"pooling\":\"max\",\"normalised\":true,\"length\":1,\"unsupported\":\"\"}"
    };
    for (int i = 0; i < 3; i++) {
        scratch_write(scratch_path("sentence.json"), wrong[i], strlen(wrong[i]));
        char path[4200];
        snprintf(path, sizeof path, "%s", scratch_path("sentence.json"));
        *strrchr(path, '/') = '\0';
        ck_assert_int_eq(hl_pretrained_sentence_load(path, &sentence).code, HL_BAD_FILE);
    }
}

/* ---- tokens ---- */

TEST(a_table_of_embeddings_may_have_rows_without_tokens)
{
    hl_pretrained *folder = tiny_open("bert_bare");
    ck_assert_int_eq(hl_tokens_size(hl_pretrained_tokens(folder)), 52);
    ck_assert_ptr_nonnull(strstr(hl_pretrained_notices(folder)->bytes,
                                 "vocab_size is 56, and the folder's tokens are 52: 4 vectors are no token's\n"));
    ck_assert_int_eq(hl_pretrained_model(folder)->vocabulary, 56);
    hl_pretrained_close(folder);
}

/* What tokenizer_config.json says beside a tokenizer.json in lower case; as transformers 4 and 5 cut "The cat". */
static const struct {
    const char *config;
    bool lowercase;
} cases[] = {
    { NULL, true },
    { "{\"do_lower_case\": true}", true },
    { "{\"do_lower_case\": false}", false },
    { "{\"do_lower_case\": false, \"tokenizer_class\": \"ElectraTokenizerFast\"}", false },
    { "{\"do_lower_case\": false, \"tokenizer_class\": \"PreTrainedTokenizerFast\"}", true },
};

LOOP_TEST(the_case_is_what_transformers_takes_it_for, 0, ROWS(cases))
{
    char path[4096];
    const char *copy = tiny_changed("bert_masked", NULL, NULL, NULL), *config = cases[_i].config;
    snprintf(path, sizeof path, "%s/tokenizer_config.json", copy);
    if (config != NULL) {
        scratch_write(path, config, strlen(config));
    }
    hl_pretrained *folder;
    CHECK_OK(hl_pretrained_open(copy, &folder));
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(hl_pretrained_tokens(folder), "The cat", 7, true, &pieces));
    const char *first = hl_tokens_piece(hl_pretrained_tokens(folder), pieces.at[0].id, NULL);
    ck_assert_str_eq(first, cases[_i].lowercase ? "the" : "[UNK]");
    bool told =
        strstr(hl_pretrained_notices(folder)->bytes, "tokenizer_config.json says otherwise, in the case as ") != NULL;
    ck_assert_int_eq(told, !cases[_i].lowercase);
    hl_pieces_free(&pieces);
    hl_pretrained_close(folder);
}

TEST(a_classifier_of_distilbert_has_a_dropout_of_its_own)
{
    hl_pretrained *folder;
    const char *path = tiny_changed("distilbert_classes", "config.json", "\"seq_classif_dropout\"", "\"another\"");
    CHECK_OK(hl_pretrained_open(path, &folder));
    ck_assert(hl_pretrained_model(folder)->dropout_output == 0.2);
    hl_pretrained_close(folder);
}

TEST(a_dropout_keeps_every_digit_that_a_float_needs)
{
    hl_pretrained *folder;
    const char *path = tiny_changed("bert_masked", "config.json", "\"hidden_dropout_prob\": 0.1",
                                    "\"hidden_dropout_prob\": 0.000105000014"); /* 8 digits give another float */
    CHECK_OK(hl_pretrained_open(path, &folder));
    ck_assert(hl_pretrained_model(folder)->dropout_residual == (double)0.000105000014f);
    hl_pretrained_close(folder);
}

TEST(what_modernbert_drops_and_training_does_not_is_told)
{
    hl_pretrained *folder;
    const char *path =
        tiny_changed("modernbert_masked", "config.json", "\"attention_dropout\": 0.0", "\"attention_dropout\": 0.1");
    CHECK_OK(hl_pretrained_open(path, &folder));
    ck_assert(hl_pretrained_model(folder)->dropout_attention == 0.1);
    ck_assert_ptr_nonnull(strstr(hl_pretrained_notices(folder)->bytes,
                                 "config.json: training drops no outputs of attention, only its weights\n"));
    hl_pretrained_close(folder);
}

/* The list is more than global_attn_every_n_layers, which this folder does not have. */
TEST(the_list_of_layers_tells_which_look_everywhere)
{
    hl_pretrained *folder;
    static const char types[] = "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", "
                                "\"sliding_attention\"], \"others\"";
    CHECK_OK(hl_pretrained_open(tiny_changed("modernbert_masked", "config.json", "\"layer_types\"", types), &folder));
    ck_assert_int_eq(hl_pretrained_model(folder)->global_every, 2);
    hl_pretrained_close(folder);
}

SUITE("open")
