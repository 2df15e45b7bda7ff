/* What is damaged, hostile or not supported is refused, naming file and tensor. */
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/pretrained/tiny.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 };

/* In a copy of the model's folder, `old` in `file` becomes `new`; then `of` is refused (NULL: `file`). */
static const struct {
    const char *model, *file, *old, *new, *of, *reason;
} changes[] = {
    /* config.json: what it is */
    { "bert_masked", "config.json", "\"bert\"", "\"t5\"", NULL,
      "model_type = t5 is not supported, only bert, distilbert, electra, roberta, xlm-roberta, camembert, gpt2, "
      "modernbert" },
    { "bert_masked", "config.json", "\"model_type\"", "\"kind\"", NULL, "has no model_type; it can be one of bert" },
    { "bert_masked", "config.json", "{", "[{", NULL, "" },
    { "bert_masked", "config.json", "{", "{\"is_decoder\": 1, \"a\": ", NULL, "" },
    /* fields that change the numbers */
    { "bert_masked", "config.json", "{", "{\"position_embedding_type\": \"relative_key\",", NULL,
      "position_embedding_type = relative_key is not supported, only absolute" },
    { "bert_masked", "config.json", "{", "{\"position_embedding_type\": 1,", NULL, "position_embedding_type" },
    { "bert_masked", "config.json", "{", "{\"pruned_heads\": {\"0\": [1]},", NULL, "pruned_heads are not supported" },
    { "bert_masked", "config.json", "{", "{\"quantization_config\": {},", NULL,
      "quantization_config is not supported" },
    { "bert_masked", "config.json", "\"is_decoder\": false", "\"is_decoder\": true", NULL,
      "is_decoder = true is not supported" },
    { "bert_masked", "config.json", "\"is_decoder\": false", "\"is_decoder\": 0", NULL,
      "is_decoder is neither true nor false" },
    { "bert_masked", "config.json", "\"add_cross_attention\": false", "\"add_cross_attention\": true", NULL,
      "add_cross_attention = true is not supported" },
    { "gpt2_next", "config.json", "\"scale_attn_by_inverse_layer_idx\": false",
      "\"scale_attn_by_inverse_layer_idx\": 1", NULL, "scale_attn_by_inverse_layer_idx is neither true nor false" },
    { "gpt2_next", "config.json", "\"reorder_and_upcast_attn\": false", "\"reorder_and_upcast_attn\": true", NULL,
      "reorder_and_upcast_attn = true is not supported" },
    { "gpt2_next", "config.json", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false", NULL,
      "scale_attn_weights = false is not supported" },
    { "bert_masked", "config.json", "\"gelu\"", "\"mish\"", NULL, "hidden_act = mish is not supported, only relu" },
    { "bert_masked", "config.json", "\"gelu\"", "7", NULL, "hidden_act = what stands here is not supported" },
    { "roberta_masked", "config.json", "\"gelu\"", "\"relu\"", NULL,
      "a head of masked tokens of roberta whose hidden_act is not gelu is not supported" },
    { "modernbert_masked", "config.json", "\"local_attention\": 4", "\"local_attention\": 0", NULL,
      "local_attention is no whole number from 1" },
    { "modernbert_masked", "config.json", "\"sliding_attention\",", "\"full_attention\",", NULL,
      "layer_types is supported only if full_attention is in every n-th layer" },
    { "modernbert_masked", "config.json", "\"full_attention\",", "\"sliding_attention\",", NULL,
      "layer_types is supported only if full_attention is in every n-th layer" },
    { "modernbert_masked", "config.json", "\"layer_types\": [", "\"layer_types\": 5, \"other\": [", NULL,
      "layer_types is no list of num_hidden_layers = 4" },
    { "modernbert_masked", "config.json", "\"sliding_attention\",", "", NULL,
      "layer_types is no list of num_hidden_layers = 4" },
    { "modernbert_masked", "config.json", "\"local_attention\": 4", "\"local_attention\": 1048577", NULL,
      "local_attention is above 1048576" },
    { "modernbert_masked", "config.json", "\"rope_type\": \"default\"", "\"type\": \"linear\"", NULL,
      "rotary positions are supported only as rope_type = default" },
    { "modernbert_masked", "config.json", "\"rope_type\": \"default\"", "\"rope_type\": 7", NULL,
      "rotary positions are supported only as rope_type = default" },
    { "modernbert_masked", "config.json", "\"sliding_attention\": {", "\"other\": {", NULL,
      "rotary positions are supported only as rope_type = default" },
    { "modernbert_masked", "config.json", "\"rope_theta\": 160000.0", "\"rope_theta\": \"9\"", NULL,
      "global_rope_theta is no number from 1 to 1e12" },
    { "modernbert_masked", "config.json", "\"rope_type\": \"default\"", "\"rope_type\": \"yarn\"", NULL,
      "rotary positions are supported only as rope_type = default" },
    { "modernbert_masked", "config.json", "{", "{\"rope_scaling\": {\"type\": \"linear\"},", NULL,
      "rotary positions are supported only as rope_type = default" },
    { "modernbert_masked", "config.json", "\"rope_theta\": 160000.0", "\"rope_theta\": 0.5", NULL,
      "global_rope_theta is no number from 1 to 1e12" },
    { "modernbert_masked", "config.json", "\"classifier_activation\": \"gelu\"", "\"classifier_activation\": \"relu\"",
      NULL, "classifier_activation = relu is not supported, only the function of hidden_activation" },
    { "modernbert_masked", "config.json", "\"classifier_activation\": \"gelu\"", "\"classifier_activation\": 3", NULL,
      "classifier_activation = what stands here is not supported" },
    { "modernbert_masked", "config.json", "\"decoder_bias\": true", "\"decoder_bias\": false", NULL,
      "decoder_bias = false is not supported" },
    { "modernbert_masked", "config.json", "\"mlp_bias\": false", "\"mlp_bias\": 1", NULL,
      "mlp_bias is neither true nor false" },
    { "modernbert_masked", "config.json", "\"mlp_bias\": false", "\"mlp_bias\": true", "model.safetensors",
      "has no tensor \"layers.0.mlp.Wi.bias\"" },
    { "modernbert_classes", "config.json", "\"classifier_pooling\": \"mean\"", "\"classifier_pooling\": \"max\"", NULL,
      "classifier_pooling = max is not supported, only cls and mean" },
    { "modernbert_masked", "config.json", "\"intermediate_size\": 20", "\"intermediate_size\": 10", "model.safetensors",
      "tensor \"model.layers.0.mlp.Wi.weight\" is (40, 12), and config.json makes it (20, 12)" },
    /* sizes */
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": 13", NULL,
      "hidden_size = 13 is no multiple of num_attention_heads = 3" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": -12", NULL,
      "hidden_size is no whole number from 1 to 1073741824" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": 12.5", NULL, "hidden_size is no whole" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": \"12\"", NULL, "hidden_size is no whole" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden\": 12", NULL, "has no hidden_size" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": 2147483648", NULL, "is no whole number" },
    { "bert_masked", "config.json", "\"hidden_size\": 12", "\"hidden_size\": 1073741823", NULL,
      "impossible shape (1073741823, 1073741823)" },
    { "bert_masked", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 257", NULL, "is above 256" },
    { "bert_masked", "config.json", "\"layer_norm_eps\": 1e-12", "\"layer_norm_eps\": 0", NULL,
      "layer_norm_eps is no number above 0" },
    { "bert_masked", "config.json", "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 1", NULL,
      "hidden_dropout_prob is no number from 0 to below 1" },
    { "roberta_masked", "config.json", "\"pad_token_id\": 1", "\"pad_token_id\": 59", NULL, "leaves no position" },
    /* labels */
    { "bert_classes", "config.json", "{", "{\"problem_type\": \"ranking\",", NULL,
      "problem_type is none of single_label_classification, multi_label_classification and regression" },
    { "bert_classes", "config.json", "\"1\": \"so so\"", "\"7\": \"so so\"", NULL, "id2label: the id 1 has no label" },
    { "bert_classes", "config.json", "\"id2label\": {", "\"id2label\": 3, \"b\": {", NULL, "id2label is no object" },
    /* counts that contradict the weights */
    { "bert_masked", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "model.safetensors",
      "has no tensor \"encoder.layer.2.attention.self.query.weight\"" },
    { "bert_masked", "config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", "model.safetensors",
      "tensor \"bert.encoder.layer.1.attention.self.query.weight\" is of a layer that config.json does not have "
      "(num_hidden_layers = 1)" },
    { "gpt2_next", "config.json", "\"n_layer\": 2", "\"n_layer\": 1", "model.safetensors",
      "is of a layer that config.json does not have (n_layer = 1)" },
    { "bert_masked", "config.json", "\"intermediate_size\": 20", "\"intermediate_size\": 24", "model.safetensors",
      "tensor \"bert.encoder.layer.0.intermediate.dense.weight\" is (20, 12), and config.json makes it (24, 12)" },
    { "gpt2_untied", "config.json", "\"n_inner\": 20", "\"n_inner\": 24", "model.safetensors",
      "tensor \"transformer.h.0.mlp.c_fc.weight\" is (12, 20), and config.json makes it (12, 24)" },
    { "bert_masked", "config.json", "\"max_position_embeddings\": 60", "\"max_position_embeddings\": 59",
      "model.safetensors", "position_embeddings.weight\" is (60, 12), and config.json makes it (59, 12)" },
    { "gpt2_untied", "config.json", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true",
      "model.safetensors", "differs from another that config.json makes the same (tie_word_embeddings)" },
    /* tokens */
    { "distilbert_masked", "vocab.txt", "\ncat\n", "\nthe\n", NULL, "" },
    { "bert_untied", "vocab.txt", "\ncat\n", "\n", "config.json",
      "vocab_size is 52, more than the folder's 51 tokens, which is supported only with tie_word_embeddings" },
    { "distilbert_masked", "vocab.txt", "\ncat\n", "\ncat\ncats\n", "config.json",
      "vocab_size is 52, and the folder's tokens are 53" },
    { "distilbert_masked", "vocab.txt", "[UNK]", "[UNC]", NULL, "" },
    { "distilbert_masked", "vocab.txt", "[CLS]", "[CLE]", NULL, "has no [CLS] or no [SEP], which stand around a text" },
    { "distilbert_masked", "vocab.txt", "[SEP]", "[SEQ]", NULL, "has no [CLS] or no [SEP], which stand around a text" },
    { "bert_bare", "config.json", "\"vocab_size\": 56", "\"vocab_size\": 180", NULL, "vocab_size is 180, and" },
    { "bert_bare", "config.json", "\"vocab_size\": 56", "\"vocab_size\": 179", "model.safetensors",
      "\"embeddings.word_embeddings.weight\" is (56, 12), and config.json makes it (179, 12)" },
    { "distilbert_masked", "tokenizer_config.json", "{", "{\"strip_accents\": false,", NULL, "strip_accents" },
    { "distilbert_masked", "tokenizer_config.json", "{", "{\"tokenize_chinese_chars\": false,", NULL,
      "tokenize_chinese" },
    { "distilbert_masked", "tokenizer_config.json", "{",
      "{\"added_tokens_decoder\": {\"52\": {\"content\": \"newtok\", \"special\": true}},", NULL,
      "added_tokens_decoder: newtok (id 52) needs a tokenizer.json with this token" },
    { "distilbert_masked", "tokenizer_config.json", "{",
      "{\"added_tokens_decoder\": {\"38\": {\"content\": \"cat\", \"special\": false}},", NULL,
      "added_tokens_decoder: cat (id 38) needs a tokenizer.json with this token" },
    { "distilbert_masked", "tokenizer_config.json", "{",
      "{\"added_tokens_decoder\": {\"39\": {\"content\": \"cat\", \"special\": true}},", NULL,
      "added_tokens_decoder: cat (id 39) needs a tokenizer.json with this token" },
    { "distilbert_masked", "tokenizer_config.json", "{", "{\"added_tokens_decoder\": {\"38\": {\"special\": true}},",
      NULL, "added_tokens_decoder: a token (id 38) needs a tokenizer.json with this token" },
    { "gpt2_next", "tokenizer_config.json", "{", "{\"add_prefix_space\": true,", NULL, "add_prefix_space" },
    { "roberta_masked", "vocab.json", "\"<s>\"", "\"<z>\"", NULL, "has no piece <s> or </s>" },
    { "bert_masked", "tokenizer.json", "BertNormalizer", "Lowercase", NULL, "Lowercase is not supported" },
    /* weights */
    { "bert_masked", "model.safetensors", "layer.1.output.dense.bias", "layer.1.output.dense.boas", NULL,
      "has no tensor \"encoder.layer.1.output.dense.bias\"" },
    { "bert_masked", "model.safetensors", "\"F32\"", "\"I32\"", NULL, "its dtype is I32; only" },
    { "bert_masked", "model.safetensors", "\"F32\"", "\"F16\"", NULL, "does not match its shape" },
    /* shards */
    { "electra_generator", "model.safetensors.index.json", "\"model-00001-of", "\"../x-00001-of", NULL,
      "lies in \"../x-00001-of" },
    { "electra_generator", "model.safetensors.index.json", "\"model-00001-of", "\"/tmp/model-00001-of", NULL,
      "which is no file of the folder" },
    { "electra_generator", "model.safetensors.index.json", "\"model-00001-of", "\"none-00001-of",
      "none-00001-of-00002.safetensors", "No such file" },
    { "electra_generator", "model.safetensors.index.json", "weight_map", "weights", NULL, "has no weight_map" },
    { "electra_generator", "model.safetensors.index.json", "\"electra.encoder.layer.0.output.dense.bias\"",
      "\"electra.encoder.layer.0.output.dense.boas\"", "model-00002-of-00002.safetensors",
      "has no tensor \"electra.encoder.layer.0.output.dense.boas\", which model.safetensors.index.json says" },
    /* sentences */
    { "bert_bare", "modules.json", "1_Pooling", "../1_Pooling", NULL, "the path of its pooling is none in the folder" },
    { "bert_bare", "sentence_bert_config.json", ": 8", ": \"8\"", NULL, "max_seq_length is no number of pieces" },
    { "bert_bare", "sentence_bert_config.json", ": 8", ": 1e300", NULL, "max_seq_length is no number of pieces" },
};

