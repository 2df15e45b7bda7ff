#include "tests/messages.h"

#include "tests/scratch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 8, NAME = 32 };

/* The line after this one; NULL after the last. */
static char *next_line(char *line)
{
    char *end = strchr(line, '\n');
    return end == NULL || end[1] == '\0' ? NULL : end + 1;
}

/* The text after "| " in a line, to `to`; returns its end. */
static char *copy_text(char *to, const char *line, size_t bar)
{
    const char *text = line + bar + 1;
    text += *text == ' ';
    size_t size = strcspn(text, "\n");
    memcpy(to, text, size);
    to[size] = '\0';
    return to + size;
}

/* The text of the message as it stands in the file, with its braces; NULL where there is none. */
static char *text_in_file(const char *id)
{
    size_t size, length = strlen(id);
    char *golden = scratch_read(HL_TEST_MESSAGES, &size);
    ck_assert_msg(golden != NULL, "cannot read %s", HL_TEST_MESSAGES);
    char *text = malloc(size + 1), *end = NULL;
    for (char *line = golden; text != NULL && line != NULL; line = next_line(line)) {
        size_t bar = strcspn(line, "|\n"), named = strcspn(line, " |\n");
        if (end != NULL && (named > 0 || line[bar] != '|')) {
            break;
        }
        if (end != NULL) {
            *end++ = '\n';
            end = copy_text(end, line, bar);
        } else if (line[bar] == '|' && named == length && strncmp(line, id, length) == 0) {
            end = copy_text(text, line, bar);
        }
    }
    free(golden);
    if (end == NULL) {
        free(text);
        return NULL;
    }
    return text;
}

/* The bytes of a place for a word that begins here, "{path}"; 0: none does. */
static size_t place_size(const char *text)
{
    if (*text != '{') {
        return 0;
    }
    size_t name = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
    return name > 0 && name < NAME && text[1 + name] == '}' ? name + 2 : 0;
}

/* What stands for {scratch} and {tree}, the test's own folder and that of the sources, without a word of the test. */
static const char *own_word(const char *place)
{
    if (strncmp(place, "{scratch}", 9) == 0) {
        return scratch_folder();
    }
    static const char below[] = "/tests/golden/messages", golden[] = HL_TEST_MESSAGES;
    return strncmp(place, "{tree}", 6) == 0 ? scratch_format("%.*s", (int)(sizeof golden - sizeof below), golden)
                                            : NULL;
}

char *message_text_of(const char *const *words)
{
    const char *id = words[0], *names[MOST_WORDS];
    size_t n_words = 0, n_names = 0, size = 1;
    char *text = text_in_file(id), *full = NULL;
    ck_assert_msg(text != NULL, "%s has no message %s", HL_TEST_MESSAGES, id);
    while (words[1 + n_words] != NULL) {
        n_words++;
    }
    FILE *stream = open_memstream(&full, &size);
    ck_assert_ptr_nonnull(stream);
    for (const char *c = text; *c != '\0';) {
        size_t place = place_size(c), k = 0;
        if (place == 0) {
            fputc(*c++, stream);
            continue;
        }
        if (own_word(c) != NULL) {
            fputs(own_word(c), stream);
            c += place;
            continue;
        }
        while (k < n_names && strncmp(names[k], c, place) != 0) {
            k++;
        }
        ck_assert_msg(k < MOST_WORDS && k < n_words, "%s: no word is given for %.*s", id, (int)place, c);
        names[k] = c;
        n_names += k == n_names;
        fputs(words[1 + k], stream);
        c += place;
    }
    ck_assert_msg(n_names == n_words, "%s: %zu words are given for %zu", id, n_words, n_names);
    ck_assert_int_eq(fclose(stream), 0);
    free(text);
    return full;
}

void message_check_text_words(const char *file, int line, const char *text, const char *const *words)
{
    char *expected = message_text_of(words);
    ck_assert_msg(strcmp(text, expected) == 0, "%s:%d: %s is\n%s\nand not\n%s", file, line, words[0], text, expected);
    free(expected);
}

void message_check_words(const char *file, int line, hl_status status, hl_code code, const char *const *words)
{
    ck_assert_msg(status.code == code, "%s:%d: %s: code %d and not %d: %s", file, line, words[0], (int)status.code,
                  (int)code, status.text);
    message_check_text_words(file, line, status.text, words);
}

const char *message_place(const char *path, int line)
{
    enum { KEPT = 8 };
    static char places[KEPT][1024];
    static int next;
    char *place = places[next++ % KEPT];
    snprintf(place, sizeof places[0], "%s:%d", path, line);
    return place;
}
