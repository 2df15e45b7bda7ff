#include "data/text/private/conllu_input.h"

#include "core/base/private/utf8.h"
#include "data/text/conllu.h"
#include "data/text/unicode/private/unicode.h"

#include <inttypes.h>
#include <string.h>

/* Reads up to the line that decides what the file is. A file without such a line is a text: it has only lines that
 * begin with #, or none. */
static hl_status look_ahead(hl_conllu_input *input)
{
    hl_line line;
    int64_t size = 0;
    bool told = false;
    hl_lines_keep(input->lines);
    while (!told) {
        HL_TRY(hl_lines_next(input->lines, &line));
        if (line.text == NULL) {
            break;
        }
        if (size + (int64_t)line.size > HL_CONLLU_BYTES) {
            return hl_lines_bad(input->lines, line.number, "before it stand %d bytes of comments, and no word",
                                HL_CONLLU_BYTES);
        }
        size += (int64_t)(line.size + strlen(hl_line_end(&line)));
        told = line.size > 0 && line.text[0] != '#';
    }
    input->may_be_text = false; /* decided now */
    input->is_text = !told || memchr(line.text, '\t', line.size) == NULL;
    hl_lines_rewind(input->lines);
    return hl_ok();
}

hl_status hl_conllu_input_next(hl_conllu_input *input, hl_line *line)
{
    HL_TRY(input->may_be_text ? look_ahead(input) : hl_ok());
    HL_TRY(hl_lines_next(input->lines, line));
    bool tab = input->is_text && line->size > 0 && memchr(line->text, '\t', line->size) != NULL;
    return !tab ? hl_ok()
                : hl_lines_bad(input->lines, line->number,
                               "has a tab, but the file is read as plain text, because its first line has none");
}

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
