/* A small model with numbers everywhere, and tokens for it. What is made here goes at the end of the test. */
#pragma once

#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "study/predictor.h"
#include "tests/check_suite.h"
#include "tests/data/tokens_texts.h"
#include "tests/scratch.h"

/* [PAD] [UNK] [CLS] [SEP] [MASK] and then a .. h, ##a .. ##h */
#define SMALL_PIECES \
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\nf\ng\nh\n##a\n##b\n##c\n##d\n##e\n##f\n##g\n##h\n"

static inline hl_tokens *small_tokens(void)
{
    return kept_tokens(wordpiece_of(SMALL_PIECES, true));
}

static inline hl_tokens *kept_learned(hl_tokens_options options, const char *text)
{
    return kept_tokens(learned(options, text));
}

static inline void release_model(void *model)
{
    hl_model_free(model);
    hl_free(model);
}

/* An allocated model of two layers that tells positions and pieces well apart. */
static inline hl_model *small_model_of(int64_t V, int64_t C, int64_t T, bool causal, hl_pooling pooling)
{
    hl_model *model = scratch_own(hl_calloc(1, sizeof *model), release_model);
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
    return model;
}

static inline hl_model *small_model(int64_t V, int64_t T, bool causal)
{
    return small_model_of(V, 0, T, causal, HL_POOLING_ROWS);
}

static inline hl_span span_of(const char *text)
{
    return (hl_span){ text, strlen(text) };
}

static inline void read_text(hl_predictor *p, const char *text)
{
    CHECK_OK(hl_predictor_read(p, span_of(text), (hl_span){ NULL, 0 }, true));
}

static inline void release_predictor(void *p)
{
    hl_predictor_close(p);
    hl_free(p);
}

/* A predictor that has read the text. */
static inline hl_predictor *predictor_of(hl_predictor_spec spec, const char *text)
{
    hl_predictor *p = scratch_own(hl_calloc(1, sizeof *p), release_predictor);
    CHECK_OK(hl_predictor_open(&spec, p));
    read_text(p, text);
    return p;
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
    CHECK_OK(p->spec.rows ? hl_predictor_vector(p, keep_numbers, &kept)
                          : hl_predictor_classify(p, keep_numbers, &kept));
    CHECK_OK(hl_predictor_finish(p));
}

/* The best answers, at once. */
static inline void best_now(hl_predictor *p, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices)
{
    CHECK_OK(hl_predictor_best(p, asked, n, most, choices));
    CHECK_OK(hl_predictor_finish(p));
}
