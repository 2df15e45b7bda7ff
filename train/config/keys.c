#include "train/config_keys.h"

#include "core/base/threads.h"
#include "data/task.h"
#include "train/config/choices.h"

#include <assert.h>
#include <string.h>

const hl_config_section hl_config_sections[HL_CONFIG_SECTIONS] = {
    { "task", "What the model is to learn." },
    { "tokens", "How a text becomes tokens; for tasks of text alone." },
    { "model", "The encoder." },
    { "optimizer", "How the parameters are updated." },
    { "train", "How long, on how much, and what is written when." },
    { "patterns", "Snapshots of every head's attention weights." },
};

#define TASK_NAME(name) #name,
static const char *const tasks[] = { HL_TASKS(TASK_NAME) "masked", "next", "tags", "classes", "file", NULL };
#define ONE_TASK(name) +1
enum { TOY_TASKS = HL_TASKS(ONE_TASK) };

/* The tasks of text in the order of hl_text_task, with the keys of [task] that each reads besides those of all. */
#define TEXT_KEYS "file", "validation_file", "validation_share", "cache", "content"
static const struct {
    const char *summary, *keys[10];
} text_tasks[] = {
    [HL_TEXT_MASKED] = { "fill masked pieces of a text (BERT)", { TEXT_KEYS, "length", "line_mb", "mask" } },
    [HL_TEXT_NEXT] = { "predict the next piece of a text (GPT)", { TEXT_KEYS, "length", "line_mb" } },
    [HL_TEXT_TAGS] = { "label each word of a treebank, with the labels of a column",
                       { TEXT_KEYS, "column", "prefix_space", "drop_pieces" } },
    [HL_TEXT_CLASSES] = { "label the texts, or pairs of texts, of a table",
                          { TEXT_KEYS, "text_column", "label_column", "drop_pieces" } },
    [HL_TEXT_FILE] = { "a toy task of your own: a table of tokens and targets", { TEXT_KEYS } },
};
static const char *const masks[] = { "pieces", "words", NULL };
static const char *const token_kinds[] = {
    [HL_TOKENS_CHARS] = "chars",
    [HL_TOKENS_BYTES] = "bytes",
    [HL_TOKENS_WORDS] = "words",
    [HL_TOKENS_WORDPIECE] = "wordpiece",
    [HL_TOKENS_BPE] = "bpe",
    [HL_TOKENS_UNIGRAM] = "unigram",
    NULL,
};

#define KEY(index, in, key, field)                                                              \
    .section = index, .full = #in "." #key, .name = #key, .offset = offsetof(hl_config, field), \
    .size = sizeof(((hl_config *)0)->field)
#define TASK(key) KEY(0, task, key, task.key)
#define TOKENS(key) KEY(1, tokens, key, tokens.key)
#define MODEL(key) KEY(2, model, key, model.key)
#define MODEL_FIELD(key, field) KEY(2, model, key, field) /* of another name than its key */
#define OPTIMIZER(key) KEY(3, optimizer, key, optimizer.key)
#define UPDATE(key) KEY(3, optimizer, key, optimizer.update.key)
#define RATE(key) KEY(3, optimizer, key, optimizer.schedule.key)
#define TRAIN(key) KEY(4, train, key, train.key)
#define PATTERNS(key) KEY(5, patterns, key, patterns.key), .may_change = true

#define CHOICE(list) .type = HL_CONFIG_CHOICE, .choices = list
#define INTEGER(from, to) .type = HL_CONFIG_INTEGER, .least = from, .most = to
#define PER_LAYER(from, to) .type = HL_CONFIG_PER_LAYER, .least = from, .most = to
#define REAL(from, to) .type = HL_CONFIG_REAL, .least = from, .most = to
#define BOOLEAN .type = HL_CONFIG_BOOLEAN
#define NEGATED BOOLEAN, .negated = true
#define STRING .type = HL_CONFIG_STRING
#define FREE .free = true
#define OF_HEADS .of_heads = true

/* The largest probability, well below 1 in float too: what is kept is scaled by 1 / (1 - p). */
#define MOST_DROPOUT 0.99
/* The largest decay rate that is still below 1 as a float. */
#define MOST_BETA 0.999999

