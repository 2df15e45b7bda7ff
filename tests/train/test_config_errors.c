#include "data/task.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"
#include "train/config_keys.h"

#include <string.h>

#define TASK_BEFORE_OTHERS(name) #name ", "

/* A config, the lines that say what is wrong with it, and the overrides, if there are any. */
enum { TEXT, PROBLEMS, OVERRIDES };
static const char *const bad[][OVERRIDES + CONFIG_OVERRIDES] = {
    /* Lines that are none. */
    { "[model]\nheads 4\n", "x.ini:2: \"=\" is missing: a line is key = value, [section] or a comment\n" },
    { "A story\nof heads\n[note]\n[1] no key\n",
      "x.ini: this is a text, not a config\n"
      "x.ini: a config has sections and keys, such as a line \"[model]\" and below it \"heads = 4\"; begin with a copy "
      "of copy_task.ini\n" },
    { "[model\nheads = 4\n", "x.ini:1: \"]\" is missing\n" },
    { "[model] heads = 4\n", "x.ini:1: a section stands on a line of its own\n" },
    { "[model]\n= 4\n", "x.ini:2: the key before \"=\" is missing\n" },
    { "[model]\nheads =\n", "x.ini:2: model.heads: the value is missing\n" },
    { "[model]\nheads = # four\n", "x.ini:2: model.heads: the value is missing\n" },
    { "\xef\xbb\xbf[model]\nheads = 4\n",
      "x.ini:1: the file starts with a byte order mark: save it as UTF-8 without one\n" },
    { "[model]\nheads = 4\x01\n", "x.ini:2: control byte 0x01 in column 10\n" },
    { "[model]\nheads = \xfc\n", "x.ini:2: byte 0xfc in column 9 is not UTF-8\n" },

    /* Names that are none. */
    { "[modle]\nheads = 4\n", "x.ini:1: modle: unknown section (did you mean \"model\"?)\n" },
    { "[encoder]\nheads = 4\n", "x.ini:1: encoder: unknown section\n" },
    { "[model]\nheds = 4\n", "x.ini:2: model.heds: unknown key (did you mean \"heads\"?)\n" },
    { "[model]\nHeads = 4\n", "x.ini:2: model.Heads: unknown key (did you mean \"heads\"?)\n" },
    { "[model]\nn_heads = 4\n", "x.ini:2: model.n_heads: unknown key (did you mean \"heads\"?)\n" },
    { "[model]\nlearning_rate = 1\n", "x.ini:2: model.learning_rate: unknown key (belongs to [optimizer])\n" },
    { "[model]\nlearnig_rate = 1\n",
      "x.ini:2: model.learnig_rate: unknown key (did you mean \"optimizer.learning_rate\"?)\n" },
    { "[model]\nxyzzy = 4\n", "x.ini:2: model.xyzzy: unknown key\n" },
    { "[model]\nh\xc3\xa4"
      "ds = 4\n",
      "x.ini:2: model.h\xc3\xa4"
      "ds: unknown key\n" },
    { "heads = 4\n[model]\n", "x.ini:1: heads: a key before any section (belongs to [model])\n" },
    { "xyzzy = 4\n", "x.ini:1: xyzzy: a key before any section\n" },

    /* What stands twice. */
    { "[model]\nheads = 4\nlayers = 1\nheads = 2\n", "x.ini:4: model.heads: given before, on line 2\n" },
    { "[model]\nheads = 4\n[task]\n[model]\nlayers = 1\n",
      "x.ini:4: [model]: the section was opened before, on line 1\n" },

    /* Values that are none. */
    { "[model]\nheads = four\n", "x.ini:2: model.heads: \"four\" is not an integer\n" },
    { "[model]\nlayers = 2x\n", "x.ini:2: model.layers: \"2x\" is not an integer\n" },
    { "[model]\nlayers = 2.0\n", "x.ini:2: model.layers: \"2.0\" is not an integer\n" },
    { "[model]\nlayers = +2\n", "x.ini:2: model.layers: \"+2\" is not an integer\n" },
    { "[model]\nlayers = -\n", "x.ini:2: model.layers: \"-\" is not an integer\n" },
    { "[model]\nlayers = 0x2\n", "x.ini:2: model.layers: \"0x2\" is not an integer\n" },
    { "[model]\nlayers = 0\n", "x.ini:2: model.layers: 0 is outside 1 .. 256\n" },
    { "[model]\nlayers = 257\n", "x.ini:2: model.layers: 257 is outside 1 .. 256\n" },
    { "[model]\nlayers = 99999999999999999999\n", "x.ini:2: model.layers: 99999999999999999999 is outside 1 .. 256\n" },
    { "[model]\nlayers = -99999999999999999999\n",
      "x.ini:2: model.layers: -99999999999999999999 is outside 1 .. 256\n" },
    { "[train]\nseed = -1\n", "x.ini:2: train.seed: -1 is outside 0 .. 1000000000000000\n" },
    { "[model]\ndropout = 1\n", "x.ini:2: model.dropout: 1 is outside 0 .. 0.99\n" },
    { "[model]\ndropout = .\n", "x.ini:2: model.dropout: \".\" is not a number\n" },
    { "[model]\ndropout = 0,1\n", "x.ini:2: model.dropout: \"0,1\" is not a number\n" },
    { "[model]\ndropout = nan\n", "x.ini:2: model.dropout: \"nan\" is not a number\n" },
    { "[model]\ndropout = inf\n", "x.ini:2: model.dropout: \"inf\" is not a number\n" },
    { "[model]\ndropout = 0x1p-3\n", "x.ini:2: model.dropout: \"0x1p-3\" is not a number\n" },
    { "[model]\ndropout = 1e\n", "x.ini:2: model.dropout: \"1e\" is not a number\n" },
    { "[optimizer]\nclip_norm = 1e999\n", "x.ini:2: optimizer.clip_norm: 1e999 is outside 0 .. 1000000000\n" },
    { "[optimizer]\nweight_decay = 1e-999\n",
      "x.ini:2: optimizer.weight_decay: \"1e-999\" is not 0, but too small to be told from it\n" },
    { "[optimizer]\nlearning_rate = 0\n", "x.ini:2: optimizer.learning_rate: 0 is outside 1e-12 .. 1000\n" },
    { "[model]\ncausal = maybe\n",
      "x.ini:2: model.causal: \"maybe\" is not true or false (yes, no, on, off, 1 and 0 also do)\n" },
    { "[model]\nnorm = poost\n", "x.ini:2: model.norm: \"poost\" is not one of pre, post (did you mean \"post\"?)\n" },
    { "[patterns]\nevery = lin\n", "x.ini:2: patterns.every: \"lin\" is not a number of steps or log\n" },
    { "[patterns]\nevery = -1\n", "x.ini:2: patterns.every: -1 is outside 0 .. 1000000000\n" },
    { "[model]\nheads = 4,,2\n", "x.ini:2: model.heads: a number is missing beside a comma\n" },
    { "[model]\nheads = 4, 2,\n", "x.ini:2: model.heads: a number is missing beside a comma\n" },
    { "[model]\nheads = 4 2\n", "x.ini:2: model.heads: \"4 2\" is not an integer\n" },
    { "[model]\nheads = 4, 0\n", "x.ini:2: model.heads: 0 is outside 1 .. 1024\n" },
    { "[model]\nnorm = "
      "a234567890b234567890c234567890d234567890e234567890f23456789\xc3\xbc"
      "1\n",
      "x.ini:2: model.norm: \"a234567890b234567890c234567890d234567890e234567890f23456789...\" is not one of pre, "
      "post\n" },

    /* Values that do not go together. */
    { "[task]\nname = copy\nshift = 1\n", "x.ini:3: task.shift: not used by task copy\n" },
    { "[task]\nname = recall\nlength = 9\n", "x.ini:3: task.length: not used by task recall\n" },
    { "[task]\nmin_length = 11\n", "x.ini:2: task.min_length = 11: must be from 1 to task.length = 10\n" },
    { "[task]\nname = copy\norder = 3\n", "x.ini:3: task.order: not used by task copy\n" },
    { "[task]\nname = ngram\nlength = 9\norder = 9\n", "x.ini:4: task.order: 9 is outside 2 .. 8\n" },
    { "[task]\nname = agreement\nsymbols = 9\n", "x.ini:3: task.symbols: not used by task agreement\n" },
    { "[task]\nname = agreement\nlength = 2\n", "x.ini:3: task.length = 2: must be from 3 to 65536\n" },
    { "[task]\nname = agreement\nlength = 24\nmin_length = 2\n",
      "x.ini:4: task.min_length = 2: must be from 3 to task.length = 24\n" },
    { "[task]\nname = recall\nqueries = 9\n", "x.ini:3: task.queries = 9: must be from 1 to task.pairs = 8\n" },
    { "[task]\nname = recall\nsymbols = 8\n",
      "x.ini: task.pairs = 8: task.symbols = 8 gives only 4 different keys (half of them); raise task.symbols to 16 or "
      "lower task.pairs\n" },
    { "[model]\nlayers = 3\nheads = 4, 2\n",
      "x.ini:3: model.heads: 2 numbers for 3 layers: give one, or one per layer\n" },
    { "[model]\nlayers = 1\nd_k = 4, 2\n", "x.ini:3: model.d_k: 2 numbers for 1 layer: give one, or one per layer\n" },
    { "[model]\nheads = 3\n",
      "x.ini:2: model.heads: d_model, 64, cannot be divided by 3 in layer 0: change one of them or give d_k and "
      "d_v\n" },
    { "[model]\nd_model = 66\n",
      "x.ini:2: model.heads: d_model, 66, cannot be divided by 4 in layer 0: change one of them or give d_k and "
      "d_v\n" },
    { "[model]\nheads = 4, 3\nd_k = 8\n",
      "x.ini:2: model.heads: d_model, 64, cannot be divided by 3 in layer 1: change one of them or give d_v\n" },
    { "[model]\nheads = 3\nd_v = 8\n",
      "x.ini:2: model.heads: d_model, 64, cannot be divided by 3 in layer 0: change one of them or give d_k\n" },
    { "[model]\nkv_heads = 3\n", "x.ini:2: model.kv_heads: 3 does not divide heads, 4, in layer 0\n" },
    { "[model]\nheads = 8, 4\nkv_heads = 8\n", "x.ini:3: model.kv_heads: 8 does not divide heads, 4, in layer 1\n" },
    { "[model]\nmax_length = 20\n", "x.ini:2: model.max_length: 20 is too short, the task needs 21\n" },
    { "[task]\nmin_length = 4\n[train]\neval_examples = 6\n",
      "x.ini:4: train.eval_examples: 6 is too few, the task needs 7: the validation set must hold every length from "
      "task.min_length to task.length\n" },
    { "[task]\nname = reverse\nlength = 513\nmin_length = 1\n[model]\nmax_length = x\n",
      "x.ini:6: model.max_length: \"x\" is not an integer\n"
      "x.ini:4: train.eval_examples: 512 is too few, the task needs 513: the validation set must hold every length "
      "from task.min_length to task.length\n" },
    { "[task]\nmin_length = 4\n",
      "command line: train.eval_examples: 1 is too few, the task needs 7: the validation set must hold every length "
      "from task.min_length to task.length\n",
      "train.eval_examples=1" },
    { "[task]\nmin_length = 4\n[train]\neval_examples = few\n",
      "x.ini:4: train.eval_examples: \"few\" is not an integer\n" },
    { "[model]\ntied_bias = true\n",
      "x.ini:2: model.tied_bias: nothing is tied: leave it out (model.bias says whether the output layer has one) or "
      "set model.tie_embedding = true\n" },
    { "[model]\ntie_embedding = true\ntied_bias = true\nhead = transform\n",
      "x.ini:3: model.tied_bias: leave it out: with model.head = transform model.bias says whether there is one\n" },
    { "[model]\nposition_offset = 2\n",
      "x.ini:2: model.position_offset: only learned positions stand in a table: leave it out or set model.positions = "
      "learned\n" },
    { "[model]\nembedding_size = 32\ntie_embedding = true\n",
      "x.ini:3: model.tie_embedding: the embedding's matrix is model.embedding_size wide, but the output layer reads "
      "model.d_model numbers: leave it out or set model.head = transform, which maps the one to the other\n" },
    { "[model]\npooler = tanh\n",
      "x.ini:2: model.pooler: is for task classes, which answers for a whole text: leave it out\n" },
    { "[task]\nname = classes\nfile = a\n[model]\ndropout_pooler = 0.1\n",
      "x.ini:5: model.dropout_pooler: there is no pooler: leave it out or set model.pooler\n" },
    { "[model]\nhead = none\ntie_embedding = true\ndropout_output = 0.5\n",
      "x.ini:3: model.tie_embedding: model.head = none leaves no output layer: leave one of them out\n"
      "x.ini:4: model.dropout_output: model.head = none leaves no output layer: leave one of them out\n" },
    { "[task]\nname = classes\nfile = a\n[model]\npooler = relu\nhead = none\n",
      "x.ini:5: model.pooler: model.head = none leaves no output layer: leave one of them out\n" },
    { "[model]\nhead = linaer\ntie_embedding = true\npositions = leraned\nposition_offset = 1\n",
      "x.ini:2: model.head: \"linaer\" is not one of linear, transform, none (did you mean \"linear\"?)\n"
      "x.ini:4: model.positions: \"leraned\" is not one of sinusoidal, learned, none, rotary (did you mean "
      "\"learned\"?)\n" },
    { "[optimizer]\nlearning_rate = 1e-4\nmin_rate = 2e-4\n",
      "x.ini:3: optimizer.min_rate: 0.0002 is above optimizer.learning_rate, 0.0001\n" },
    { "[optimizer]\naccumulate = 7\n", "x.ini:2: optimizer.accumulate: 7 does not divide train.batch_size, 64\n" },
    { "[optimizer]\naccumulate = 4\n[train]\nleaves = 32\n",
      "x.ini:4: train.leaves: 32 times optimizer.accumulate, 4, does not divide train.batch_size, 64\n" },
    { "[model]\nheads = 4, 2\n[train]\noff = L0H3@0-9, L1H2@5-\nfrozen = L0H1@9-9\n",
      "x.ini:4: train.off: \"L1H2\": no head 2 in layer 1; its heads are L1H0 .. L1H1\n"
      "x.ini:5: train.frozen: \"L0H1@9-9\": the first step must be below the second\n" },
    { "[train]\noff = L0H0@5\n",
      "x.ini:2: train.off: \"L0H0@5\": write steps as L0H0@FIRST-END, or L0H0@FIRST- for all steps from FIRST on\n"
      "command line: train.frozen: \"L0H0@-5\": write steps as L0H0@FIRST-END, or L0H0@FIRST- for all steps from FIRST "
      "on\n",
      "train.frozen=L0H0@-5", NULL },
    { "[task]\nname = tags\nprefix_space = true\n[tokens]\nkind = wrds\n",
      "x.ini:5: tokens.kind: \"wrds\" is not one of chars, bytes, words, wordpiece, bpe, unigram (did you mean "
      "\"words\"?)\n" },
    { "[task]\nname = markov\n[model]\ncausal = false\n",
      "x.ini:4: model.causal: must be true for task markov: the target of each token is the one after it\n" },
    { "[task]\nname = next\nfile = a\nlength = 0\n",
      "x.ini:4: task.length: must be 1 or more, the pieces of a window\n" },
    { "[task]\nname = file\nfile = a\n[tokens]\nkind = chars\n",
      "x.ini:5: tokens.kind: must be words for task file, whose tokens stand as they are\n" },
    { "[task]\nname = tags\nfile = a\n[train]\nlength_window = 100\n",
      "x.ini:5: train.length_window: 100 is no multiple of train.batch_size, 64\n" },
    { "[task]\nmin_length = x\n[train]\neval_examples = 6\n", "x.ini:2: task.min_length: \"x\" is not an integer\n" },
    { "[task]\nname = tags\nprefix_space = true\n[tokens]\nkind = words\n",
      "x.ini:3: task.prefix_space = true: the tokens are of kind words, and only bpe and unigram read spaces\n" },

    /* The command line. */
    { "",
      "command line: task.name: \"maksed\" is not one of " HL_TASKS(
          TASK_BEFORE_OTHERS) "masked, next, tags, classes, file (did you mean \"masked\"?)\n",
      "task.name=maksed" },
    { "", "command line: model.heds: unknown key (did you mean \"heads\"?)\n", "model.heds=3" },
    { "", "command line: modl: unknown section (did you mean \"model\"?)\n", "modl.heads=3" },
    { "", "command line: model.heads: not of the form section.key=value\n", "model.heads" },
    { "", "command line: heads: not of the form section.key=value (belongs to [model])\n", "heads=3" },
    { "", "command line: =3: not of the form section.key=value\n", "=3" },
    { "", "command line:  = 3: not of the form section.key=value\n", " = 3" },
    { "", "command line: .heads=3: not of the form section.key=value\n", ".heads=3" },
    { "", "command line: model.=3: not of the form section.key=value\n", "model.=3" },
    { "", "command line: model.heads: the value is missing\n", "model.heads=" },
    { "", "command line: model.heads: given twice\n", "model.heads=1", "model.heads=2" },
    { "", "command line: model.heads: 0 is outside 1 .. 1024\n", "model.heads=0" },
    { "",
      "command line: model.heads: d_model, 64, cannot be divided by 3 in layer 0: change one of them or give d_k and "
      "d_v\n",
      "model.heads=3" },
    { "[model]\nd_model = 66\n",
      "command line: model.heads: d_model, 66, cannot be divided by 4 in layer 0: change one of them or give d_k and "
      "d_v\n",
      "model.heads=4" },
    { "", "command line: train.out=a\\x0ab: control byte 0x0a in column 12\n", "train.out=a\nb" },
    { "", "command line: train.out=\"a: the value begins with \" and does not end with one\n", "train.out=\"a" },
    { "[train]\nout = \"\\n\"\n",
      "x.ini:2: in quotes, \\ stands before \" or \\ or, for any byte but 0, as in \\x0a\n" },
    { "[task]\nname = shift\nshift = 2\n", "x.ini:3: task.shift: not used by task sort\n", "task.name=sort" },

    /* Many at once; and what follows from a mistake is not reported. */
    { "[model]\nheads = 3\nlayers = x\n[train]\nbatch = 64\n[optimizer]\naccumulate = 5\nbeta1 = 2\n",
      "x.ini:3: model.layers: \"x\" is not an integer\n"
      "x.ini:5: train.batch: unknown key (did you mean \"batch_size\"?)\n"
      "x.ini:8: optimizer.beta1: 2 is outside 0 .. 0.999999\n"
      "command line: task.len: unknown key\n",
      "task.len=3" },
    { "[model]\nheads = 3\nkv_heads = 2\nmax_length = 5\n[optimizer]\naccumulate = 5\n[task]\npairs = 2\n",
      "x.ini:8: task.pairs: not used by task copy\n"
      "x.ini:4: model.max_length: 5 is too short, the task needs 21\n"
      "x.ini:3: model.kv_heads: 2 does not divide heads, 3, in layer 0\n"
      "x.ini:2: model.heads: d_model, 64, cannot be divided by 3 in layer 0: change one of them or give d_k and d_v\n"
      "x.ini:6: optimizer.accumulate: 5 does not divide train.batch_size, 64\n" },
    { "[model]\nlayers = x\nheads = 4, 2, 1\n", "x.ini:2: model.layers: \"x\" is not an integer\n" },
    { "[model]\nd_model =\nheads = 3\n", "x.ini:2: model.d_model: the value is missing\n" },
    { "[model]\nd_model: 66\nheads = 3\n",
      "x.ini:2: \"=\" is missing: a line is key = value, [section] or a comment\n" },
    { "[modle]\nd_model = 66\n", "x.ini:1: modle: unknown section (did you mean \"model\"?)\n", "model.heads=3" },
    { "[model]\nd_modle = 66\nheads = 3\n", "x.ini:2: model.d_modle: unknown key (did you mean \"d_model\"?)\n" },
};

