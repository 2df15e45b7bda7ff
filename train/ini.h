/* A strict reader of INI text in memory: `[section]`, `key = value`, and comments from `#` or `;` to the end of the
 * line. A value in quotes, such as `"a # b"`, may contain these characters. In it, `\"`, `\\` and `\x0a` (for any byte
 * but 0) stand for characters that could not appear otherwise. Lines are read as they are: indented lines are not
 * joined, long lines are not cut, and whatever cannot be read is reported. The caller decides which sections and keys
 * exist.
 *
 *     hl_ini ini;
 *     hl_ini_begin(&ini, text, size);
 *     for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) { ... ini.line, ini.name, ini.value ... } */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

enum { HL_INI_MAX_LINE = 4096, HL_INI_WRONG_TEXT = 128 };

typedef enum hl_ini_kind {
    HL_INI_END,
    HL_INI_SECTION,       /* name */
    HL_INI_PAIR,          /* name, value; the value may be "" */
    HL_INI_WRONG,         /* wrong: what is wrong with this line; no other field is set */
    HL_INI_WRONG_SECTION, /* as HL_INI_WRONG, for a line that starts with '[': the following lines belong to no
                             section */
} hl_ini_kind;

typedef struct hl_ini {
    int line; /* of the last item, counted from 1 */
    const char *name;
    const char *value;
    char wrong[HL_INI_WRONG_TEXT];
    char buffer[HL_INI_MAX_LINE + 1]; /* the reader's own, like all fields below: the line, cut into parts */
    const char *next, *end;           /* the text that is still unread */
    int lines_read;
} hl_ini;

/* Starts reading `size` bytes, which must stay valid until the end. Cannot fail. */
void hl_ini_begin(hl_ini *ini, const char *text, size_t size);

/* Reads on to the next item; blank lines and comments are skipped. `name` and `value` are valid until the next call.
 * They are trimmed of spaces and tabs, are not empty (a value may be), and have no control characters (a value in
 * quotes may have them; it is returned without quotes and with its escapes replaced). Lines end in \n or \r\n. Errors:
 * a line over HL_INI_MAX_LINE bytes, control bytes other than a tab, bytes that are not UTF-8, a byte order mark, a
 * section without a name or `]` or with text after it, a line without `=`, a missing key, a quote that does not end or
 * ends before the value does. */
hl_ini_kind hl_ini_next(hl_ini *ini);

/* Whether the bytes may appear in a line: UTF-8 without control bytes (a tab is allowed). If not, `wrong` says why. */
bool hl_ini_bytes_allowed(const char *text, size_t size, char wrong[HL_INI_WRONG_TEXT]);

/* Replaces a value in quotes by its content, in place; any other value stays. False if it cannot be read: `wrong` says
 * why, and the value must not be used. */
bool hl_ini_unquote(char *text, char wrong[HL_INI_WRONG_TEXT]);

/* Writes the value as it can appear after `key = `: in quotes if needed. False if `size` is too small. */
bool hl_ini_quote(const char *value, char *text, size_t size);

/* Removes spaces and tabs from both ends, in place. Returns the new start. */
char *hl_ini_trim(char *text);

HL_END_DECLS
