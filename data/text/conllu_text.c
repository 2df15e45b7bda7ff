#include "data/text/private/conllu_text.h"

#include "core/base/private/utf8.h"
#include "data/text/unicode/private/unicode.h"

#include <inttypes.h>

static bool is_white(const char *text, size_t size, size_t *bytes)
{
    uint32_t code;
    *bytes = hl_utf8_decode(text, size, &code);
    return hl_byte_level_kind(code) == HL_KIND_WHITE;
}

bool hl_conllu_add_text(hl_text *text, const hl_line *line)
{
    int64_t n = 0;
    for (size_t at = 0, bytes; at < line->size;) {
        size_t end = at;
        while (end < line->size && !is_white(line->text + end, line->size - end, &bytes)) {
            end += bytes;
        }
        if (end > at) {
            hl_text_print(text, "%" PRId64 "\t", ++n);
            hl_text_add(text, line->text + at, end - at);
            hl_text_print(text, "\t_\t_\t_\t_\t_\t_\t_\t_\n");
        }
        at = end + (end < line->size ? bytes : 0);
    }
    hl_text_add(text, "\n", n > 0);
    return n > 0;
}
