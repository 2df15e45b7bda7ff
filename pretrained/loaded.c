/* What hl_pretrained_load did, in lines. */
#include "pretrained/pretrained.h"

void hl_pretrained_print_loaded(const hl_pretrained_loaded *loaded, hl_text *text)
{
    hl_text_print(text, "loaded: %lld parameters, %lld numbers", (long long)loaded->n_loaded,
                  (long long)loaded->n_numbers);
    hl_text_print(text, loaded->rows_cut > 0 ? "; positions.weight without its last %lld rows\n" : "\n",
                  (long long)loaded->rows_cut);
    hl_text_print(text, "drawn anew: %s\n", loaded->n_drawn > 0 ? loaded->drawn.bytes : "nothing");
    hl_text_print(text, "not used: %s\n", loaded->n_unused > 0 ? loaded->unused.bytes : "nothing");
}

void hl_pretrained_loaded_free(hl_pretrained_loaded *loaded)
{
    hl_text_free(&loaded->drawn);
    hl_text_free(&loaded->unused);
    *loaded = (hl_pretrained_loaded){ 0 };
}
