#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"
#include "train/config_keys.h"

#include <math.h>

/* Random numbers for the tests below. */
typedef struct dice {
    hl_random random;
    uint64_t position;
} dice;

static int64_t roll(dice *d, int64_t from, int64_t to)
{
    return from + (int64_t)hl_random_below(d->random, d->position++, (uint32_t)(to - from + 1));
}

/* A number of the key's range, of any magnitude; with all digits that a double can have. */
static double roll_real(dice *d, const hl_config_key *key)
{
    double least = key->least > 0 ? key->least : key->most * 1e-12;
    double value = least * pow(key->most / least, (double)roll(d, 0, 1000000) / 1000000);
    return roll(d, 0, 9) == 0 || value > key->most ? key->most : value;
}

static void roll_value(dice *d, const hl_config_key *key, int64_t layers, char *text, size_t size)
{
    int64_t most = (int64_t)(key->most < 1e9 ? key->most : 1e9);
    size_t used = 0;
    switch (key->type) {
    case HL_CONFIG_PER_LAYER:
        for (int64_t l = 0, n = roll(d, 0, 1) ? layers : 1; l < n; l++) {
            int64_t value = key->least > 0 || strstr(key->name, "d_") != NULL ? roll(d, 1, 9) : 1;
            used += (size_t)snprintf(text + used, size - used, l > 0 ? ", %d" : "%d", (int)value);
        }
        return;
    case HL_CONFIG_REAL:
        snprintf(text, size, "%.17g", roll_real(d, key));
        return;
    case HL_CONFIG_BOOLEAN:
        snprintf(text, size, "%s", roll(d, 0, 1) ? "on" : "no");
        return;
    case HL_CONFIG_CHOICE:
        snprintf(text, size, "%s", key->choices[roll(d, 0, hl_config_count_choices(key) - 1)]);
        return;
    case HL_CONFIG_STRING:
    case HL_CONFIG_PATH:
        snprintf(text, size, "/tmp/%d \xc3\xbc", (int)roll(d, 0, 999));
        return;
    case HL_CONFIG_STEPS:
    case HL_CONFIG_INTEGER:
        snprintf(text, size, "%lld", (long long)roll(d, (int64_t)key->least, most));
        return;
    }
}

/* Out of how many configs one has the key: those that exclude others would leave few valid ones. 0: none. */
static int64_t rarity(const hl_config_key *key)
{
    static const char *const never[] = { "accumulate", "leaves", "pooler", "dropout_pooler" };
    static const char *const seldom[] = { "head", "embedding_size", "position_offset" };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        if (strcmp(key->name, never[i]) == 0) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++) {
        if (strcmp(key->name, seldom[i]) == 0) {
            return 8;
        }
    }
    return 2;
}

/* A random value for about half of the keys. */
static void roll_config(dice *d, char *text, size_t size)
{
    int64_t layers = roll(d, 1, 6);
    size_t used = 0;
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (k == 0 || key->section != key[-1].section) {
            used += (size_t)snprintf(text + used, size - used, "[%s]\n", hl_config_sections[key->section].name);
        }
        char value[1024];
        roll_value(d, key, layers, value, sizeof value);
        if (strcmp(key->full, "train.off") == 0 || strcmp(key->full, "train.frozen") == 0) {
            snprintf(value, sizeof value, "L0H*@%d-", (int)roll(d, 0, 999));
        }
        if (strcmp(key->full, "model.layers") == 0) {
            used += (size_t)snprintf(text + used, size - used, "layers = %d\n", (int)layers);
        } else if (key->section != 0 && hl_config_key_used(key, "copy") && rarity(key) > 0 &&
                   roll(d, 1, rarity(key)) == 1) {
            used += (size_t)snprintf(text + used, size - used, "%s = %s\n", key->name, value);
        }
    }
}

