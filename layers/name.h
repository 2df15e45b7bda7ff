/* Names of modules, and their parameters, in PyTorch's spelling, such as "encoder.layers.0.self_attn". */
#pragma once

#include "core/base/declarations.h"
#include "core/parameters.h"

HL_BEGIN_DECLS

enum { HL_NAME_TEXT = 96 };

typedef struct hl_name {
    char text[HL_NAME_TEXT];
} hl_name;

/* A name formatted as by printf, cut at HL_NAME_TEXT - 1 bytes. Cannot fail. */
hl_name hl_name_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Register the parameter <module>.<part>. A matrix: Xavier uniform, `n_matrices` (hl_parameter_spec) stacked in its
 * rows. A table, whose part is "weight": normal, with that deviation. Matrices and tables decay; vectors do not. */
hl_tensor *hl_name_matrix(hl_parameters *parameters, hl_name module, const char *part, int64_t rows, int64_t columns,
                          int64_t n_matrices);
hl_tensor *hl_name_table(hl_parameters *parameters, hl_name module, int64_t rows, int64_t columns, hl_real deviation);
hl_tensor *hl_name_vector(hl_parameters *parameters, hl_name module, const char *part, int64_t n, hl_init init);

HL_END_DECLS