LOOP_TEST(a_folder_with_one_thing_wrong_is_refused, 0, ROWS(changes))
{
    const char *path = tiny_changed(changes[_i].model, changes[_i].file, changes[_i].old, changes[_i].new);
    tiny_refused(path, changes[_i].of != NULL ? changes[_i].of : changes[_i].file, changes[_i].reason);
}

/* Removes a file of the copy; what is refused then, and why. */
static const struct {
    const char *model, *file, *of, *reason;
} missing[] = {
    { "bert_masked", "config.json", "config.json", "is missing: no folder of a model" },
    { "bert_masked", "model.safetensors", "model.safetensors", "is missing, and so is model.safetensors.index.json" },
    { "bert_masked", "tokenizer.json", "tokenizer.json", "is missing, and so is vocab.txt" },
    { "modernbert_masked", "tokenizer.json", "tokenizer.json", "is missing" },
    { "xlm_roberta_masked", "tokenizer.json", "tokenizer.json",
      "is missing, and sentencepiece.bpe.model is not read; to write a tokenizer.json, load the folder with "
      "AutoTokenizer of transformers and save_pretrained" },
    { "gpt2_next", "vocab.json", "tokenizer.json", "is missing, and so are vocab.json and merges.txt" },
    { "gpt2_next", "merges.txt", "tokenizer.json", "is missing, and so are vocab.json and merges.txt" },
    { "electra_generator", "model-00002-of-00002.safetensors", "model-00002-of-00002.safetensors", "No such file" },
};