TEST(a_resolved_config_resolves_to_itself)
{
    dice d = { .random = { .seed = 5, .stream = 1 } };
    int valid = 0;
    for (int i = 0; i < 2000; i++) {
        char text[8192];
        roll_config(&d, text, sizeof text);
        hl_config config, again;
        if (*config_problems(text, strlen(text), NULL, &config) != '\0') {
            continue;
        }
        valid++;
        char *resolved = hl_config_text(&config);
        config_parse(resolved, &again);
        ck_assert_mem_eq(&again, &config, sizeof config);
        ck_assert_ptr_null(hl_config_difference(&again, &config));
        hl_free(resolved);
    }
    ck_assert_int_ge(valid, 500);
}

/* A section's lines: one for each key that the task uses, in the order of the table, and no others. */
static void check_section(const char *text, const char *task, int section)
{
    const char *heading = scratch_format("[%s]\n", hl_config_sections[section].name);
    const char *line = strstr(text, heading);
    ck_assert_ptr_nonnull(line);
    line += strlen(heading);
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (key->section != section || !hl_config_key_used(key, task)) {
            continue;
        }
        size_t length = strlen(key->name);
        ck_assert_msg(strncmp(line, key->name, length) == 0 && strncmp(line + length, " = ", 3) == 0,
                      "%s does not stand at \"%.40s\"", key->full, line);
        line += strcspn(line, "\n") + 1;
    }
    ck_assert_msg(*line == '\n' || *line == '\0', "no key of [%s]: %.40s", hl_config_sections[section].name, line);
}

/* Every section as it is written. Of [model], which grows with each layer, the lines that are given, that follow from
 * these, and one default of each type; that every other key has its line is checked from the table. */
TEST(a_resolved_config_holds_what_was_given)
{
    hl_config config;
    config_parse("[task]\nname = recall\nsymbols = 20\n[model]\nlayers = 3\nheads = 4, 2, 4\ndropout = 0.1\nd_v = 3\n"
                 "[optimizer]\nlearning_rate = 3e-4\nepsilon = 0.00001\n[patterns]\nevery = log\n[train]\nout = a b\n",
                 &config);
    char *text = hl_config_text(&config);
    for (int section = 0; section < HL_CONFIG_SECTIONS; section++) {
        if (strcmp(hl_config_sections[section].name, "tokens") != 0) {
            check_section(text, "recall", section);
        }
    }
    static const char *const parts[] = {
        "[task]\nname = recall\nsymbols = 20\npairs = 8\nqueries = 4\n\n[model]\n",
        "[model]\nlayers = 3\nd_model = 64\n",
        "\nheads = 4, 2, 4\nkv_heads = 4, 2, 4\nd_k = 16, 32, 16\nd_v = 3\nd_ff = 256\nfeed_forward = "
        "usual\nactivation = relu\n",
        "\nnorm_eps = 1e-05\n",
        "\nmax_length = 21\n",
        "\ncausal = false\n",
        "\ndropout = 0.1\ndropout_attention = 0.1\ndropout_concat = 0\ndropout_residual = 0.1\ndropout_ffn = 0.1\n",
        "\nbias = true\n",
        "\n\n[optimizer]\nname = adam\nlearning_rate = 0.0003\nschedule = cosine\nmin_rate = 0\nwarmup_steps = 20\n"
        "beta1 = 0.9\nbeta2 = 0.98\nepsilon = 1e-05\nweight_decay = 0\nclip_norm = 1\n"
        "label_smoothing = 0\naccumulate = 1\n\n"
        "[train]\nsteps = 1000\nbatch_size = 64\nseed = 1\nthreads = 0\nlog_every = 10\n"
        "eval_every = 50\neval_examples = 512\ncheckpoint_every = 100\nkeep_checkpoints = 0\n"
        "patience = 0\nleaves = 1\nprecision = float\ntensorboard = false\noff = \nfrozen = \nfrom = \nweights = \nout "
        "= a b\n\n"
        "[patterns]\nevery = log\nexamples = 32\nbudget_mb = 256\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no \"%s\" in \"%s\"", parts[i], text);
    }
    hl_free(text);
}

