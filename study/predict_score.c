#include "study/predict_score.h"

#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/text_records.h"
#include "data/text/private/tokens_encode.h"
#include "heads/answers.h"

#include <inttypes.h>
#include <string.h>

typedef struct scoring {
    hl_predictor *predictor;
    const hl_text_spec *spec;
    const hl_tokens *targets;
    const hl_text_data *words; /* of masked: whose later pieces are masked with one of theirs; or NULL */
    hl_predict_scores *scores;
    hl_text_records *records;
    int32_t *room; /* of an example: where it is asked; of masked, its ids and where its words begin */
    int32_t *ids;  /* the targets of all that has been asked and not answered yet, n_ids from first_id on */
    size_t room_capacity, ids_capacity, first_id, n_ids;
    hl_pieces running; /* of next: the pieces from the next window's first on */
    size_t next;       /* the first of them that was no target yet */
    hl_text unknown;   /* the first label that the model does not have */
    bool knows_any;    /* whether it has one of the labels */
    hl_regression numbers;
} scoring;

/* Makes room for n more targets, and for an example's numbers. */
static hl_status reserve(scoring *s, size_t n, size_t numbers)
{
    if (s->first_id > 0) {
        memmove(s->ids, s->ids + s->first_id, s->n_ids * sizeof *s->ids);
        s->first_id = 0;
    }
    bool good = HL_GROW(s->room, s->room_capacity, numbers) && HL_GROW(s->ids, s->ids_capacity, s->n_ids + n);
    return good ? hl_ok() : hl_error_memory("the targets of an example");
}

static void take(void *context, int64_t i, const hl_real *logits)
{
    (void)i;
    scoring *s = context;
    hl_cross_entropy_result *sum = &s->scores->sum;
    int64_t C = s->predictor->width;
    int32_t id = s->ids[s->first_id++];
    s->n_ids--;
    sum->n_scored++;
    sum->n_known += id >= 0;
    s->scores->unseen += id < 0;
    sum->n_correct += id == hl_answer_of(logits, C);
    sum->loss_sum += id >= 0 ? hl_choices_loss(logits, C, id) : 0;
    if (s->scores->counts.n_classes > 0) {
        hl_class_counts_add(&s->scores->counts, logits, &id, 1);
    }
}

/* The label's id, -1 where the model does not have it. */
static int32_t find_target(scoring *s, hl_span label)
{
    int32_t id = hl_tokens_find(s->targets, label.text, label.size);
    s->knows_any = s->knows_any || id >= 0;
    if (id < 0 && s->unknown.size == 0) {
        hl_text_add(&s->unknown, label.text, label.size);
    }
    return id;
}

/* Adds file and line to a status that says what is wrong with the record. */
static hl_status at_line(const scoring *s, const hl_text_record *record, hl_status status)
{
    return status.code == HL_INVALID ? hl_lines_bad(hl_text_records_lines(s->records), record->line, "%s", status.text)
                                     : status;
}

/* ---- masked ---- */

/* One mask at a time, or with those of the word's later pieces; without `words` each piece is one. */
static hl_status score_masks(scoring *s, const hl_text_record *record)
{
    hl_predictor *p = s->predictor;
    int32_t mask = hl_tokens_role(p->spec.tokens, HL_ROLE_MASK);
    HL_TRY(hl_predictor_read(p, record->texts[0], (hl_span){ NULL, 0 }, false));
    hl_scored_text_break(&s->scores->text);
    size_t n = p->text.n, end = 0;
    HL_TRY(reserve(s, 0, 2 * n + 1));
    int32_t *ids = s->room, *begins = s->room + n;
    for (size_t i = 0; i < n; i++) {
        ids[i] = p->text.at[i].id;
        begins[i] = (int32_t)i;
    }
    hl_text_example line = { .n_tokens = (int64_t)n, .tokens = ids, .words = begins, .n_words = (int64_t)n };
    if (s->words != NULL) {
        line.n_words = 0;
        hl_text_data_find_words(s->words, &line, begins);
    }
    for (size_t i = 0, word = 0; i < n; i++) {
        if (i == end) {
            word++;
            end = (int64_t)word < line.n_words ? (size_t)line.words[word] : n;
        }
        if (hl_tokens_is_special(p->spec.tokens, ids[i]) && ids[i] != hl_tokens_role(p->spec.tokens, HL_ROLE_UNK)) {
            continue;
        }
        HL_TRY(reserve(s, 1, 0));
        s->ids[s->n_ids++] = ids[i];
        for (size_t j = i; j < end; j++) {
            p->text.at[j].id = mask;
        }
        HL_TRY(hl_predictor_logits(p, &(int32_t){ (int32_t)i }, 1, take, s));
        for (size_t j = i; j < end; j++) {
            p->text.at[j].id = ids[j];
        }
        HL_TRY(hl_scored_text_add(&s->scores->text, p->spec.tokens, &ids[i], 1));
    }
    return hl_ok();
}

