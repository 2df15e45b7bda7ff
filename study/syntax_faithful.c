/* Whether heads are needed for the relations that they earn: what the model loses on the treebank's sentences, asked by
 * its own task, where a head attends by its label's ideal pattern (heads/effect.h). */
#include "core/base/memory.h"
#include "data/examples_storage.h"
#include "heads/head_set.h"
#include "heads/private/effect_losses.h"
#include "study/syntax_study.h"
#include "train/setup_data.h"

#include <string.h>

/* Why there is no loss on the sentences of a treebank. */
static hl_status check_loss(const hl_syntax_study *study, const hl_syntax_question *question)
{
    const hl_model_source *source = &study->model->source;
    hl_text_task task;
    if (source->open != NULL && source->folders == NULL) {
        return hl_error(HL_INVALID, "an open model has a loss where --task and --file name one");
    }
    if (hl_config_is_text(&source->config, &task) && task == HL_TEXT_CLASSES) {
        return hl_error(HL_INVALID, "a treebank does not say which class a sentence is of");
    }
    return strcmp(question->path, "-") == 0 ? hl_error(HL_INVALID, "standard input cannot be read twice") : hl_ok();
}

/* ---- sentences ---- */

static int64_t count_judged(const hl_treebank *treebank)
{
    int64_t n = treebank->n_sentences;
    return n < HL_SYNTAX_JUDGED ? n : HL_SYNTAX_JUDGED;
}

static int64_t longest_judged(const hl_treebank *treebank)
{
    int64_t T = 1;
    for (int64_t s = 0; s < count_judged(treebank); s++) {
        int64_t n = hl_treebank_at(treebank, s).n_pieces;
        T = n > T ? n : T;
    }
    return T;
}

/* Pieces, words, and for each relation the first piece of the word's head; no targets. */
static hl_status make_sentences(const hl_treebank *treebank, hl_examples *e)
{
    int64_t n = count_judged(treebank), T = longest_judged(treebank), R = treebank->n_relations;
    HL_TRY(hl_examples_allocate(n, T, 1 + R, e));
    memset(e->targets, HL_IGNORE, (size_t)(n * T) * sizeof *e->targets);
    memset(e->relations, HL_IGNORE, (size_t)(n * (1 + R) * T) * sizeof *e->relations);
    e->words = e->relations;
    e->relations += n * T;
    e->n_relations = R;
    for (int64_t s = 0; s < n; s++) {
        hl_treebank_sentence sentence = hl_treebank_at(treebank, s);
        e->lengths[s] = (int32_t)sentence.n_pieces;
        memcpy(e->tokens + s * T, sentence.pieces, (size_t)sentence.n_pieces * sizeof *e->tokens);
        for (int64_t w = 0; w < sentence.n_words; w++) {
            int32_t *partners = e->relations + (s * R + sentence.relations[w]) * T;
            for (int32_t i = sentence.begins[w]; i < sentence.begins[w + 1]; i++) {
                e->words[s * T + i] = (int32_t)w;
                partners[i] = sentence.heads[w] >= 0 ? sentence.begins[sentence.heads[w]] : HL_IGNORE;
            }
        }
    }
    return hl_ok();
}

/* Whether the example is that sentence, of which it may hide what it asks for. */
static bool is_of(const hl_text_example *asked, const hl_treebank_sentence *sentence)
{
    bool same = asked->n_tokens == sentence->n_pieces;
    for (int64_t i = 0, t = 0; i < sentence->n_pieces && same; i++) {
        bool is_target = t < asked->n_targets && asked->rows[t] == i;
        same = asked->tokens[i] == sentence->pieces[i] || (is_target && asked->ids[t] == sentence->pieces[i]);
        t += is_target;
    }
    return same;
}

/* Finds each sentence among the examples of its file, and takes over what these ask for. */
static hl_status ask(const hl_text_data *data, uint64_t seed, const hl_treebank *treebank, hl_examples *e)
{
    hl_text_reader *reader;
    hl_text_example asked;
    int64_t there = hl_text_data_examples(data, HL_VALIDATION), T = e->n_tokens;
    HL_TRY(hl_text_reader_open(data, &reader));
    hl_status status = hl_ok();
    for (int64_t i = 0, s = 0; i < there && s < e->n_examples && status.code == HL_OK; i++) {
        hl_treebank_sentence sentence = hl_treebank_at(treebank, s);
        status = hl_text_data_read(reader, HL_VALIDATION, seed, i, &asked);
        if (status.code == HL_OK && is_of(&asked, &sentence)) {
            memcpy(e->tokens + s * T, asked.tokens, (size_t)asked.n_tokens * sizeof *e->tokens);
            for (int64_t t = 0; t < asked.n_targets; t++) {
                e->targets[s * T + asked.rows[t]] = asked.ids[t] >= 0 ? asked.ids[t] : HL_UNSEEN;
            }
            s++;
        }
    }
    hl_text_reader_close(reader);
    return status;
}

