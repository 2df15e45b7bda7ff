#include "train/config_keys.h"

#include "core/threads.h"
#include "data/task.h"
#include "layers/model.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

#include <assert.h>
#include <string.h>

const hl_config_section hl_config_sections[HL_CONFIG_SECTIONS] = {
    { "task", "What the model is to learn." },
    { "model", "The encoder." },
    { "optimizer", "How the parameters are updated." },
    { "train", "How long, on how much, and what is written when." },
    { "patterns", "Snapshots of every head's attention weights." },
};

#define TASK_NAME(name) #name,
static const char *const tasks[] = { HL_TASKS(TASK_NAME) NULL };
#define ACTIVATION_NAME(constant, name) [constant] = #name,
static const char *const activations[] = { HL_ACTIVATIONS(ACTIVATION_NAME) NULL };
static const char *const norms[] = { [HL_NORM_PRE] = "pre", [HL_NORM_POST] = "post", NULL };
static const char *const positions[] = {
    [HL_POSITIONS_SINUSOIDAL] = "sinusoidal",
    [HL_POSITIONS_LEARNED] = "learned",
    [HL_POSITIONS_NONE] = "none",
    NULL,
};
static const char *const poolings[] = { [HL_POOLING_ROWS] = "first", [HL_POOLING_MEAN] = "mean", NULL };
static const char *const optimizers[] = { [HL_ADAM] = "adam", [HL_ADAMW] = "adamw", [HL_SGD] = "sgd", NULL };
static const char *const schedules[] = {
    [HL_SCHEDULE_NOAM] = "noam",
    [HL_SCHEDULE_LINEAR] = "linear",
    [HL_SCHEDULE_COSINE] = "cosine",
    [HL_SCHEDULE_CONSTANT] = "constant",
    NULL,
};

#define KEY(index, in, field) \
    .section = index, .full = #in "." #field, .name = #field, .offset = offsetof(hl_config, in.field)
#define TASK(field) KEY(0, task, field)
#define MODEL(field) KEY(1, model, field)
#define OPTIMIZER(field) KEY(2, optimizer, field)
#define TRAIN(field) KEY(3, train, field)
#define PATTERNS(field) KEY(4, patterns, field), .may_change = true

#define CHOICE(list) .type = HL_CONFIG_CHOICE, .choices = list
#define INTEGER(from, to) .type = HL_CONFIG_INTEGER, .least = from, .most = to
#define PER_LAYER(from, to) .type = HL_CONFIG_PER_LAYER, .least = from, .most = to
#define REAL(from, to) .type = HL_CONFIG_REAL, .least = from, .most = to
#define BOOLEAN .type = HL_CONFIG_BOOLEAN

/* The largest probability, well below 1 in float too: what is kept is scaled by 1 / (1 - p). */
#define MOST_DROPOUT 0.99
/* The largest decay rate that is still below 1 as a float. */
#define MOST_BETA 0.999999