/* ---- next ---- */

/* The window of n pieces from `at` on; the piece after each is its target. */
static hl_status score_window(scoring *s, size_t at, size_t n)
{
    hl_predictor *p = s->predictor;
    size_t count = 0;
    p->text.n = 0;
    for (size_t i = at; i < at + n; i++) {
        HL_TRY(hl_pieces_add(&p->text, s->running.at[i].id, 0, 0));
    }
    p->n_first = n;
    HL_TRY(reserve(s, n, n));
    for (; s->next <= at + n; s->next++) {
        s->room[count++] = (int32_t)(s->next - 1 - at);
        s->ids[s->n_ids++] = s->running.at[s->next].id;
    }
    s->scores->n_examples++;
    HL_TRY(hl_scored_text_add(&s->scores->text, p->spec.tokens, s->ids + s->n_ids - count, count));
    return hl_predictor_logits(p, s->room, (int64_t)count, take, s);
}

/* Scores the full windows of what was read, and at the end what is left. */
static hl_status score_running(scoring *s, const hl_text_record *record)
{
    const hl_predictor *p = s->predictor;
    size_t room = (size_t)hl_predictor_room(p, false), stride = p->spec.stride > 0 ? (size_t)p->spec.stride : room,
           at = 0;
    if (record->n_texts > 0) {
        hl_span text = record->texts[0];
        HL_TRY(at_line(s, record,
                       record->goes_on ? hl_tokens_encode_more(p->spec.tokens, text.text, text.size, true, &s->running)
                                       : hl_tokens_encode(p->spec.tokens, text.text, text.size, true, &s->running)));
    }
    for (; s->running.n > at + room; at += stride) {
        HL_TRY(score_window(s, at, room));
    }
    if (record->n_texts == 0 && s->running.n > s->next) {
        HL_TRY(score_window(s, at, s->running.n - 1 - at));
    }
    s->running.n -= at;
    s->next -= at;
    if (at > 0) {
        memmove(s->running.at, s->running.at + at, s->running.n * sizeof *s->running.at);
    }
    return hl_ok();
}

/* ---- tags, file ---- */

/* Every word, or those that have a target. */
static hl_status score_words(scoring *s, const hl_text_record *record)
{
    hl_predict_scores *scores = s->scores;
    int64_t n = record->n_texts, kept = 0;
    HL_TRY(reserve(s, (size_t)n, (size_t)n));
    int32_t *asked = s->room;
    HL_TRY(hl_predictor_read_words(s->predictor, record->texts, n, asked));
    for (int64_t i = 0; i < n; i++) {
        hl_span label = record->labels[i];
        if (label.text == NULL) {
            continue;
        }
        int32_t id = find_target(s, label);
        if (asked[i] < 0) { /* no answer */
            scores->sum.n_scored++;
            scores->unseen += id < 0;
            scores->counts.n_targets++;
            if (id >= 0 && scores->counts.n_classes > 0) {
                scores->counts.cases[id]++;
            }
            continue;
        }
        asked[kept++] = asked[i];
        s->ids[s->n_ids++] = id;
    }
    return hl_predictor_logits(s->predictor, asked, kept, take, s);
}

