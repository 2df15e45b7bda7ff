/* Validation sums (heads/validation_sums.h) as arrays in a snapshot's file. */
#pragma once

#include "core/base/status.h"
#include "core/files/npz.h"
#include "heads/validation_sums.h"

#include <stdbool.h>
#include <stddef.h>

/* One of the arrays of 8-byte numbers: counts or means, of which the other pointer is NULL. */
typedef struct hl_sums_array {
    char name[sizeof "all_entropy_normalised_-2147483648"];
    hl_shape shape;
    int64_t **counts;
    double **means;
    double most; /* means are within 0 .. most, but for rounding */
} hl_sums_array;

/* Sets *array to number i, of the examples and then of each layer, in the order in which memory and files hold them;
 * false if there are no more. */
bool hl_validation_sums_array(hl_validation_sums *sums, int i, hl_sums_array *array);

/* Sets the array's pointer in the sums. */
void hl_sums_array_place(const hl_sums_array *array, void *numbers);

/* The number of 8-byte numbers in all arrays together, for examples of T tokens; SIZE_MAX if it does not fit. */
size_t hl_validation_sums_count(const hl_model_config *config, int64_t n_tokens);

/* The most bytes that the arrays need in a file; SIZE_MAX if the value does not fit. */
size_t hl_validation_sums_file_bytes(const hl_model_config *config, int64_t n_tokens);

/* Call it after hl_validation_sums_finish. Adds all_queries int64 and all_uniform float64 (2 T - 1), and
 * all_entropy_uniform float64. For each layer l it adds all_offset_<l> (H, 2 T - 1), all_entropy_<l>,
 * all_entropy_normalised_<l>, all_confidence_<l> (H) float64 and all_entropy_histogram_<l> (H, 20) int64. Errors are
 * stored in the archive. */
void hl_validation_sums_write(const hl_validation_sums *sums, hl_npz_writer *npz);

/* Whether the archive has sums. */
bool hl_validation_sums_are_in(const hl_npz *npz);

/* Reads the sums from an archive of the file `path` that has some. T must be from `least` to `most`.
 * `heads` (n_layers) must outlive *sums, whose arrays belong to the archive. HL_BAD_FILE "<path>: <array>: <what is
 * wrong>" if an array is missing, has another type or shape, or holds a number out of range. */
hl_status hl_validation_sums_read(const hl_npz *npz, const char *path, int n_layers, const int32_t *heads,
                                  int64_t least, int64_t most, hl_validation_sums *sums);