/* clang-format off */
const hl_config_key hl_config_keys[] = {
    { TASK(name), CHOICE(tasks), .initial = "copy",
      .help = "What each example asks for." },
    { TASK(length), INTEGER(1, HL_TASK_MAX_SIZE), .initial = "10",
      .help = "The number n of symbols, or words, of the longest example." },
    { TASK(min_length), INTEGER(0, HL_TASK_MAX_SIZE), .initial = "0", .derived = "length",
      .help = "The shortest n: each example draws its n from min_length .. length." },
    { TASK(symbols), INTEGER(2, HL_TASK_MAX_SYMBOLS), .initial = "16",
      .help = "The number of different symbols; the vocabulary has the special tokens besides." },
    { TASK(shift), INTEGER(-HL_TASK_MAX_SIZE, HL_TASK_MAX_SIZE), .initial = "1",
      .help = "By how many places the sequence is rotated; either way." },
    { TASK(pairs), INTEGER(1, HL_TASK_MAX_SIZE), .initial = "8",
      .help = "The number of key-value pairs of an example; half of the symbols serve as keys." },
    { TASK(queries), INTEGER(1, HL_TASK_MAX_SIZE), .initial = "4",
      .help = "The number of keys asked for after the pairs; at most pairs." },
    { TASK(order), INTEGER(2, 8), .initial = "3",
      .help = "The number of symbols that make one n-gram." },

    { MODEL(layers), INTEGER(1, HL_MAX_LAYERS), .initial = "2", .help = "The number of encoder layers." },
    { MODEL(d_model), INTEGER(1, 65536), .initial = "64",
      .help = "The width of the residual stream, of embeddings and of every layer's output." },
    { MODEL(heads), PER_LAYER(1, 1024), .initial = "4", .help = "The number of attention heads." },
    { MODEL(kv_heads), PER_LAYER(0, 1024), .initial = "0", .derived = "heads",
      .help = "The number of key/value heads, each shared by heads / kv_heads query heads; 1: multi-query attention." },
    { MODEL(d_k), PER_LAYER(0, 65536), .initial = "0", .derived = "d_model / heads",
      .help = "The width of one head's queries and keys." },
    { MODEL(d_v), PER_LAYER(0, 65536), .initial = "0", .derived = "d_model / heads",
      .help = "The width of one head's values." },
    { MODEL(d_ff), INTEGER(0, 1048576), .initial = "0", .derived = "4 * d_model",
      .help = "The inner width of the feed-forward layers." },
    { MODEL(activation), CHOICE(activations), .initial = "relu",
      .help = "The activation of the feed-forward layers; gelu is the exact one, by erf." },
    { MODEL(norm), CHOICE(norms), .initial = "pre",
      .help = "Layer norm before each sublayer and after the last layer, or after each residual sum (the paper)." },
    { MODEL(norm_eps), REAL(1e-15, 1), .initial = "1e-5",
      .help = "Added to the mean square deviation in every layer norm." },
    { MODEL(positions), CHOICE(positions), .initial = "sinusoidal", .help = "What is added to the embeddings." },
    { MODEL(max_length), INTEGER(0, 1048576), .initial = "0", .derived = "what the task needs",
      .help = "The longest sequence, in tokens, that the model can read." },
    { MODEL(causal), BOOLEAN, .initial = "false", .help = "Whether a query sees only keys at and before its place." },
    { MODEL(dropout), REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "The probability of dropout: the default of dropout_attention, dropout_residual and dropout_ffn." },
    { MODEL(dropout_attention), REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout of the attention weights." },
    { MODEL(dropout_concat), REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "Dropout of the heads' concatenated outputs, before W_O." },
    { MODEL(dropout_residual), REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout of each sublayer's output, before it is added to the residual stream." },
    { MODEL(dropout_ffn), REAL(0, MOST_DROPOUT), .initial = "0", .derived = "dropout",
      .help = "Dropout after the activation of the feed-forward layers." },
    { MODEL(dropout_embedding), REAL(0, MOST_DROPOUT), .initial = "0",
      .help = "Dropout of the sum of embeddings and positions." },
    { MODEL(bias), BOOLEAN, .initial = "true",
      .help = "Whether linear layers and layer norms, the output layer too, have a bias." },
    { MODEL(tie_embedding), BOOLEAN, .initial = "false",
      .help = "Whether the output layer shares the embedding's matrix; it then has no bias but by tied_bias." },
    { MODEL(tied_bias), BOOLEAN, .initial = "false",
      .help = "Whether an output layer that shares the embedding's matrix has a bias." },
    { MODEL(scale_embedding), BOOLEAN, .initial = "true",
      .help = "Whether embeddings are multiplied by sqrt(d_model), as in the paper, before positions are added." },
    { MODEL(pooling), CHOICE(poolings), .initial = "first",
      .help = "What the answer for a whole example is read from: its first token's vector, or the mean of all." },
    { MODEL(initial_std), REAL(0, 10), .initial = "0",
      .help = "The deviation of all initial matrices and embeddings, drawn as normal; 0: Xavier's and the paper's." },
    { MODEL(scale_residual), BOOLEAN, .initial = "false",
      .help = "Whether the initial out_proj and linear2 are divided by sqrt(2 * layers), as in GPT-2." },

    { OPTIMIZER(name), CHOICE(optimizers), .initial = "adam", .help = "The update rule." },
    { OPTIMIZER(learning_rate), REAL(1e-12, 1000), .initial = "0.001",
      .help = "The peak learning rate; with schedule = noam the factor of its formula (1 is the paper's)." },
    { OPTIMIZER(schedule), CHOICE(schedules), .initial = "cosine",
      .help = "After the warm-up: noam falls as 1/sqrt(step); linear and cosine fall to min_rate at the last step." },
    { OPTIMIZER(min_rate), REAL(0, 1000), .initial = "0",
      .help = "Where linear and cosine end; at most learning_rate." },
    { OPTIMIZER(warmup_steps), INTEGER(0, 1000000000), .initial = "20",
      .help = "Steps in which the learning rate rises from 0 to its peak; may be 0." },
    { OPTIMIZER(beta1), REAL(0, MOST_BETA), .initial = "0.9", .help = "Decay rate of Adam's mean of gradients." },
    { OPTIMIZER(beta2), REAL(0, MOST_BETA), .initial = "0.98", .help = "Decay rate of Adam's mean of squares." },
    { OPTIMIZER(epsilon), REAL(1e-30, 1), .initial = "1e-9", .help = "Added to the root of Adam's mean of squares." },
    { OPTIMIZER(weight_decay), REAL(0, 100), .initial = "0",
      .help = "Decay of the weight matrices; biases and layer norms are spared." },
    { OPTIMIZER(clip_norm), REAL(0, 1e9), .initial = "1",
      .help = "Gradients whose norm over all parameters exceeds this are scaled down to it; 0 is off." },
    { OPTIMIZER(label_smoothing), REAL(0, 0.99), .initial = "0",
      .help = "The share of each target spread evenly over the vocabulary; never in validation." },
    { OPTIMIZER(accumulate), INTEGER(1, 1000000), .initial = "1",
      .help = "The number of parts, one after the other, in which a batch is computed; divides batch_size." },

    { TRAIN(steps), INTEGER(1, 1000000000), .initial = "1000", .may_change = true, .help = "The number of updates." },
    { TRAIN(batch_size), INTEGER(1, 1000000), .initial = "64",
      .help = "The examples of one update, all parts together." },
    { TRAIN(seed), INTEGER(0, 1e15), .initial = "1", .help = "Chooses initial weights, examples and dropout." },
    { TRAIN(threads), INTEGER(0, HL_MAX_THREADS), .initial = "0", .may_change = true,
      .help = "The number of threads, which changes no result; 0: as many as this machine allows the process." },
    { TRAIN(log_every), INTEGER(1, 1000000000), .initial = "10", .may_change = true,
      .help = "Steps between training rows of metrics.csv." },
    { TRAIN(eval_every), INTEGER(0, 1000000000), .initial = "50", .may_change = true,
      .help = "Steps between validations; 0: only before the first and after the last step, as always." },
    { TRAIN(eval_examples), INTEGER(1, 10000000), .initial = "512",
      .help = "The examples of the fixed validation set; at least one of every length that the task has." },
    { TRAIN(checkpoint_every), INTEGER(0, 1000000000), .initial = "100", .may_change = true,
      .help = "Steps between checkpoints; 0: only after the last step, which always leaves one." },
    { TRAIN(keep_checkpoints), INTEGER(0, 1000000), .initial = "0", .may_change = true,
      .help = "How many earlier checkpoints stay, as checkpoint-STEP.safetensors." },
    { TRAIN(patience), INTEGER(0, 1000000000), .initial = "0", .may_change = true,
      .help = "Validations without a better loss after which the run ends; 0 is off." },
    { TRAIN(out), .type = HL_CONFIG_PATH, .initial = "", .derived = "runs/NAME for NAME.ini", .may_change = true,
      .help = "The folder of the run." },

    { PATTERNS(every), .type = HL_CONFIG_STEPS, .least = 0, .most = 1000000000, .initial = "log",
      .help = "Steps between snapshots, or log: after 1, 2, 5, 10, 20, 50, ... steps and, up to 16 times where "
              "budget_mb has room for them, whenever the training loss has fallen by another sixteenth of what it "
              "was at first. 0: only before the first and after the last step, as always." },
    { PATTERNS(examples), INTEGER(0, 100000), .initial = "32",
      .help = "The examples of a snapshot, the first of the validation set: at most train.eval_examples of them are "
              "recorded; 0 records nothing." },
    { PATTERNS(budget_mb), INTEGER(0, 100000000), .initial = "256",
      .help = "The most MiB that a run's snapshots may take together; a run that would need more does not begin. 0: "
              "no limit." },
};
/* clang-format on */

const hl_config_key *hl_config_key_at(size_t offset)
{
    const hl_config_key *key = hl_config_keys;
    while (key->offset != offset) {
        key++;
        assert(key < hl_config_keys + HL_CONFIG_KEYS);
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

bool hl_config_key_used(const hl_config_key *key, const hl_task *task)
{
    if (key->section != 0 || key->offset == offsetof(hl_config, task.name)) {
        return true;
    }
    for (int i = 0; task->keys[i] != NULL; i++) {
        if (strcmp(task->keys[i], key->name) == 0) {
            return true;
        }
    }
    return false;
}