LOOP_TEST(a_missing_file_is_named, 0, ROWS(missing))
{
    const char *path = tiny_changed(missing[_i].model, NULL, NULL, NULL);
    char file[PATH];
    snprintf(file, sizeof file, "%s/%s", path, missing[_i].file);
    ck_assert_int_eq(unlink(file), 0);
    tiny_refused(path, missing[_i].of, missing[_i].reason);
}

TEST(added_tokens_want_a_tokenizer)
{
    hl_pretrained *folder;
    const char *path = tiny_changed("distilbert_masked", NULL, NULL, NULL);
    char file[PATH];
    snprintf(file, sizeof file, "%s/added_tokens.json", path);
    scratch_write(file, "{}", 2);
    CHECK_OK(hl_pretrained_open(path, &folder));
    hl_pretrained_close(folder);
    scratch_write(file, "{\"new\": 60}", 11);
    tiny_refused(path, "added_tokens.json", "adds 1 token, which needs a tokenizer.json");
    scratch_write(file, "{\"new\": 60, \"newer\": 61}", 24);
    tiny_refused(path, "added_tokens.json", "adds 2 tokens, which needs a tokenizer.json");
}

TEST(no_memory_is_asked_for_as_large_as_config_json_says)
{
    hl_pretrained *folder;
    const char *path =
        tiny_changed("bert_masked", "config.json", "\"intermediate_size\": 20", "\"intermediate_size\": 1073741824");
    hl_status status = hl_pretrained_open(path, &folder);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_null(folder);
}