/* ---- classes ---- */

static hl_status want_class(scoring *s, hl_span cell)
{
    HL_TRY(reserve(s, 1, 0));
    s->ids[s->n_ids++] = find_target(s, cell);
    return hl_ok();
}

/* The ids of a text's labels are 1 where they are right, else 0; behind them stands how many the model does not have.
 */
static void take_labels(void *context, int64_t i, const hl_real *logits)
{
    (void)i;
    scoring *s = context;
    int64_t C = s->predictor->width;
    const int32_t *is = s->ids + s->first_id;
    s->first_id += (size_t)C + 1;
    s->n_ids -= (size_t)C + 1;
    s->scores->sum.n_scored++;
    s->scores->sum.n_known++;
    s->scores->sum.n_correct += hl_class_counts_add_labels(&s->scores->counts, logits, is) && is[C] == 0;
    s->scores->sum.loss_sum += hl_choices_labels_loss(logits, C, is);
}

/* Reads "bad,so so" or "_". */
static hl_status want_labels(scoring *s, hl_span cell)
{
    size_t C = (size_t)s->predictor->width;
    bool none = cell.size == 1 && *cell.text == '_';
    HL_TRY(reserve(s, C + 1, 0));
    int32_t *is = memset(s->ids + s->n_ids, 0, (C + 1) * sizeof *is);
    s->n_ids += C + 1;
    for (size_t at = 0, size; at <= cell.size && !none; at += size + 1) {
        const char *comma = at < cell.size ? memchr(cell.text + at, ',', cell.size - at) : NULL;
        size = comma != NULL ? (size_t)(comma - cell.text) - at : cell.size - at;
        int32_t id = find_target(s, (hl_span){ cell.text + at, size });
        is[id >= 0 ? id : (int32_t)C]++;
        s->scores->unseen += id < 0;
        s->scores->counts.n_targets += id < 0; /* a case that is not found */
    }
    return hl_ok();
}

static void take_number(void *context, int64_t i, const hl_real *logits)
{
    (void)i;
    scoring *s = context;
    s->scores->sum.n_scored++;
    hl_regression_say(&s->numbers, (double)*logits);
}

static hl_status score_text(scoring *s, const hl_text_record *record)
{
    hl_predictor *p = s->predictor;
    hl_span second = record->n_texts > 1 ? record->texts[1] : (hl_span){ NULL, 0 };
    HL_TRY(hl_predictor_read(p, record->texts[0], second, false));
    if (p->text.n == 0) {
        return hl_ok(); /* as in training */
    }
    hl_pretrained_problem problem = p->spec.problem;
    HL_TRY(problem == HL_PROBLEM_LABELS    ? want_labels(s, record->labels[0])
           : problem == HL_PROBLEM_NUMBERS ? hl_regression_want(&s->numbers, record->labels[0])
                                           : want_class(s, record->labels[0]));
    hl_predictor_take *takes[] = {
        [HL_PROBLEM_CHOICE] = take, [HL_PROBLEM_LABELS] = take_labels, [HL_PROBLEM_NUMBERS] = take_number
    };
    return hl_predictor_classify(p, takes[problem], s);
}

/* ---- a file ---- */

void hl_predict_print_targets(const hl_tokens *targets, hl_text *text)
{
    enum { SOME = 8 };
    int64_t n = hl_tokens_size(targets);
    for (int32_t id = 0; id < n && id < SOME; id++) {
        hl_text_print(text, "%s", id > 0 ? ", " : "");
        hl_text_shown(text, hl_tokens_piece(targets, id, NULL));
    }
    hl_text_print(text, "%s", n > SOME ? ", ..." : "");
}

