/* Attention weights made up by hand or at random, as metrics read them. */
#pragma once

#include "core/examples.h"
#include "core/kernels/random.h"
#include "heads/label.h"
#include "heads/pattern.h"
#include "tests/heads/expect_score.h"

enum { MADE_UP_MOST = 8, MADE_UP_TOKENS = 16, MADE_UP_RELATIONS = 2, MADE_UP_FORMS = 6 };

/* What stands where no metric may look: padding, keys behind a causal mask, the layer's other heads. */
#define MADE_UP_POISON ((hl_real)1000)

typedef struct made_up {
    int64_t n_examples, n_heads, n_tokens, head;
    bool causal;
    int32_t lengths[MADE_UP_MOST];
    int32_t tokens[MADE_UP_MOST * MADE_UP_TOKENS];
    int32_t sources[MADE_UP_MOST * MADE_UP_TOKENS];
    int32_t relations[MADE_UP_MOST * MADE_UP_RELATIONS * MADE_UP_TOKENS];
    bool text; /* whether what follows is known, and the task's relations and sources are not */
    int32_t words[MADE_UP_MOST * MADE_UP_TOKENS];
    int32_t forms[MADE_UP_MOST * MADE_UP_TOKENS];
    unsigned char form_kinds[MADE_UP_FORMS];
    int32_t rarest[MADE_UP_MOST];
    hl_real weights[MADE_UP_MOST * MADE_UP_MOST * MADE_UP_TOKENS * MADE_UP_TOKENS];
} made_up;

static inline hl_patterns made_up_patterns(const made_up *m)
{
    hl_pattern_text text = { .words = m->words, .forms = m->forms, .form_kinds = m->form_kinds, .rarest = m->rarest };
    return (hl_patterns){ .weights = m->weights,
                          .lengths = m->lengths,
                          .tokens = m->tokens,
                          .sources = m->text ? NULL : m->sources,
                          .relations = m->text ? NULL : m->relations,
                          .n_relations = m->text ? 0 : MADE_UP_RELATIONS,
                          .text = m->text ? text : (hl_pattern_text){ 0 },
                          .n_heads = m->n_heads,
                          .n_tokens = m->n_tokens,
                          .head = m->head,
                          .causal = m->causal,
                          .n_examples = m->n_examples };
}

/* Examples that are T long, of head 1 of 2, without sources and relations, of ordinary tokens, no two of them the same;
 * every weight is poison. */
static inline made_up made_up_empty(int64_t n_examples, int64_t n_tokens, bool causal)
{
    made_up m = { .n_examples = n_examples, .n_heads = 2, .n_tokens = n_tokens, .head = 1, .causal = causal };
    for (int e = 0; e < MADE_UP_MOST; e++) {
        m.lengths[e] = (int32_t)n_tokens;
    }
    for (int i = 0; i < MADE_UP_MOST * MADE_UP_TOKENS; i++) {
        m.tokens[i] = HL_SPECIAL_TOKENS + i;
        m.sources[i] = HL_IGNORE;
    }
    for (int i = 0; i < MADE_UP_MOST * MADE_UP_RELATIONS * MADE_UP_TOKENS; i++) {
        m.relations[i] = HL_IGNORE;
    }
    for (int i = 0; i < MADE_UP_MOST * MADE_UP_MOST * MADE_UP_TOKENS * MADE_UP_TOKENS; i++) {
        m.weights[i] = MADE_UP_POISON;
    }
    return m;
}

/* A[i][j] of example e. */
static inline hl_real *made_up_at(made_up *m, int64_t e, int64_t i, int64_t j)
{
    return &m->weights[((e * m->n_heads + m->head) * m->n_tokens + i) * m->n_tokens + j];
}

static inline int32_t *made_up_token(made_up *m, int64_t e, int64_t i)
{
    return &m->tokens[e * m->n_tokens + i];
}

