#include "programs/shell_word.h"

#include "core/base/shown_text.h"

#include <string.h>

void hl_shell_word(hl_text *text, const char *word, const char *tail)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=+-";
    bool quotes = word[strspn(word, plain)] != '\0', spells = hl_shown_text(NULL, 0, word) != strlen(word);
    hl_text_print(text, "%s%s", spells ? "$" : "", quotes ? "'" : "");
    hl_shown shown;
    for (const char *rest; (rest = hl_shown_next(word, false, &shown)) != NULL; word = rest) {
        size_t length = (size_t)(rest - word);
        bool as_it_is = strncmp(shown.bytes, word, length) == 0 && shown.bytes[length] == '\0';
        if (as_it_is && *word == '\'') {
            hl_text_print(text, spells ? "\\'" : "'\\''");
        } else if (as_it_is) {
            hl_text_print(text, "%s%s", spells && *word == '\\' ? "\\" : "", shown.bytes);
        }
        for (; !as_it_is && word < rest; word++) {
            hl_text_print(text, "\\x%02x", (unsigned)(unsigned char)*word);
        }
    }
    hl_text_print(text, "%s%s", tail, quotes ? "'" : "");
}
