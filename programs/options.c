#include "programs/options.h"

#include "core/nearest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32, NAME_ROOM = 64 };

static void name_of(const char *argument, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
}

static hl_status unknown(const hl_option *options, int n, const char *argument)
{
    const char *names[MAX_OPTIONS];
    for (int i = 0; i < n && i < MAX_OPTIONS; i++) {
        names[i] = options[i].name;
    }
    char name[NAME_ROOM] = "";
    if (strncmp(argument, "--", 2) == 0) {
        name_of(argument, name);
    }
    int nearest = hl_nearest_name(name, names, n < MAX_OPTIONS ? n : MAX_OPTIONS);
    if (nearest < 0) {
        return hl_error(HL_INVALID, "command line: %s: unknown option; see --help", argument);
    }
    return hl_error(HL_INVALID, "command line: %s: unknown option (did you mean \"--%s\"?); see --help", argument,
                    names[nearest]);
}

static bool is_value(const char *word)
{
    return word[0] != '-' || word[1] == '\0';
}

static hl_status read_option(hl_option_words *words, const hl_option *options, int n, int *option, const char **value)
{
    const char *argument = words->argv[words->at - 1], *equals = strchr(argument, '=');
    char name[NAME_ROOM];
    name_of(argument, name);
    for (*option = 0; *option < n && strcmp(name, options[*option].name) != 0;) {
        ++*option;
    }
    if (*option == n) {
        return unknown(options, n, argument);
    }
    hl_option_value kind = options[*option].value;
    *value = equals != NULL ? equals + 1 : NULL;
    if (kind == HL_OPTION_NO_VALUE && equals != NULL) {
        return hl_error(HL_INVALID, "command line: %s: takes no value; see --help", argument);
    }
    if (kind == HL_OPTION_NO_VALUE || equals != NULL) {
        return hl_ok();
    }
    bool follows = words->at < words->argc && (kind == HL_OPTION_VALUE || is_value(words->argv[words->at]));
    if (!follows && kind == HL_OPTION_VALUE) {
        return hl_error(HL_INVALID, "command line: %s: needs a value; see --help", argument);
    }
    *value = follows ? words->argv[words->at++] : "-";
    return hl_ok();
}

bool hl_option_words_left(hl_option_words *words)
{
    if (words->at < words->argc && !words->options_ended && strcmp(words->argv[words->at], "--") == 0) {
        words->options_ended = true;
        words->at++;
    }
    return words->at < words->argc;
}

hl_status hl_option_next(hl_option_words *words, const hl_option *options, int n, int *option, const char **value)
{
    const char *word = words->argv[words->at++];
    if (words->options_ended || word[0] != '-') {
        *option = -1;
        *value = word;
        return hl_ok();
    }
    return word[1] == '-' ? read_option(words, options, n, option, value) : unknown(options, n, word);
}

hl_status hl_option_integer(const char *name, const char *text, long long least, long long most, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < least || *value > most) {
        return hl_error(HL_INVALID, "command line: --%s: \"%s\" is no whole number in %lld .. %lld", name, text, least,
                        most);
    }
    return hl_ok();
}

hl_status hl_option_seconds(const char *name, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !(*value >= 0.001 && *value <= 3600)) {
        return hl_error(HL_INVALID, "command line: --%s: \"%s\" is no number in 0.001 .. 3600", name, text);
    }
    return hl_ok();
}