/* One digit a token of example e, as far as they go: 1 and 2 are special, the others ordinary. */
static inline void made_up_spell(made_up *m, int64_t e, const char *digits)
{
    for (int64_t i = 0; i < m->n_tokens && digits[i] != '\0'; i++) {
        *made_up_token(m, e, i) = digits[i] - '0';
    }
}

/* Makes the tokens of example e pieces of words: each letter is a piece, `?` one of an unknown word, `.` of
 * punctuation; a space before each word but the first; `-` is a special token, of no word. A word's form is its first
 * letter: in "-ab a ?-" two words have one form. */
static inline void made_up_words(made_up *m, int64_t e, const char *pieces)
{
    m->text = true;
    m->form_kinds[0] = HL_TOKEN_UNKNOWN;
    m->form_kinds[1] = HL_TOKEN_PUNCTUATION;
    int32_t word = -1, form = 0, n = 0;
    for (const char *at = pieces; *at != '\0'; at++) {
        bool begins = at == pieces || at[-1] == ' ' || at[-1] == '-';
        if (*at == ' ') {
            continue;
        }
        if (*at != '-' && begins) {
            word++;
            form = *at == '?' ? 0 : *at == '.' ? 1 : 2 + *at - 'a';
        }
        m->words[e * m->n_tokens + n] = *at == '-' ? HL_IGNORE : word;
        m->forms[e * m->n_tokens + n++] = *at == '-' ? HL_IGNORE : form;
    }
    m->lengths[e] = n;
    m->rarest[e] = HL_IGNORE;
}

/* The partner of token i of example e by relation r. */
static inline int32_t *made_up_partner(made_up *m, int64_t e, int64_t r, int64_t i)
{
    return &m->relations[(e * MADE_UP_RELATIONS + r) * m->n_tokens + i];
}

static inline int32_t *made_up_source(made_up *m, int64_t e, int64_t i)
{
    return &m->sources[e * m->n_tokens + i];
}

static inline bool made_up_permits(const made_up *m, int64_t e, int64_t i, int64_t j)
{
    return i < m->lengths[e] && j < m->lengths[e] && (!m->causal || j <= i);
}

/* Every query attends evenly to all it may. */
static inline void made_up_spread_evenly(made_up *m)
{
    for (int64_t e = 0; e < m->n_examples; e++) {
        for (int64_t i = 0; i < m->lengths[e]; i++) {
            for (int64_t j = 0; j < m->lengths[e]; j++) {
                if (made_up_permits(m, e, i, j)) {
                    *made_up_at(m, e, i, j) = 1 / (hl_real)(m->causal ? i + 1 : m->lengths[e]);
                }
            }
        }
    }
}

/* Query i of example e attends to `key` alone. */
static inline void made_up_look_at(made_up *m, int64_t e, int64_t i, int64_t key)
{
    for (int64_t j = 0; j < m->lengths[e]; j++) {
        if (made_up_permits(m, e, i, j)) {
            *made_up_at(m, e, i, j) = j == key;
        }
    }
}

/* Query i attends to i + k alone, where it may; else to itself. */
static inline void made_up_look_at_offset(made_up *m, int64_t e, int64_t k)
{
    for (int64_t i = 0; i < m->lengths[e]; i++) {
        made_up_look_at(m, e, i, i + k >= 0 && made_up_permits(m, e, i, i + k) ? i + k : i);
    }
}

/* Gives `weight` of what query i has to `key`, and spreads the rest evenly over its other keys. */
static inline void made_up_prefer(made_up *m, int64_t e, int64_t i, int64_t key, hl_real weight)
{
    int64_t n_keys = m->causal ? i + 1 : m->lengths[e];
    for (int64_t j = 0; j < n_keys; j++) {
        *made_up_at(m, e, i, j) = j == key ? weight : (1 - weight) / (hl_real)(n_keys - 1);
    }
}

/* A query that is walked to, and what it may attend to. */
typedef struct made_up_query {
    int64_t e, i; /* its example and its place */
    int64_t next; /* the place of the next one */
    int64_t n_keys;
    int64_t largest; /* the key with the largest weight, the first of equals */
} made_up_query;