/* Another valid value of each key; those of [task] go with task.name = shift, recall or ngram. */
static const struct {
    const char *base, *change;
    bool may_change;
} changes[] = {
    { "[task]\n", "task.name=sort", false },
    { "[task]\n", "task.symbols=17", false },
    { "[task]\n", "task.length=9", false },
    { "[task]\n", "task.min_length=9", false },
    { "[task]\nname = shift\n", "task.shift=2", false },
    { "[task]\nname = recall\n", "task.pairs=7", false },
    { "[task]\nname = recall\n", "task.queries=3", false },
    { "[task]\nname = ngram\n", "task.order=4", false },
    { "", "model.heads=4,2", false },
    { "", "model.kv_heads=4,2", false },
    { "", "model.d_v=9", false },
    { "", "model.dropout=0.1", false },
    { "", "model.embedding_size=8", false },
    { "", "model.feed_forward=none", false },
    { "", "model.positions=rotary", false },
    { "", "model.embedding_norm=true", false },
    { "[model]\npositions = learned\n", "model.position_offset=2", false },
    { "", "model.token_types=2", false },
    { "", "model.head=transform", false },
    { "", "model.dropout_output=0.1", false },
    { "[task]\nname = classes\nfile = a\n", "model.pooler=tanh", false },
    { "[task]\nname = classes\nfile = a\n[model]\npooler = relu\n", "model.dropout_pooler=0.1", false },
    { "", "optimizer.beta1=0.9000000000000001", false },
    { "", "model.layers=1", false },
    { "", "model.d_model=8", false },
    { "", "model.d_k=9", false },
    { "", "model.d_ff=9", false },
    { "", "model.activation=gelu", false },
    { "", "model.norm=post", false },
    { "", "model.max_length=99", false },
    { "", "model.causal=true", false },
    { "", "model.dropout_attention=0.3", false },
    { "", "model.dropout_concat=0.3", false },
    { "", "model.dropout_residual=0.3", false },
    { "", "model.dropout_ffn=0.3", false },
    { "", "model.dropout_embedding=0.3", false },
    { "", "model.bias=false", false },
    { "", "model.tie_embedding=true", false },
    { "", "optimizer.name=adamw", false },
    { "", "optimizer.learning_rate=1", false },
    { "", "optimizer.schedule=noam", false },
    { "", "optimizer.warmup_steps=7", false },
    { "", "optimizer.beta2=0.9", false },
    { "", "optimizer.epsilon=1e-7", false },
    { "", "optimizer.weight_decay=0.1", false },
    { "", "optimizer.clip_norm=2", false },
    { "", "optimizer.label_smoothing=0.3", false },
    { "", "optimizer.accumulate=2", false },
    { "", "train.batch_size=32", false },
    { "", "train.seed=2", false },
    { "", "train.eval_examples=2", false },
    { "", "train.off=L0H1@0-9", false },
    { "", "train.frozen=L0H1", false },
    { "", "train.precision=bf16", false },
    { "", "model.attention=keep", true },
    { "", "train.threads=2", true },
    { "", "train.steps=2", true },
    { "", "train.eval_every=2", true },
    { "", "train.log_every=2", true },
    { "", "train.tensorboard=true", true },
    { "", "train.checkpoint_every=2", true },
    { "", "train.keep_checkpoints=2", true },
    { "", "train.patience=2", true },
    { "", "train.out=two", true },
    { "", "train.from=two", true },
    { "", "train.weights=two", true },
    { "[task]\nname = tags\n", "model.vocabulary=99", false },
    { "[task]\nname = tags\n", "task.file=two", true },
    { "[task]\nname = tags\n", "task.validation_file=two", true },
    { "[task]\nname = tags\n", "task.cache=two", true },
    { "[task]\nname = tags\n", "tokens.vocabulary=two.txt", true },
    { "[task]\nname = next\n", "task.line_mb=2", true },
    { "[task]\nname = tags\n", "task.column=XPOS", false },
    { "[task]\nname = tags\n[tokens]\nkind = bpe\n", "task.prefix_space=true", false },
    { "[task]\nname = tags\n", "task.validation_share=0.2", false },
    { "[task]\nname = tags\n", "task.content=0123456789abcdef-0", false },
    { "[task]\nname = tags\n", "tokens.kind=bpe", false },
    { "[task]\nname = tags\n", "train.length_window=640", false },
    { "", "patterns.every=2", true },
    { "", "patterns.examples=2", true },
    { "", "patterns.budget_mb=2", true },
    { "[task]\nname = tags\n", "patterns.file=x", true },
    { "[task]\nname = tags\n", "patterns.treebank=x", true },
};

