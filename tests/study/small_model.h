/* A small model with numbers everywhere, and tokens for it. */
#pragma once

#include "core/kernels/random.h"
#include "study/predictor.h"
#include "tests/check_suite.h"
#include "tests/data/tokens_texts.h"

/* [PAD] [UNK] [CLS] [SEP] [MASK] and then a .. h, ##a .. ##h */
#define SMALL_PIECES \
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\nf\ng\nh\n##a\n##b\n##c\n##d\n##e\n##f\n##g\n##h\n"

/* An allocated model of two layers that tells positions and pieces well apart. Freed by hl_model_free. */
static inline void small_model_of(hl_model *model, int64_t V, int64_t C, int64_t T, bool causal, hl_pooling pooling)
{
    hl_model_config config = { .vocabulary = V,
                               .targets = C,
                               .pooling = pooling,
                               .token_types = 2,
                               .max_length = T,
                               .n_layers = 2,
                               .d_model = 8,
                               .d_ff = 16,
                               .activation = HL_GELU,
                               .causal = causal,
                               .bias = true };
    hl_model_config_heads(&config, 2);
    CHECK_OK(hl_model_init(model, &config));
    CHECK_OK(hl_model_allocate(model, 7));
    hl_parameters *parameters = &model->parameters;
    for (int64_t i = 0; i < parameters->count; i++) {
        parameters->values[i] *= 2;
    }
}

static inline void small_model(hl_model *model, int64_t V, int64_t T, bool causal)
{
    small_model_of(model, V, 0, T, causal, HL_POOLING_ROWS);
}

static inline hl_span span_of(const char *text)
{
    return (hl_span){ text, strlen(text) };
}

/* Opens a predictor, and reads the text. */
static inline void predictor_of(hl_predictor *p, hl_predictor_spec spec, const char *text)
{
    hl_status status = hl_predictor_open(&spec, p);
    ck_assert_str_eq(status.text, "");
    status = hl_predictor_read(p, span_of(text), (hl_span){ NULL, 0 }, true);
    ck_assert_str_eq(status.text, "");
}

typedef struct numbers_kept {
    hl_real *to;
    int64_t width;
} numbers_kept;

static inline void keep_numbers(void *context, int64_t i, const hl_real *numbers)
{
    const numbers_kept *kept = context;
    memcpy(kept->to + i * kept->width, numbers, (size_t)kept->width * sizeof *numbers);
}

/* The classes, or with spec.rows the vector (width), of the text that was read, at once. */
static inline void answer_now(hl_predictor *p, hl_real *numbers)
{
    numbers_kept kept = { numbers, p->width };
    hl_status status =
        p->spec.rows ? hl_predictor_vector(p, keep_numbers, &kept) : hl_predictor_classify(p, keep_numbers, &kept);
    ck_assert_str_eq(status.text, "");
    status = hl_predictor_finish(p);
    ck_assert_str_eq(status.text, "");
}

/* The best answers, at once. */
static inline void best_now(hl_predictor *p, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices)
{
    hl_status status = hl_predictor_best(p, asked, n, most, choices);
    ck_assert_str_eq(status.text, "");
    status = hl_predictor_finish(p);
    ck_assert_str_eq(status.text, "");
}
