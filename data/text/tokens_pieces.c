/* What grows while a text is cut: its pieces, and its normalized text. */
#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"

void hl_pieces_free(hl_pieces *pieces)
{
    hl_free(pieces->at);
    hl_tokens_scratch *scratch = pieces->scratch;
    if (scratch != NULL) {
        hl_free(scratch->plain);
        hl_free(scratch->origins);
        hl_free(scratch->marks);
        hl_free(scratch->word);
        hl_free(scratch->hashes);
        hl_free(scratch->symbols);
        hl_free(scratch->heap.at);
        hl_free(scratch->best);
        hl_free(scratch->wrapped.at);
        hl_free(scratch);
    }
    *pieces = (hl_pieces){ 0 };
}

hl_status hl_pieces_add(hl_pieces *pieces, int32_t id, size_t begin, size_t end)
{
    HL_NEED(HL_GROW(pieces->at, pieces->capacity, pieces->n + 1), "a text's pieces");
    pieces->at[pieces->n++] = (hl_piece){ .id = id, .begin = begin, .end = end };
    return hl_ok();
}

hl_status hl_tokens_add_plain(hl_tokens_scratch *scratch, const char *bytes, size_t size, hl_origin origin)
{
    size_t n = scratch->n_plain + size;
    if (n >= INT32_MAX) {
        return hl_error(HL_INVALID, "a text becomes longer than 2 GiB when it is normalized");
    }
    HL_NEED(HL_GROW(scratch->plain, scratch->plain_capacity, n) &&
                HL_GROW(scratch->origins, scratch->origins_capacity, n),
            "a normalized text");
    for (size_t i = scratch->n_plain; i < n; i++) {
        scratch->plain[i] = *bytes++;
        scratch->origins[i] = origin;
    }
    scratch->n_plain = n;
    return hl_ok();
}
