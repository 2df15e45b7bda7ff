/* A strict reader of INI text in memory: `[section]`, `key = value`, comments from `#` or `;` to the end of the line
 * wherever they stand, but for a value in quotes, `"a # b"`, in which `\"`, `\\` and, for any byte but 0, `\x0a` stand
 * for what could not stand there. A line is a line: indented ones are not joined, long ones are not cut, what cannot be
 * read is reported. Which sections and keys there are is the caller's affair.
 *
 *     hl_ini ini;
 *     hl_ini_begin(&ini, text, size);
 *     for (hl_ini_kind kind; (kind = hl_ini_next(&ini)) != HL_INI_END;) { ... ini.line, ini.name, ini.value ... } */
#ifndef HL_TRAIN_INI_H
#define HL_TRAIN_INI_H

#include "core/base/declarations.h"

#include <stdbool.h>
#include <stddef.h>

HL_BEGIN_DECLS

enum { HL_INI_MAX_LINE = 4096, HL_INI_WRONG_TEXT = 128 };

typedef enum hl_ini_kind {
    HL_INI_END,
    HL_INI_SECTION,       /* name */
    HL_INI_PAIR,          /* name, value; the value may be "" */
    HL_INI_WRONG,         /* wrong: what is wrong with this line, which says nothing else */
    HL_INI_WRONG_SECTION, /* as HL_INI_WRONG, of a line that starts with '[': what follows belongs to no section */
} hl_ini_kind;

typedef struct hl_ini {
    int line; /* of the last item, from 1 */
    const char *name;
    const char *value;
    char wrong[HL_INI_WRONG_TEXT];
    char buffer[HL_INI_MAX_LINE + 1]; /* the reader's own, with all that follows: the line, cut up */
    const char *next, *end;           /* what is still to be read */
    int lines_read;
} hl_ini;

/* Starts reading `size` bytes, which must stay until the end. Cannot fail. */
void hl_ini_begin(hl_ini *ini, const char *text, size_t size);

/* Reads on to the next item; blank lines and comments are none. `name` and `value` are valid until the next call,
 * trimmed of spaces and tabs, not empty (but for a value), and free of control characters (but for a value in quotes,
 * which is without them and has what was meant). Lines end in \n or \r\n.
 * Wrong are: a line over HL_INI_MAX_LINE bytes, control bytes other than a tab, bytes that are no UTF-8, a byte order
 * mark, a section without name or `]` or with something after it, a line without `=`, a missing key, a quote that does
 * not end, or does before the value. */
hl_ini_kind hl_ini_next(hl_ini *ini);

/* Whether the bytes may stand in a line: UTF-8 without control bytes (a tab is allowed). Else says why in `wrong`. */
bool hl_ini_bytes_allowed(const char *text, size_t size, char wrong[HL_INI_WRONG_TEXT]);

/* Replaces a value that begins with a quote by what stands in it, in place; any other stays. False where it cannot be
 * read so: `wrong` says why, and the value is not to be used. */
bool hl_ini_unquote(char *text, char wrong[HL_INI_WRONG_TEXT]);

/* Writes the value as it can stand behind `key = `: in quotes where it must be. False where `size` is too small. */
bool hl_ini_quote(const char *value, char *text, size_t size);

/* Cuts spaces and tabs off both ends, in place; returns the new start. */
char *hl_ini_trim(char *text);

HL_END_DECLS

#endif
