#include "core/kernels/sequences.h"

#include <stddef.h>

hl_status hl_sequences_check(const hl_sequences *sequences, int64_t n_rows, bool check_numbers)
{
    long long n = (long long)sequences->n, longest = (long long)sequences->longest;
    if (n < 1 || longest < 1) {
        return hl_error(HL_INVALID, "%lld sequences of up to %lld rows cannot be", n, longest);
    }
    if (!check_numbers) {
        return hl_ok();
    }
    if (sequences->offsets == NULL) {
        return hl_error(HL_INVALID, "the sequences have no offsets");
    }
    for (int64_t b = 0; b < sequences->n; b++) {
        int64_t length = hl_sequences_length(sequences, b);
        if (length < 1 || length > sequences->longest) {
            return hl_error(HL_INVALID, "the length %lld of sequence %lld is not in 1 .. %lld", (long long)length,
                            (long long)b, longest);
        }
    }
    int64_t rows = hl_sequences_first(sequences, sequences->n);
    return rows == n_rows ? hl_ok()
                          : hl_error(HL_INVALID, "the sequences have %lld rows, the tensor has %lld", (long long)rows,
                                     (long long)n_rows);
}