TEST(weights_that_end_too_early_are_refused)
{
    const char *path = tiny_changed("bert_masked", NULL, NULL, NULL);
    char file[PATH];
    snprintf(file, sizeof file, "%s/model.safetensors", path);
    size_t size;
    char *content = scratch_read(file, &size);
    for (size_t cut = 1; cut < size; cut = cut * 3 + 1) {
        scratch_write(file, content, size - cut);
        tiny_refused(path, "model.safetensors", "");
    }
    free(content);
}

TEST(weights_that_are_no_numbers_are_refused)
{
    const char *path = tiny_changed("bert_masked", NULL, NULL, NULL);
    char file[PATH];
    snprintf(file, sizeof file, "%s/model.safetensors", path);
    size_t size;
    char *content = scratch_read(file, &size);
    static const unsigned char infinite[4] = { 0, 0, 0x80, 0x7F };
    memcpy(content + size - 4, infinite, 4);
    scratch_write(file, content, size);
    tiny_refused(path, "model.safetensors", "holds a number that is not finite");
    free(content);
}

TEST(too_many_shards_are_refused)
{
    const char *path = tiny_changed("electra_generator", NULL, NULL, NULL);
    char file[PATH];
    hl_text index = { 0 };
    hl_text_print(&index, "{\"weight_map\": {");
    for (int i = 0; i < 300; i++) {
        char shard[128];
        static const uint64_t size = 80;
        int n = snprintf(shard + 8, sizeof shard - 8,
                         "{\"%d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", i);
        memset(shard + 8 + n, ' ', size - (size_t)n);
        memcpy(shard, &size, 8);
        snprintf(file, sizeof file, "%s/%d.safetensors", path, i);
        scratch_write(file, shard, 8 + size);
        hl_text_print(&index, "%s\"%d\": \"%d.safetensors\"", i > 0 ? ", " : "", i, i);
    }
    hl_text_print(&index, "}}");
    snprintf(file, sizeof file, "%s/model.safetensors.index.json", path);
    scratch_write(file, index.bytes, index.size);
    hl_text_free(&index);
    tiny_refused(path, "model.safetensors.index.json", "names more than 256 files");
}