/* ---- effects ---- */

static hl_status measure(hl_syntax_study *study, hl_opened_model *model, const hl_examples *sentences)
{
    const hl_model_config *shape = &model->source.shape;
    hl_label *labels = hl_calloc((size_t)study->found.n_heads, sizeof *labels);
    hl_patterns *layers = hl_calloc((size_t)shape->n_layers, sizeof *layers);
    if (labels == NULL || layers == NULL) {
        hl_free(labels);
        hl_free(layers);
        return hl_error_memory("the effects of heads");
    }
    for (int64_t i = 0; i < study->found.n_heads; i++) {
        const hl_syntax_label *earned = &study->labels[i];
        labels[i] = earned->relation < 0
                        ? (hl_label){ .kind = HL_LABEL_MIXED }
                        : (hl_label){ .kind = HL_LABEL_RELATION,
                                      .parameter = earned->relation,
                                      .reversed = earned->held_out.direction == HL_SYNTAX_TO_DEPENDENT };
    }
    for (int l = 0; l < shape->n_layers; l++) {
        layers[l] = hl_patterns_of(NULL, sentences, shape, l, 0);
    }
    hl_status status = hl_effects_measure(&model->model, sentences, layers, labels, true, model->source.slice,
                                          model->source.threads, &study->effects);
    for (int64_t i = 0; status.code == HL_OK && i < study->found.n_heads; i++) {
        const hl_group_effect *group = hl_effects_group(&study->effects, hl_head_at(shape, i).layer, labels[i]);
        study->labels[i].effect = &study->effects.heads[i];
        study->labels[i].group = group != NULL ? &group->effect : NULL;
    }
    hl_free(labels);
    hl_free(layers);
    return status;
}

hl_status hl_syntax_study_judge(hl_syntax_study *study, hl_opened_model *model, const hl_syntax_question *question)
{
    bool any = false;
    for (int64_t i = 0; i < study->found.n_heads; i++) {
        any = any || study->labels[i].relation >= 0;
    }
    if (!any) {
        return hl_ok();
    }
    hl_dataset *asked = NULL;
    hl_examples sentences = { 0 };
    hl_data_options options = { .progress = question->progress, .context = question->context };
    hl_status status = check_loss(study, question);
    const hl_model_source *source = &model->source;
    HL_THEN(status, hl_setup_sentences(&source->config, question->path, &options, source->dataset, true, &asked));
    status.code = status.code == HL_BAD_FILE ? HL_INVALID : status.code; /* as where nothing can be written to /tmp */
    HL_THEN(status, make_sentences(study->treebank, &sentences));
    HL_THEN(status, ask(hl_dataset_text(asked), (uint64_t)source->config.train.seed, study->treebank, &sentences));
    HL_THEN(status, hl_syntax_question_tell(question, "ideal patterns", 0, sentences.n_examples));
    HL_THEN(status, measure(study, model, &sentences));
    hl_examples_free(&sentences);
    hl_dataset_free(asked);
    study->no_effects = status;
    return status.code == HL_INVALID ? hl_ok() : status;
}

hl_status hl_syntax_study_judge_bytes(const hl_syntax_study *study, const hl_syntax_question *question, size_t *bytes)
{
    *bytes = 0;
    if (check_loss(study, question).code != HL_OK) {
        return hl_ok();
    }
    int64_t n = count_judged(study->treebank), T = longest_judged(study->treebank);
    const hl_model_source *source = &study->model->source;
    hl_model dry = { 0 }; /* without numbers */
    hl_status status = hl_model_init(&dry, &source->shape);
    HL_THEN(status, hl_effect_losses_plan(&dry, (n + 1) / 2, source->slice, T, source->threads, bytes));
    *bytes = hl_size_sum(*bytes, hl_examples_bytes(n, T, 1 + study->treebank->n_relations));
    hl_model_free(&dry);
    return status;
}