LOOP_TEST(a_resumed_run_may_change_these_keys_and_no_others, 0, sizeof changes / sizeof changes[0])
{
    hl_config base, other;
    config_parse(changes[_i].base, &base);
    const char *const overrides[CONFIG_OVERRIDES] = { changes[_i].change };
    ck_assert_str_eq(config_problems(changes[_i].base, strlen(changes[_i].base), overrides, &other), "");
    ck_assert_mem_ne(&base, &other, sizeof base);
    const char *full = hl_config_difference(&base, &other);
    if (changes[_i].may_change) {
        ck_assert_ptr_null(full);
    } else {
        ck_assert_ptr_nonnull(full);
        ck_assert_str_eq(full, scratch_format("%.*s", (int)strcspn(changes[_i].change, "="), changes[_i].change));
    }
}

TEST(no_other_key_may_change_on_resuming)
{
    int n = 0;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        n += changes[i].may_change;
    }
    for (int k = 0; k < hl_config_n_keys; k++) {
        n -= hl_config_keys[k].may_change;
    }
    ck_assert_int_eq(n, 0);
}

TEST(the_table_is_sound)
{
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        const char *section = hl_config_sections[key->section].name;
        const char *full = scratch_format("%s.%s", section, key->name);
        ck_assert_str_eq(key->full, full);
        ck_assert_ptr_eq(hl_config_key_at(key->offset), key); /* no two keys share a field */
        ck_assert(k == 0 || key->section >= key[-1].section);
        size_t length = strlen(key->help);
        ck_assert_msg(length > 0 && key->help[length - 1] == '.', "%s: help ends in a full stop", full);
        ck_assert_ptr_null(strpbrk(key->help, "|<>"));
    }
    const hl_config_key *name = &hl_config_keys[0];
    for (int i = 0; hl_task_at(i) != NULL; i++) {
        ck_assert_ptr_nonnull(name->choices[i]);
        ck_assert_str_eq(name->choices[i], hl_task_at(i)->name);
        for (int j = 0; hl_task_at(i)->keys[j] != NULL; j++) {
            bool known = false;
            for (int k = 0; hl_config_keys[k].section == 0; k++) {
                known = known || strcmp(hl_config_keys[k].name, hl_task_at(i)->keys[j]) == 0;
            }
            ck_assert_msg(known, "task %s reads the unknown key %s", name->choices[i], hl_task_at(i)->keys[j]);
        }
    }
}

TEST(every_task_is_valid_by_its_name_alone)
{
    for (int i = 0; hl_task_at(i) != NULL; i++) {
        const char *text = scratch_format("[task]\nname = %s\n", hl_task_at(i)->name);
        hl_config config;
        config_parse(text, &config);
        hl_task_spec spec = hl_config_task_spec(&config);
        CHECK_OK(hl_task_check(&spec));
        ck_assert_int_eq(config.model.max_length, hl_task_sizes_of(&spec).longest);
    }
}

TEST(help_and_reference_name_every_key_and_help_fits_a_terminal)
{
    char *help = hl_config_help();
    char *reference = hl_config_reference();
    for (int k = 0; k < hl_config_n_keys; k++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s ", hl_config_keys[k].name);
        ck_assert_ptr_nonnull(strstr(help, line));
        snprintf(line, sizeof line, "\n| `%s` | ", hl_config_keys[k].name);
        ck_assert_ptr_nonnull(strstr(reference, line));
    }
    for (const char *line = help; *line != '\0'; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        ck_assert_uint_le(length, 80);
        ck_assert(length == 0 || line[length - 1] != ' ');
    }
    ck_assert_ptr_nonnull(strstr(help, "  heads               integer, 1 .. 1024; or one per layer, such as 4, 2, 8\n"
                                       "                      (default: 4)\n"
                                       "                      The number of attention heads.\n"));
    ck_assert_ptr_nonnull(strstr(help, "For shift.\n"));
    ck_assert_ptr_nonnull(strstr(help, "\n[patterns]  Snapshots of every head's attention weights.\n"));
    ck_assert_ptr_nonnull(strstr(reference, "\n| `norm` | pre, post | `pre` | "));
    hl_free(help);
    hl_free(reference);
}