LOOP_TEST(every_problem_has_its_line, 0, sizeof bad / sizeof bad[0])
{
    hl_config config;
    ck_assert_str_eq(config_problems(bad[_i][TEXT], strlen(bad[_i][TEXT]), &bad[_i][OVERRIDES], &config),
                     bad[_i][PROBLEMS]);
}

TEST(a_choice_that_is_none_is_told_all_there_are)
{
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (key->type != HL_CONFIG_CHOICE) {
            continue;
        }
        char expected[512];
        const char *section = hl_config_sections[key->section].name;
        const char *task = hl_config_key_used(key, "copy") ? ""
                           : key->section == 0             ? "name = masked\n"
                                                           : "[task]\nname = masked\n";
        const char *text = scratch_format("[%s]\n%s = xyzzy\n%s", section, key->name, task);
        size_t used = (size_t)snprintf(expected, sizeof expected, "x.ini:2: %s: \"xyzzy\" is not one of ", key->full);
        for (int i = 0; key->choices[i] != NULL; i++) {
            used +=
                (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? ", " : "", key->choices[i]);
        }
        snprintf(expected + used, sizeof expected - used, "\n");
        hl_config config;
        ck_assert_str_eq(config_problems(text, strlen(text), NULL, &config), expected);
    }
}

TEST(long_lines_and_lists_are_refused_whole)
{
    hl_config config;
    char text[2 * 4096] = "[model]\nlayers = 256\nheads = 4";
    for (int l = 1; l < 256; l++) {
        strcat(text, ", 4");
    }
    config_parse(text, &config);
    ck_assert_int_eq(config.model.heads[255], 4);
    strcat(text, ", 4");
    ck_assert_str_eq(config_problems(text, strlen(text), NULL, &config),
                     "x.ini:3: model.heads: more than 256 numbers\n");

    memset(text, ' ', sizeof text);
    ck_assert_str_eq(config_problems(text, 4097, NULL, &config), "x.ini:1: the line is longer than 4096 bytes\n");

    memset(text, 'x', sizeof text);
    memcpy(text, "train.out=", 10);
    text[4097] = '\0';
    const char *const longer[CONFIG_OVERRIDES] = { text };
    ck_assert_str_eq(config_problems("", 0, longer, &config), "command line: an override is longer than 4096 bytes\n");
    text[10 + HL_CONFIG_MAX_PATH] = '\0';
    ck_assert_str_eq(config_problems("", 0, longer, &config),
                     "command line: train.out: the path is longer than 999 bytes\n");
    text[10 + HL_CONFIG_MAX_PATH - 1] = '\0';
    ck_assert_str_eq(config_problems("", 0, longer, &config), "");
    ck_assert_str_eq(config.train.out, text + 10);
}