/* Moves to the next query; from a zeroed one, to the first. Returns false if there are no more. */
static inline bool made_up_next(made_up *m, made_up_query *q)
{
    while (q->e < m->n_examples && q->next == m->lengths[q->e]) {
        *q = (made_up_query){ .e = q->e + 1 };
    }
    if (q->e == m->n_examples) {
        return false;
    }
    q->i = q->next++;
    q->n_keys = 0;
    for (int64_t j = m->n_tokens - 1; j >= 0; j--) { /* backwards: the last found of equals is the first */
        if (made_up_permits(m, q->e, q->i, j)) {
            bool largest = q->n_keys++ == 0 || *made_up_at(m, q->e, q->i, j) >= *made_up_at(m, q->e, q->i, q->largest);
            q->largest = largest ? j : q->largest;
        }
    }
    return true;
}

/* Puts the label's ideal in the place of the weights; rows without one are spread evenly. */
static inline void made_up_idealise(made_up *m, hl_label label)
{
    hl_patterns patterns = made_up_patterns(m);
    made_up_spread_evenly(m);
    for (int64_t e = 0; e < m->n_examples; e++) {
        hl_real ideal[MADE_UP_TOKENS * MADE_UP_TOKENS];
        hl_pattern example = hl_patterns_at(&patterns, e);
        example.weights = NULL;
        hl_label_ideal(label, &example, ideal);
        for (int64_t i = 0; i < m->lengths[e]; i++) {
            for (int64_t j = 0; j < m->lengths[e] && ideal[i * m->n_tokens] >= 0; j++) {
                if (made_up_permits(m, e, i, j)) {
                    *made_up_at(m, e, i, j) = ideal[i * m->n_tokens + j];
                }
            }
        }
    }
}

/* Random lengths, weights with some zeros, sources and partners, some of them none or forbidden, and tokens of which
 * many are the same and some special, as if padding were text too. */
static inline made_up made_up_random(uint64_t seed, bool causal)
{
    hl_random random = { .seed = seed, .stream = 5 };
    uint64_t position = 0;
    made_up m = made_up_empty(1 + (int64_t)hl_random_below(random, position, MADE_UP_MOST),
                              1 + (int64_t)hl_random_below(random, position + 1, MADE_UP_TOKENS), causal);
    position += 2;
    for (int64_t e = 0; e < m.n_examples; e++) {
        m.lengths[e] = 1 + (int32_t)hl_random_below(random, position++, (uint32_t)m.n_tokens);
        for (int64_t i = 0; i < m.n_tokens; i++) {
            *made_up_token(&m, e, i) = 1 + (int32_t)hl_random_below(random, position++, 7);
        }
        for (int64_t i = 0; i < m.lengths[e]; i++) {
            hl_real sum = 0;
            *made_up_source(&m, e, i) = (int32_t)hl_random_below(random, position++, (uint32_t)m.lengths[e] + 1) - 1;
            for (int64_t r = 0; r < MADE_UP_RELATIONS; r++) {
                uint32_t partner = hl_random_below(random, position++, 2 * (uint32_t)m.lengths[e]);
                *made_up_partner(&m, e, r, i) = partner < (uint32_t)m.lengths[e] ? (int32_t)partner : HL_IGNORE;
            }
            for (int64_t j = 0; j < m.lengths[e]; j++) {
                hl_real u = hl_random_uniform(random, position++);
                if (made_up_permits(&m, e, i, j)) {
                    *made_up_at(&m, e, i, j) = j > 0 && u < (hl_real)0.2 ? 0 : u * u * u + (hl_real)0.001;
                    sum += *made_up_at(&m, e, i, j);
                }
            }
            for (int64_t j = 0; j < m.lengths[e]; j++) {
                if (made_up_permits(&m, e, i, j)) {
                    *made_up_at(&m, e, i, j) /= sum;
                }
            }
        }
    }
    return m;
}