static char *text_of_default(void)
{
    hl_config config;
    config_parse("", &config);
    return hl_config_text(&config);
}

TEST(texts_are_whole_or_not_there_when_memory_runs_out)
{
    char *(*const make[])(void) = { text_of_default, hl_config_help, hl_config_reference };
    for (int i = 0; i < 3; i++) {
        char *whole = make[i]();
        faults_begin();
        bool failed = true;
        for (int n = i == 0 ? 2 : 1; failed; n++) { /* the first of text_of_default is the test's own */
            faults_in_memory(n, FAULTS_ONCE);
            char *text = make[i]();
            failed = faults_allocations() >= n;
            ck_assert(failed == (text == NULL));
            if (text != NULL) {
                ck_assert_str_eq(text, whole);
            }
            hl_free(text);
            ck_assert_int_eq(faults_live_blocks(), 0);
        }
        faults_end();
        hl_free(whole);
    }
}

/* Changes one to four places: a bit, a byte, bytes dropped or doubled, a line moved to the end. */
static size_t mutate(dice *d, char *text, size_t size)
{
    for (int64_t n = roll(d, 1, 4); n > 0 && size > 8; n--) {
        size_t at = (size_t)roll(d, 0, (int64_t)size - 1);
        size_t count = (size_t)roll(d, 1, 8);
        count = count < size - at ? count : size - at;
        switch (roll(d, 0, 4)) {
        case 0:
            text[at] ^= (char)(1 << roll(d, 0, 7));
            break;
        case 1:
            text[at] = "=[]#;,.\n\r\t -+0189eE"[roll(d, 0, 18)];
            break;
        case 2:
            memmove(text + at, text + at + count, size - at - count);
            size -= count;
            break;
        case 3:
            memmove(text + at + count, text + at, size - at);
            size += count;
            break;
        default:
            text[at] = (char)roll(d, 0, 255);
            break;
        }
    }
    return size;
}

LOOP_TEST(no_damage_to_a_config_goes_unanswered, 0, 4)
{
    char *whole = text_of_default();
    size_t size = strlen(whole);
    dice d = { .random = { .seed = 6, .stream = (uint32_t)_i } };
    int valid = 0;
    for (int i = 0; i < 6000; i++) {
        char text[8192];
        memcpy(text, whole, size);
        size_t damaged = mutate(&d, text, size);
        hl_config config, again;
        if (*config_problems(text, damaged, NULL, &config) == '\0') {
            valid++;
            char *resolved = hl_config_text(&config);
            config_parse(resolved, &again);
            ck_assert_mem_eq(&again, &config, sizeof config);
            hl_free(resolved);
        }
    }
    ck_assert_int_gt(valid, 50);
    ck_assert_int_lt(valid, 4000);
    hl_free(whole);
}

TEST(noise_is_answered_too)
{
    dice d = { .random = { .seed = 7 } };
    for (int i = 0; i < 2000; i++) {
        char text[512];
        size_t size = (size_t)roll(&d, 1, sizeof text);
        for (size_t j = 0; j < size; j++) {
            text[j] = (char)roll(&d, 0, 255);
        }
        text[0] = 'x'; /* not a comment, so that there is something to answer */
        hl_config config;
        ck_assert_str_ne(config_problems(text, size, NULL, &config), "");
        text[size - 1] = '\0';
        const char *const overrides[CONFIG_OVERRIDES] = { text };
        ck_assert_str_ne(config_problems("", 0, overrides, &config), "");
    }
}

SUITE("config_write")