/* Where no target is known there is no loss, and the file is mostly another than was meant. */
static hl_status check_known(scoring *s)
{
    const char *name = hl_lines_name(hl_text_records_lines(s->records));
    const char *key = s->spec->task == HL_TEXT_CLASSES ? "; task.label_column names their column"
                      : s->spec->task == HL_TEXT_TAGS  ? "; task.column names their column"
                                                       : "";
    if (s->scores->sum.n_scored == 0) {
        return hl_error(HL_BAD_FILE, "%s: holds nothing to score", name);
    }
    if (s->unknown.size == 0 || s->knows_any) {
        return hl_ok();
    }
    hl_text labels = { 0 };
    hl_predict_print_targets(s->targets, &labels);
    hl_text_print(&labels, " (\"");
    hl_text_shown(&labels, s->unknown.bytes);
    hl_text_print(&labels, "\" is in the file)");
    hl_status status = hl_text_status(&labels);
    if (status.code == HL_OK) {
        status = hl_error(HL_BAD_FILE, "%s: none of its %" PRId64 " labels is one of the model's: %s%s", name,
                          s->scores->unseen, labels.bytes, key);
    }
    hl_text_free(&labels);
    return status;
}

static hl_status score_all(scoring *s)
{
    const hl_lines *lines = hl_text_records_lines(s->records);
    for (hl_text_record record = { .n_texts = 1 }; record.n_texts > 0;) {
        HL_TRY(hl_text_records_next(s->records, &record));
        if (s->spec->task == HL_TEXT_NEXT) {
            HL_TRY(score_running(s, &record));
        } else if (record.n_texts > 0) {
            hl_status status = s->spec->task == HL_TEXT_MASKED    ? score_masks(s, &record)
                               : s->spec->task == HL_TEXT_CLASSES ? score_text(s, &record)
                                                                  : score_words(s, &record);
            s->scores->n_examples++;
            s->scores->cut += s->predictor->uncut > (int64_t)s->predictor->text.n;
            HL_TRY(at_line(s, &record, status));
        }
        if (s->spec->progress != NULL) {
            int64_t done, total;
            hl_lines_progress(lines, &done, &total);
            HL_TRY(s->spec->progress(s->spec->context, "scoring", done, total));
        }
    }
    HL_TRY(hl_predictor_finish(s->predictor));
    HL_TRY(hl_text_status(&s->unknown));
    return check_known(s);
}

hl_status hl_predict_score(hl_predictor *p, const hl_text_spec *spec, const hl_tokens *targets,
                           const hl_text_data *words, hl_predict_scores *scores)
{
    *scores = (hl_predict_scores){ .n_examples = 0 };
    hl_text_spec all = *spec; /* all of the file is read as validation is; of masked always line by line */
    all.validation_file = spec->file;
    all.length = spec->task == HL_TEXT_MASKED ? 0 : spec->length;
    all.progress = NULL;
    scoring s = { .predictor = p, .spec = spec, .targets = targets, .words = words, .scores = scores, .next = 1 };
    hl_status status = hl_ok();
    bool numbers = p->spec.problem == HL_PROBLEM_NUMBERS;
    if (numbers && p->width > 1) {
        return hl_error(HL_INVALID,
                        "the model answers with %" PRId64 " numbers, of which --score compares one alone; "
                        "predict prints them",
                        p->width);
    }
    if (!numbers && (spec->task == HL_TEXT_TAGS || spec->task == HL_TEXT_CLASSES)) {
        status = hl_class_counts_init(&scores->counts, p->width);
    }
    HL_THEN(status, hl_text_records_check(&all, all.file));
    HL_THEN(status, hl_text_records_open(&all, HL_VALIDATION, "scoring", &s.records));
    HL_THEN(status, score_all(&s));
    HL_THEN(status, numbers ? hl_regression_score(&s.numbers, &scores->numbers) : hl_ok());
    hl_regression_free(&s.numbers);
    hl_text_records_close(s.records);
    hl_pieces_free(&s.running);
    hl_text_free(&s.unknown);
    hl_free(s.room);
    hl_free(s.ids);
    return status;
}

void hl_predict_scores_free(hl_predict_scores *scores)
{
    hl_class_counts_free(&scores->counts);
    *scores = (hl_predict_scores){ .n_examples = 0 };
}