/* ---- what fails outside ---- */

/* Opens and loads all of a folder. */
static hl_status read_all(const char *path)
{
    hl_pretrained *folder;
    hl_model model = { 0 };
    hl_pretrained_loaded loaded = { 0 };
    hl_status status = hl_pretrained_open(path, &folder);
    if (status.code == HL_OK) {
        status = hl_model_init(&model, hl_pretrained_model(folder));
        HL_THEN(status, hl_model_reserve(&model, HL_MODEL_EVALUATED));
        HL_THEN(status, hl_pretrained_load(folder, &model, &loaded));
    }
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_pretrained_close(folder);
    return status;
}

static const char *const read_whole[] = { "bert_bare", "bert_classes", "electra_generator", "gpt2_next" };

LOOP_TEST(no_failing_call_is_missed, 0, ROWS(read_whole))
{
    const char *path = tiny_folder(read_whole[_i]);
    faults_begin();
    CHECK_OK(read_all(path));
    faults_in_files(0, FAULTS_ONCE, 0);
    CHECK_OK(read_all(path));
    int calls = faults_file_calls(), harmless = 0;
    for (int n = 1; n <= calls; n++) {
        faults_in_files(n, FAULTS_ONCE, 5);
        hl_status status = read_all(path);
        const faults_failure *failure;
        ck_assert_int_eq(faults_failures(&failure), 1);
        harmless += status.code == HL_OK;
        ck_assert_msg(status.code == (failure->call == FAULTS_CLOSE ? HL_OK : HL_BAD_FILE), "call %d (%s): %s", n,
                      faults_call_name(failure->call), status.text);
        ck_assert_int_eq(faults_open_files(), 0);
    }
    ck_assert_int_gt(calls, harmless);
    faults_end();
}

LOOP_TEST(no_failing_allocation_is_missed, 0, ROWS(read_whole))
{
    const char *path = tiny_folder(read_whole[_i]);
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        fault_checks_turn(read_all(path));
        ck_assert_int_eq(faults_open_files(), 0);
    }
    faults_end();
}

SUITE("refused")
