/* The parts of a model that write into the residual stream (heads/writes.h). */
#pragma once

#include "core/base/declarations.h"
#include "heads/estimate.h"

#include <stdint.h>

HL_BEGIN_DECLS

typedef enum hl_writer_kind {
    HL_WRITER_EMBEDDING,
    HL_WRITER_HEAD,
    HL_WRITER_ATTENTION_BIAS,
    HL_WRITER_FEED_FORWARD,
    HL_WRITER_NORM_BIAS,
    HL_WRITER_OUTPUT_BIAS,
} hl_writer_kind;

typedef struct hl_writer {
    hl_writer_kind kind;
    int layer;          /* -1: no layer */
    int64_t number;     /* a head's number; for a norm's bias 1 or 2, and 0 for the encoder's last norm; else 0 */
    hl_estimate direct; /* the mean over examples of each example's mean over its scored positions */
} hl_writer;

/* "embedding", "L0H1", "L0 attention bias", "L0 feed-forward", "L0 norm1 bias", "last norm bias", "output bias". */
enum { HL_WRITER_NAME = 32 };
void hl_writer_name(const hl_writer *writer, char name[HL_WRITER_NAME]);

HL_END_DECLS
