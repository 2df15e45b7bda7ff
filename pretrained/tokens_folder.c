/* The folder's tokens: tokenizer.json, else vocab.txt, else vocab.json and merges.txt; these with what
 * tokenizer_config.json says. */
#include "core/base/memory.h"
#include "core/files/folders.h"
#include "data/text/tokens_file.h"
#include "pretrained/private/folder.h"

#include <stdio.h>
#include <string.h>

/* How a flag of tokenizer_config.json is set; one that is missing or null as `otherwise`. */
static bool flag(const json_t *config, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(config, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* What tokenizer_config.json may say and the readers of vocab.txt and vocab.json do not know. */
static hl_status check_config(const hl_pretrained *folder, const json_t *config, bool lowercase)
{
    static const char name[] = "tokenizer_config.json";
    if (flag(config, "strip_accents", lowercase) != lowercase) {
        return hl_pretrained_error(folder, name, "strip_accents that is not do_lower_case needs a tokenizer.json");
    }
    if (!flag(config, "tokenize_chinese_chars", true)) {
        return hl_pretrained_error(folder, name, "tokenize_chinese_chars = false needs a tokenizer.json");
    }
    if (flag(config, "add_prefix_space", false)) {
        return hl_pretrained_error(folder, name, "add_prefix_space = true needs a tokenizer.json");
    }
    return hl_ok();
}

/* Tokens that were added to those of the other files, which only a tokenizer.json tells the rules of. */
static hl_status check_added(const hl_pretrained *folder)
{
    static const char name[] = "added_tokens.json";
    json_t *added = NULL;
    HL_TRY(hl_pretrained_read_json(folder->path, name, &added));
    size_t n = json_object_size(added);
    json_decref(added);
    return n == 0 ? hl_ok()
                  : hl_pretrained_error(folder, name, "adds %zu token%s, which needs a tokenizer.json", n,
                                        n == 1 ? "" : "s");
}

/* tokenizer_config.json lists all added tokens, those of other files, too; vocabularies have special ones alone. */
static hl_status check_decoder(const hl_pretrained *folder, const json_t *config, bool tokenizer)
{
    const char *id;
    json_t *token;
    json_object_foreach(json_object_get(config, "added_tokens_decoder"), id, token)
    {
        const char *text = json_string_value(json_object_get(token, "content"));
        int32_t known = text != NULL ? hl_tokens_find(folder->tokens, text, strlen(text)) : -1;
        char same[16];
        snprintf(same, sizeof same, "%d", known);
        if (strcmp(id, same) != 0 || (!tokenizer && json_is_false(json_object_get(token, "special")))) {
            return hl_pretrained_error(folder, "tokenizer_config.json",
                                       "added_tokens_decoder: %s (id %s) needs a tokenizer.json with this token",
                                       text != NULL ? text : "a token", id);
        }
    }
    return hl_ok();
}

/* Whether transformers makes the tokens of a class that takes BERT's rules out of tokenizer_config.json, whatever
 * tokenizer.json says. */
static bool has_bert_class(const hl_pretrained *folder, const json_t *config)
{
    static const char *const classes[] = { "BertTokenizer",           "BertTokenizerFast", "DistilBertTokenizer",
                                           "DistilBertTokenizerFast", "ElectraTokenizer",  "ElectraTokenizerFast" };
    const char *name = json_string_value(json_object_get(config, "tokenizer_class"));
    bool found = name == NULL && folder->kind->tokens == HL_KIND_VOCABULARY;
    for (size_t i = 0; name != NULL && i < sizeof classes / sizeof *classes; i++) {
        found = found || strcmp(name, classes[i]) == 0;
    }
    return found;
}

/* A vocab.txt without the tokens that stand around a text would give the model texts that it never saw. */
static hl_status load_vocabulary(hl_pretrained *folder, const char *path, bool lowercase)
{
    HL_TRY(hl_tokens_load_vocabulary(path, lowercase, &folder->tokens));
    bool wraps = hl_tokens_role(folder->tokens, HL_ROLE_CLS) >= 0 && hl_tokens_role(folder->tokens, HL_ROLE_SEP) >= 0;
    return wraps ? hl_ok() : hl_error(HL_BAD_FILE, "%s: has no [CLS] or no [SEP], which stand around a text", path);
}

static hl_status load_tokenizer(hl_pretrained *folder, const json_t *config, const char *path)
{
    bool cuts, changed = false, lowercase = flag(config, "do_lower_case", true);
    HL_TRY(hl_tokens_load_tokenizer(path, &folder->tokens, &cuts));
    if (cuts) {
        hl_text_print(&folder->notices, "%s: its truncation and padding are not used\n", path);
    }
    if (has_bert_class(folder, config)) {
        HL_TRY(hl_tokens_set_bert_rules(folder->tokens, lowercase, flag(config, "strip_accents", lowercase),
                                        flag(config, "tokenize_chinese_chars", true), &changed));
    }
    if (changed) {
        hl_text_print(&folder->notices,
                      "%s: its normalizer is not used where tokenizer_config.json says otherwise, %s\n", path,
                      lowercase ? "in lower case" : "in the case as it stands");
    }
    return hl_text_status(&folder->notices);
}

/* The files' paths, in the order in which they are looked for. */
enum { TOKENIZER, VOCABULARY, PIECES, MERGES, N_FILES };
static const char *const names[N_FILES] = { "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt" };

static hl_status load(hl_pretrained *folder, const json_t *config, char *const paths[N_FILES], const bool has[N_FILES])
{
    if (has[TOKENIZER]) {
        return load_tokenizer(folder, config, paths[TOKENIZER]);
    }
    if (folder->kind->tokens == HL_KIND_TOKENIZER) {
        return hl_pretrained_error(folder, "tokenizer.json", "is missing");
    }
    if (folder->kind->tokens == HL_KIND_SENTENCEPIECE) {
        return hl_pretrained_error(folder, "tokenizer.json",
                                   "is missing, and sentencepiece.bpe.model is not read; to write a tokenizer.json, "
                                   "load the folder with AutoTokenizer of transformers and save_pretrained");
    }
    bool lowercase = flag(config, "do_lower_case", true);
    HL_TRY(check_config(folder, config, lowercase));
    HL_TRY(check_added(folder));
    bool bytes = folder->kind->tokens == HL_KIND_MERGES;
    if (!bytes && has[VOCABULARY]) {
        return load_vocabulary(folder, paths[VOCABULARY], lowercase);
    }
    if (bytes && has[PIECES] && has[MERGES]) {
        return hl_tokens_load_merges(paths[PIECES], paths[MERGES], folder->kind->positions_follow_padding,
                                     &folder->tokens);
    }
    return hl_pretrained_error(folder, "tokenizer.json", "is missing, and so %s",
                               bytes ? "are vocab.json and merges.txt" : "is vocab.txt");
}

/* Tables of embeddings may have rows that no token uses, to be a multiple of a number that computers like. */
static hl_status check_size(hl_pretrained *folder)
{
    enum { MOST_PADDING = 127 };
    int64_t n = hl_tokens_size(folder->tokens), V = folder->model.vocabulary;
    bool answers_tokens = folder->head == HL_PRETRAINED_MASKED || folder->head == HL_PRETRAINED_NEXT;
    if (n < V && answers_tokens && !folder->model.tie_embedding) {
        return hl_pretrained_error(
            folder, "config.json",
            "vocab_size is %lld, more than the folder's %lld tokens, which is supported only with "
            "tie_word_embeddings",
            (long long)V, (long long)n);
    }
    if (n == V) {
        return hl_ok();
    }
    if (n < V && n >= V - MOST_PADDING) {
        folder->heads[HL_PRETRAINED_MASKED].targets = folder->heads[HL_PRETRAINED_NEXT].targets = n;
        folder->model.targets = answers_tokens ? n : folder->model.targets;
        hl_text_shown(&folder->notices, folder->path);
        hl_text_print(
            &folder->notices,
            "/config.json: vocab_size is %lld, and the folder's tokens are %lld: %lld vectors are no token's\n",
            (long long)V, (long long)n, (long long)(V - n));
        return hl_text_status(&folder->notices);
    }
    return hl_pretrained_error(folder, "config.json", "vocab_size is %lld, and the folder's tokens are %lld",
                               (long long)V, (long long)n);
}

hl_status hl_pretrained_read_tokens(hl_pretrained *folder)
{
    char *paths[N_FILES] = { NULL };
    bool has[N_FILES] = { false };
    json_t *config = NULL;
    hl_status status = hl_pretrained_read_json(folder->path, "tokenizer_config.json", &config);
    for (int i = 0; i < N_FILES; i++) {
        paths[i] = hl_path_join(folder->path, "%s", names[i]);
        HL_THEN(status,
                paths[i] != NULL ? hl_pretrained_has(folder->path, names[i], &has[i]) : hl_error_memory(names[i]));
    }
    HL_THEN(status, load(folder, config, paths, has));
    HL_THEN(status, check_decoder(folder, config, has[TOKENIZER]));
    for (int i = 0; i < N_FILES; i++) {
        hl_free(paths[i]);
    }
    json_decref(config);
    HL_TRY(status);
    return check_size(folder);
}
