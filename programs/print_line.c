#include "programs/print_line.h"

#include "core/base/shown_text.h"
#include "train/terminal.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* Where a line goes on below itself: the column of the text after two or more blanks, else that of its first word. */
static int hanging_column(const char *line, int length)
{
    int indent = (int)strspn(line, " ");
    for (int at = indent; at + 2 < length; at++) {
        if (line[at] == ' ' && line[at + 1] == ' ') {
            return at + (int)strspn(line + at, " ");
        }
    }
    return indent;
}

/* Up to the next blank; what stands in single quotes is one word. */
static int word_length(const char *word, int room)
{
    const char *quote = *word == '\'' ? memchr(word + 1, '\'', (size_t)(room - 1)) : NULL;
    int length = quote != NULL ? (int)(quote - word) : 0;
    while (length < room && word[length] != ' ') {
        length++;
    }
    return length;
}

static int columns_of(const char *word, int length)
{
    int columns = 0;
    for (int i = 0; i < length; i++) {
        columns += ((unsigned char)word[i] & 0xc0) != 0x80; /* not those bytes of UTF-8 that continue a character */
    }
    return columns;
}

static void print_folded(FILE *to, const char *line, int length, int width)
{
    int hang = hanging_column(line, length), column = 0;
    hang = hang < width / 2 ? hang : width / 2;
    for (int at = 0; at < length;) {
        int blanks = (int)strspn(line + at, " ");
        blanks = blanks < length - at ? blanks : length - at;
        int word = word_length(line + at + blanks, length - at - blanks);
        int columns = columns_of(line + at + blanks, word);
        bool fits = column + blanks + columns <= width || column <= hang;
        fprintf(to, "%s%*s%.*s", fits ? "" : "\n", fits ? blanks : hang, "", word, line + at + blanks);
        column = (fits ? column + blanks : hang) + columns;
        at += blanks + word;
    }
}

void hl_print_wrapped(FILE *to, const char *text, int width)
{
    width = isatty(fileno(to)) ? hl_terminal_of(to).width : width;
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        if (width > 0) {
            print_folded(to, text, length, width);
        } else {
            fprintf(to, "%.*s", length, text);
        }
        text += length;
        if (*text == '\n') {
            fputc(*text++, to);
        }
    }
}

void hl_print_line(FILE *to, const char *format, ...)
{
    char shown[4096];
    va_list arguments;
    va_start(arguments, format);
    hl_shown_print(shown, sizeof shown, format, arguments);
    va_end(arguments);
    hl_print_wrapped(to, shown, 0);
    fputc('\n', to);
}

hl_status hl_print_text(FILE *to, hl_text *text)
{
    hl_status status = hl_text_status(text);
    if (status.code == HL_OK && text->size > 0 && to != NULL) {
        fputs(text->bytes, to);
        fflush(to);
    }
    hl_text_free(text);
    return status;
}