TEST(the_texts_of_a_config_are_bounded_together)
{
    hl_config config;
    char path[900] = "";
    memset(path, 'p', sizeof path - 1);
    const char *const one[CONFIG_OVERRIDES] = { scratch_format("task.file=%s", path) };
    const char *const two[CONFIG_OVERRIDES] = { one[0], scratch_format("task.validation_file=q%s", path) };
    ck_assert_str_eq(config_problems("[task]\nname = tags\n", 19, one, &config), "");
    ck_assert_str_eq(hl_config_string(&config, config.task.file), path);
    ck_assert_str_eq(config_problems("[task]\nname = tags\n", 19, two, &config),
                     "command line: task.validation_file: the paths and names of a config are longer than 1598 bytes "
                     "together\n");
}

TEST(an_empty_text_takes_the_place_of_another)
{
    hl_config config;
    const char *const empty[CONFIG_OVERRIDES] = { "task.file=\"\"" };
    ck_assert_str_eq(config_problems("[task]\nname = tags\nfile = a\n", 28, empty, &config), "");
    ck_assert_str_eq(hl_config_string(&config, config.task.file), "");
}

TEST(a_zero_byte_is_refused_wherever_it_stands)
{
    hl_config config;
    ck_assert_str_eq(config_problems("[model]\nheads = 4\0\n", 19, NULL, &config),
                     "x.ini:2: control byte 0x00 in column 10\n");
}

SUITE("config_errors")
