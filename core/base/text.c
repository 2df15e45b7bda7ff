#include "core/base/text.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hl_text_fail(hl_text *text, hl_status error)
{
    if (error.code != HL_OK && text->error.code == HL_OK) {
        hl_text_free(text);
        text->error = error;
    }
}

const char *hl_text_part(hl_text *text, const hl_text *part)
{
    hl_text_fail(text, part->error);
    return part->bytes != NULL ? part->bytes : "";
}

void hl_text_flush(hl_text *text)
{
    if (text->drain != NULL && text->error.code == HL_OK && text->size > 0) {
        hl_text_fail(text, text->drain(text->context, text->bytes, text->size));
        text->size = 0;
    }
}

static void flush_much(hl_text *text)
{
    enum { MUCH = 1 << 16 };
    if (text->size >= MUCH) {
        hl_text_flush(text);
    }
}

/* Makes room for `more` bytes and a zero byte. */
static bool reserve(hl_text *text, size_t more)
{
    size_t needed = text->size + more + 1;
    if (text->error.code != HL_OK || needed <= text->capacity) {
        return text->error.code == HL_OK;
    }
    size_t capacity = needed > 2 * text->capacity ? needed : 2 * text->capacity;
    char *bytes = hl_realloc(text->bytes, capacity, 1);
    if (bytes == NULL) {
        hl_text_fail(text, hl_error_memory("text"));
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void hl_text_vprint(hl_text *text, const char *format, va_list arguments)
{
    flush_much(text);
    va_list again;
    va_copy(again, arguments);
    size_t room = text->capacity - text->size; /* usually enough, so that most texts are formatted only once */
    int length = vsnprintf(room > 0 ? text->bytes + text->size : NULL, room, format, arguments);
    if (length >= 0 && (size_t)length >= room && reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
    }
    if (length >= 0 && text->error.code == HL_OK) {
        text->size += (size_t)length;
    }
    va_end(again);
}

void hl_text_print(hl_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hl_text_vprint(text, format, arguments);
    va_end(arguments);
}

void hl_text_add(hl_text *text, const void *bytes, size_t count)
{
    flush_much(text);
    if (count > 0 && reserve(text, count)) {
        memcpy(text->bytes + text->size, bytes, count);
        text->size += count;
        text->bytes[text->size] = '\0';
    }
}

void hl_text_shown(hl_text *text, const char *bytes)
{
    hl_shown shown;
    while ((bytes = hl_shown_next(bytes, false, &shown)) != NULL) {
        hl_text_add(text, shown.bytes, strlen(shown.bytes));
    }
}

/* Turns the last space at which a line still fits into a newline, for each line in turn. */
static void wrap(char *line, size_t width)
{
    char *space = NULL;
    for (char *at = line; *at != '\0'; at++) {
        if (*at == ' ') {
            space = at;
        }
        if ((size_t)(at - line) >= width && space != NULL) {
            *space = '\n';
            line = space + 1;
            space = NULL;
        }
    }
}

void hl_text_paragraph(hl_text *text, int width, const char *format, ...)
{
    hl_text raw = { 0 }, shown = { 0 };
    va_list arguments;
    va_start(arguments, format);
    hl_text_vprint(&raw, format, arguments);
    va_end(arguments);
    hl_text_print(&shown, "%s", ""); /* so that there are bytes, even for an empty paragraph */
    hl_text_shown(&shown, hl_text_part(text, &raw));
    hl_text_fail(text, shown.error);
    if (shown.error.code == HL_OK) {
        wrap(shown.bytes, (size_t)width);
        hl_text_print(text, "%s\n", shown.bytes);
    }
    hl_text_free(&shown);
    hl_text_free(&raw);
}

hl_status hl_text_status(const hl_text *text)
{
    return text->error;
}

void hl_text_free(hl_text *text)
{
    hl_free(text->bytes);
    *text = (hl_text){ 0 };
}

hl_status hl_text_check_format(const char *path, const char *text, int newest)
{
    static const char key[] = "# Format: ";
    while (*text == '#' && strncmp(text, key, sizeof key - 1) != 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    long long format = *text == '#' ? strtoll(text + sizeof key - 1, NULL, 10) : 1;
    return format > newest ? hl_error_newer(path, format, newest) : hl_ok();
}