/* clang-format off */
const hl_config_key hl_config_keys[] = {
    { TASK(name), CHOICE(tasks), .initial = "copy",
      .help = "The task: what each example asks for." },
    { TASK(length), INTEGER(0, HL_TASK_MAX_SIZE), .initial = "10", .derived = "10; next: 64; masked: 0",
      .help = "The number n of symbols or words in the longest example; in text, the pieces of a window. For masked, "
              "0 means a sentence per line." },
    { TASK(min_length), INTEGER(0, HL_TASK_MAX_SIZE), .initial = "0", .derived = "length",
      .help = "The shortest n. Each example draws its n from min_length .. length." },
    { TASK(symbols), INTEGER(2, HL_TASK_MAX_SYMBOLS), .initial = "16",
      .help = "The number of different symbols. The vocabulary also has special tokens." },
    { TASK(shift), INTEGER(-HL_TASK_MAX_SIZE, HL_TASK_MAX_SIZE), .initial = "1",
      .help = "By how many positions the sequence is rotated, in either direction." },
    { TASK(pairs), INTEGER(1, HL_TASK_MAX_SIZE), .initial = "8",
      .help = "The number of key-value pairs in an example. Half of the symbols serve as keys." },
    { TASK(queries), INTEGER(1, HL_TASK_MAX_SIZE), .initial = "4",
      .help = "The number of keys that are asked for after the pairs; at most pairs." },
    { TASK(order), INTEGER(2, 8), .initial = "3",
      .help = "The number of symbols that make one n-gram." },
    { TASK(file), STRING, .initial = "", .derived = "none", .may_change = true,
      .help = "The file to learn from, plain or gzipped. If it is not found, it is looked for beside the config." },
    { TASK(validation_file), STRING, .initial = "", .derived = "none", .may_change = true,
      .help = "A separate file for validation." },
    { TASK(validation_share), REAL(0, 1), .initial = "0.1",
      .help = "The share of the file that is validation if there is no validation_file: the end of a running text, "
              "otherwise sentences chosen by their content." },
    { TASK(line_mb), INTEGER(1, HL_TEXT_MOST_LINE_MB), .initial = "128", .may_change = true,
      .help = "The longest line of running text, in MiB. A small gzipped file may unpack to one endless line." },
    { TASK(column), STRING, .initial = "UPOS", .help = "The column of CoNLL-U that holds the labels." },
    { TASK(prefix_space), BOOLEAN, .initial = "false",
      .help = "With tokens of kind bpe: also read a space before the first word of a sentence. false: as "
              "add_prefix_space of the tokens says." },
    { TASK(text_column), STRING, .initial = "text",
      .help = "The column of the text: its name in the first line, or its number from 1. Two columns with a comma "
              "between them make a pair." },
    { TASK(label_column), STRING, .initial = "label", .help = "The column of the label, by name or number." },
    { TASK(mask), CHOICE(masks), .initial = "pieces", .help = "What is masked: single pieces, or whole words." },
    { TASK(drop_pieces), REAL(0, 0.99), .initial = "0",
      .help = "The share of pieces that training reads as unknown, drawn again in each pass, so that the model "
              "learns to read unknown words." },
    { TASK(cache), STRING, .initial = "", .derived = "data in the run's folder", .may_change = true,
      .help = "The folder that keeps texts as tokens. Several runs may share one." },
    { TASK(content), STRING, .initial = "", .derived = "none",
      .help = "A hash of the data. train writes it to notice other data; do not set it." },

    { TOKENS(kind), CHOICE(token_kinds), .initial = "wordpiece", .derived = "wordpiece; next: chars; file: words",
      .help = "What a token is. The kind unigram is not learned, but read from the file in tokens.vocabulary." },
    { TOKENS(size), INTEGER(0, HL_TOKENS_MAX), .initial = "0", .derived = "wordpiece, bpe: 8192; else 0",
      .help = "The most tokens that are learned, including special ones; 0 for chars and words: as many as there "
              "are." },
    { TOKENS(vocabulary), STRING, .initial = "", .derived = "none", .may_change = true,
      .help = "A file of tokens to use instead of learning them: BERT's vocab.txt, GPT-2's vocab.json with "
              "merges.txt beside it, a tokenizer.json, or a tokens.json of ours." },
    { TOKENS(lowercase), BOOLEAN, .initial = "false",
      .help = "Whether capitals are read as small letters. With wordpiece, accents are removed, too." },
    { TOKENS(min_count), INTEGER(1, 1000000000), .initial = "1", .derived = "words, wordpiece, bpe: 2; else 1",
      .help = "How often a word, character or pair must occur to become a token." },

    { MODEL_FIELD(layers, model.n_layers), INTEGER(1, HL_MAX_LAYERS), .initial = "2", .help = "The number of encoder layers." },
    { MODEL(d_model), INTEGER(1, 65536), .initial = "64",
      .help = "The width of the residual stream, of embeddings and of every layer's output." },
    { MODEL(embedding_size), INTEGER(0, 65536), .initial = "0", .derived = "0: d_model",
      .help = "The width of the embeddings. If it is not d_model, a linear layer follows them, as in ELECTRA." },
    { MODEL(heads), OF_HEADS, PER_LAYER(1, 1024), .initial = "4", .help = "The number of attention heads." },
    { MODEL(kv_heads), OF_HEADS, PER_LAYER(0, 1024), .initial = "0", .derived = "heads",
      .help = "The number of key/value heads. Each is shared by heads / kv_heads query heads. 1: multi-query "
              "attention." },
    { MODEL(d_k), OF_HEADS, PER_LAYER(0, 65536), .initial = "0", .derived = "d_model / heads",
      .help = "The width of one head's queries and keys." },
    { MODEL(d_v), OF_HEADS, PER_LAYER(0, 65536), .initial = "0", .derived = "d_model / heads",
      .help = "The width of one head's values." },
    { MODEL(d_ff), INTEGER(0, 1048576), .initial = "0", .derived = "4 * d_model",
      .help = "The inner width of the feed-forward layers." },
    { MODEL(feed_forward), CHOICE(feed_forwards), .initial = "usual",
      .help = "The feed-forward network of each layer. usual: two linear layers with an activation between them. gated: "
              "the activation is multiplied by a third linear layer; with activation = gelu this is GEGLU, with silu "
              "SwiGLU. none: the layers are attention alone, and d_ff means nothing." },
    { MODEL(activation), CHOICE(activations), .initial = "relu",
      .help = "The activation of the feed-forward layers and of head = transform. gelu is the exact one, by erf; "
              "gelu_tanh is GPT-2's; quick_gelu is x / (1 + e^(-1.702 x)); silu is x / (1 + e^-x)." },
    { MODEL_FIELD(attention, attention), FREE, CHOICE(attentions), .initial = "auto", .may_change = true,
      .help = "How backward gets the attention weights; this changes no result. keep: it keeps them from forward, in "
              "memory that grows with the square of the length. recompute: it computes them again. auto: recompute "
              "if examples may have 1024 tokens or more." },
    { MODEL(norm), CHOICE(norms), .initial = "pre",
      .help = "pre: a norm before each sublayer and after the last layer. post: after each residual sum, as in "
              "the paper." },
    { MODEL(norm_kind), CHOICE(norm_kinds), .initial = "layer",
      .help = "layer: layer norm. rms: RMS norm, which subtracts no mean and has no bias." },
    { MODEL_FIELD(norm_eps, model.norm_epsilon), REAL(1e-15, 1), .initial = "1e-5",
      .help = "The number that is added to the mean square in every norm." },
    { MODEL_FIELD(first_norm, model.lacks_first_norm), NEGATED, .initial = "true",
      .help = "Whether the first layer has a norm before attention. false: with norm = pre, attention of layer 0 reads "
              "the embeddings themselves, as in ModernBERT, where embedding_norm has normed them." },
    { MODEL(embedding_norm), BOOLEAN, .initial = "false",
      .help = "Whether the sum of the embeddings goes through a norm, before its dropout, as in BERT." },
    { MODEL(positions), CHOICE(positions), .initial = "sinusoidal", 
      .help = "How the model knows positions. sinusoidal, learned: by a vector that is added to each embedding. rotary: by "
              "rotating queries and keys, in every layer. none: not at all." },
    { MODEL(rotary_theta), REAL(1, 1e12), .initial = "10000",
      .help = "The base of rotary positions: the larger it is, the more slowly angles change with the position." },
    { MODEL(rotary_theta_local), REAL(0, 1e12), .initial = "0", .derived = "rotary_theta",
      .help = "The base of rotary positions in layers with a window." },
    { MODEL(position_offset), INTEGER(0, 1048576), .initial = "0",
      .help = "The row of the first position in the table of learned positions, which has as many more rows; 2 in "
              "RoBERTa." },
    { MODEL(vocabulary), INTEGER(0, HL_TOKENS_MAX), .initial = "0", .derived = "one for each token",
      .help = "The least number of tokens that have a vector. Tokens after those of the task are never read or "
              "answered." },
    { MODEL(max_length), INTEGER(0, 1048576), .initial = "0", .derived = "what the task needs",
      .help = "The longest sequence, in tokens, that the model can read." },
    { MODEL(token_types), INTEGER(0, 65536), .initial = "0", .derived = "0: what the data need",
      .help = "How many token types have a vector, which is added. 1: one vector for all tokens." },
    { MODEL(causal), BOOLEAN, .initial = "false", .derived = "false; next, markov: true", .help = "Whether a query sees only keys at and before its own position." },
    { MODEL(window), INTEGER(0, 1048576), .initial = "0",
      .help = "How many keys around its own position a query sees: half of them on each side, or the last ones if the "
              "model is causal. 0: all keys." },
    { MODEL(global_every), INTEGER(0, HL_MAX_LAYERS), .initial = "0",
      .help = "Layers without a window: n means layers 0, n, 2n, ..., so 1 means all of them. 0: no layer." },
    { MODEL_FIELD(dropout, dropout), FREE, REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "The probability of dropout: the default of dropout_attention, dropout_residual and dropout_ffn." },
    { MODEL(dropout_attention), FREE, REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout of the attention weights." },
    { MODEL(dropout_concat), FREE, REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "Dropout of the heads' concatenated outputs, before W_O." },
    { MODEL(dropout_residual), FREE, REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout of each sublayer's output, before it is added to the residual stream." },
    { MODEL(dropout_ffn), FREE, REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout after the activation of the feed-forward layers." },
    { MODEL(dropout_embedding), FREE, REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "Dropout of the sum of embeddings and positions." },
    { MODEL(dropout_pooler), FREE, REAL(0, MOST_DROPOUT), .initial = "0", .help = "Dropout of the pooler's input." },
    { MODEL(dropout_output), FREE, REAL(0, MOST_DROPOUT), .initial = "0", .help = "Dropout of the output layer's input." },
    { MODEL(bias), BOOLEAN, .initial = "true",
      .help = "Whether linear layers and layer norms have a bias, including the output layer." },
    { MODEL(norm_bias), CHOICE(part_biases), .initial = "auto", .help = "Whether layer norms have a bias. auto: as bias says." },
    { MODEL(attention_bias), CHOICE(part_biases), .initial = "auto",
      .help = "Whether W_Q, W_K, W_V and W_O have biases. auto: as bias says." },
    { MODEL(feed_forward_bias), CHOICE(part_biases), .initial = "auto",
      .help = "Whether the linear layers of feed-forward networks have biases. auto: as bias says." },
    { MODEL(head_bias), CHOICE(part_biases), .initial = "auto",
      .help = "Whether the linear layer of head = transform has a bias. auto: as bias says." },
    { MODEL(tie_embedding), FREE, BOOLEAN, .initial = "false",
      .help = "Whether the output layer shares the matrix of the embedding. It then has no bias, except with "
              "tied_bias or head = transform." },
    { MODEL(tied_bias), FREE, BOOLEAN, .initial = "false",
      .help = "Whether an output layer that shares the matrix of the embedding has a bias." },
    { MODEL_FIELD(scale_embedding, model.unscaled_embedding), NEGATED, .initial = "true",
      .help = "Whether embeddings are multiplied by the square root of their width, as in the paper, before "
              "positions are added." },
    { MODEL(pooling), FREE, CHOICE(poolings), .initial = "first",
      .help = "Which vector answers for a whole example: that of its first token, that of its last, or the mean of "
              "all." },
    { MODEL(pooler), FREE, CHOICE(poolers), .initial = "none",
      .help = "The function of a linear layer between this vector and the output layer; tanh in BERT. For the task "
              "classes." },
    { MODEL(head), FREE, CHOICE(heads), .initial = "linear",
      .help = "What computes the answers. linear: the output layer alone. transform: a linear layer, the activation "
              "and a layer norm before it, as in BERT's masked model. none: the model gives hidden states and is not "
              "trained." },
    { MODEL(initial_std), FREE, REAL(0, 10), .initial = "0",
      .help = "The standard deviation of all initial matrices and embeddings, drawn as normal. 0: Xavier's for "
              "matrices and the paper's for embeddings." },
    { MODEL(scale_residual), FREE, BOOLEAN, .initial = "false",
      .help = "Whether the initial values of out_proj and linear2 are divided by sqrt(2 * layers), as in GPT-2." },

    { UPDATE(name), CHOICE(optimizers), .initial = "adam", .help = "The update rule." },
    { RATE(learning_rate), REAL(1e-12, 1000), .initial = "0.001",
      .help = "The peak learning rate; with schedule = noam, the factor in its formula (1 is the paper's)." },
    { KEY(3, optimizer, schedule, optimizer.schedule.name), CHOICE(schedules), .initial = "cosine",
      .help = "The learning rate after the warm-up: noam falls as 1/sqrt(step); linear and cosine fall to min_rate "
              "at the last step." },
    { RATE(min_rate), REAL(0, 1000), .initial = "0",
      .help = "The last learning rate of linear and cosine; at most learning_rate." },
    { RATE(warmup_steps), INTEGER(0, 1000000000), .initial = "20",
      .help = "The number of steps in which the learning rate rises from 0 to its peak; may be 0." },
    { UPDATE(beta1), REAL(0, MOST_BETA), .initial = "0.9", .help = "Decay rate of Adam's mean of gradients." },
    { UPDATE(beta2), REAL(0, MOST_BETA), .initial = "0.98", .help = "Decay rate of Adam's mean of squares." },
    { UPDATE(epsilon), REAL(1e-30, 1), .initial = "1e-9", .help = "The number that is added to the root of Adam's mean of squares." },
    { UPDATE(weight_decay), REAL(0, 100), .initial = "0",
      .help = "Decay of the weight matrices. Biases and layer norms do not decay." },
    { OPTIMIZER(clip_norm), REAL(0, 1e9), .initial = "1",
      .help = "If the norm of all gradients together is larger, they are scaled down to it. 0: off." },
    { OPTIMIZER(label_smoothing), REAL(0, 0.99), .initial = "0",
      .help = "The share of each target that is spread evenly over the vocabulary; never in validation." },
    { OPTIMIZER(accumulate), INTEGER(1, 1000000), .initial = "1",
      .help = "The number of parts of a batch that are computed one after the other; must divide batch_size." },

    { TRAIN(steps), INTEGER(1, 1000000000), .initial = "1000", .may_change = true, .help = "The number of updates." },
    { TRAIN(batch_size), INTEGER(1, 1000000), .initial = "64",
      .help = "The number of examples in one update, all parts together." },
    { TRAIN(seed), INTEGER(0, 1e15), .initial = "1", .help = "The seed of initial weights, examples and dropout." },
    { TRAIN(threads), INTEGER(0, HL_MAX_THREADS), .initial = "0", .may_change = true,
      .help = "The number of threads, which changes no result. 0: as many as the machine allows." },
    { TRAIN(log_every), INTEGER(1, 1000000000), .initial = "10", .may_change = true,
      .help = "The number of steps between training rows in metrics.csv." },
    { TRAIN(eval_every), INTEGER(0, 1000000000), .initial = "50", .may_change = true,
      .help = "The number of steps between validations. 0: only before the first and after the last step, which are "
              "always validated." },
    { TRAIN(eval_examples), INTEGER(0, 10000000), .initial = "512",
      .help = "The number of examples in the fixed validation set. Toy tasks have at least one of every length; "
              "texts have at most as many as there are. 0: all." },
    { TRAIN(checkpoint_every), INTEGER(0, 1000000000), .initial = "100", .may_change = true,
      .help = "The number of steps between checkpoints. 0: only after the last step, which always has one." },
    { TRAIN(keep_checkpoints), INTEGER(0, 1000000), .initial = "0", .may_change = true,
      .help = "How many earlier checkpoints are kept, as checkpoint-STEP.safetensors." },
    { TRAIN(patience), INTEGER(0, 1000000000), .initial = "0", .may_change = true,
      .help = "The run ends after this many validations without a better loss. 0: off." },
    { TRAIN(length_window), INTEGER(0, 1000000), .initial = "0",
      .help = "Each batch has examples of similar length, chosen from windows of this many examples; a multiple of "
              "batch_size. 0: in any order." },
    { TRAIN(leaves), INTEGER(1, 4096), .initial = "1",
      .help = "The number of parts of a batch that several processes may share. Gradients are added in the same "
              "order for any number of processes. leaves times accumulate must divide batch_size." },
    { TRAIN(precision), CHOICE(precisions), .initial = "float",
      .help = "The precision in which linear layers multiply: float; or bf16, which is faster on CPUs with "
              "AVX512-BF16, while sums, weights and all else stay float; or auto: bf16 if CPU and build have it." },
    { TRAIN(tensorboard), BOOLEAN, .initial = "false", .may_change = true,
      .help = "Whether the run also writes its metrics and the scores and maps of its heads for TensorBoard." },
    { TRAIN(off), STRING, .initial = "", .derived = "none",
      .help = "Heads that are held off, with the steps, as in L0H1@0-500, L1H*@200-. Such a head's output is zero, forward "
              "and backward." },
    { TRAIN(frozen), STRING, .initial = "", .derived = "none",
      .help = "Heads that are frozen, written like train.off. Such a head's weights and biases do not change." },
    { TRAIN(from), FREE, STRING, .initial = "", .derived = "none", .may_change = true,
      .help = "What the run starts with, like --from: the folder of an open model, whose tokens and shape it uses, "
              "or a file of weights." },
    { TRAIN(weights), STRING, .initial = "", .derived = "none", .may_change = true,
      .help = "A file of weights, like --from FILE, that replaces the weights of the folder in train.from. It may "
              "have fewer heads than the folder." },
    { TRAIN(out), .type = HL_CONFIG_PATH, .initial = "", .derived = "runs/NAME for NAME.ini", .may_change = true,
      .help = "The folder of the run." },

    { PATTERNS(every), .type = HL_CONFIG_STEPS, .least = 0, .most = 1000000000, .initial = "log",
      .help = "The number of steps between snapshots. log: after 1, 2, 5, 10, 20, 50, ... steps, and up to 16 times "
              "when the training loss has fallen by another sixteenth of its first value, if budget_mb allows it. 0: "
              "only before the first and after the last step, which always have one." },
    { PATTERNS(examples), INTEGER(0, 100000), .initial = "32",
      .help = "The number of examples in a snapshot, the first of the validation set; at most train.eval_examples. "
              "0: nothing is recorded." },
    { PATTERNS(budget_mb), INTEGER(0, 100000000), .initial = "256",
      .help = "The most MiB for all snapshots of a run together. A run that needs more does not start; on text, "
              "fewer examples are recorded instead. 0: no limit." },
    { PATTERNS(file), STRING, .initial = "", .derived = "none",
      .help = "Your own examples to record instead of the first of validation, in the form of task.file; for running "
              "text, one per line. A text may contain its mask token ([MASK]) where the model shall answer." },
    { PATTERNS(treebank), STRING, .initial = "", .derived = "none",
      .help = "A treebank (CoNLL-U). At each snapshot, syntax.csv gets how often each head finds each relation in "
              "the first 500 sentences that the model reads." },
};
/* clang-format on */
const int hl_config_n_keys = sizeof hl_config_keys / sizeof *hl_config_keys;
_Static_assert(sizeof hl_config_keys / sizeof *hl_config_keys <= HL_CONFIG_MOST_KEYS, "raise HL_CONFIG_MOST_KEYS");

const hl_config_key *hl_config_key_at(size_t offset)
{
    const hl_config_key *key = hl_config_keys;
    while (key->offset != offset) {
        key++;
        assert(key < hl_config_keys + hl_config_n_keys);
    }
    return key;
}

int hl_config_count_choices(const hl_config_key *key)
{
    int n = 0;
    while (key->choices[n] != NULL) {
        n++;
    }
    return n;
}

static bool is_in(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* The task's place among those of text, -1: it is a toy task. */
static int find_text_task(const char *task)
{
    for (int t = TOY_TASKS; tasks[t] != NULL; t++) {
        if (strcmp(tasks[t], task) == 0) {
            return t - TOY_TASKS;
        }
    }
    return -1;
}

bool hl_config_key_used(const hl_config_key *key, const char *task)
{
    int text = find_text_task(task);
    if (key->offset == offsetof(hl_config, patterns.treebank)) {
        return text >= 0 && text != HL_TEXT_FILE; /* whose tokens are no words of a text */
    }
    if (key->section == 1 || key->offset == offsetof(hl_config, train.length_window) ||
        key->offset == offsetof(hl_config, model.vocabulary) || key->offset == offsetof(hl_config, patterns.file)) {
        return text >= 0;
    }
    if (key->section != 0 || key->offset == offsetof(hl_config, task.name)) {
        return true;
    }
    return is_in(text >= 0 ? text_tasks[text].keys : hl_task_find(task)->keys, key->name);
}

const char *hl_config_task_summary(const char *task)
{
    int text = find_text_task(task);
    return text >= 0 ? text_tasks[text].summary : hl_task_find(task)->summary;
}

bool hl_config_is_text(const hl_config *config, hl_text_task *task)
{
    bool text = config->task.name >= TOY_TASKS;
    if (text && task != NULL) {
        *task = (hl_text_task)(config->task.name - TOY_TASKS);
    }
    return text;
}
