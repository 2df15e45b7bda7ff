#include "programs/options.h"

#include "core/base/memory.h"
#include "core/base/nearest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64 };

static void name_of(const char *word, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%.*s", (int)strcspn(word + 2, "="), word + 2);
}

static hl_status unknown(const hl_option *options, int n, const char *word)
{
    /* The option that was most likely meant; NULL: none is similar, or there is no memory to look. */
    char name[NAME_ROOM] = "";
    const char **names = hl_calloc((size_t)n, sizeof *names);
    for (int i = 0; i < n && names != NULL; i++) {
        names[i] = options[i].name;
    }
    if (strncmp(word, "--", 2) == 0) {
        name_of(word, name);
    }
    int nearest = names != NULL ? hl_nearest_name(name, names, n) : -1;
    hl_free(names);
    const char *meant = nearest >= 0 ? options[nearest].name : NULL;
    return meant == NULL ? hl_error(HL_INVALID, "command line: %s: unknown option; see --help", word)
                         : hl_error(HL_INVALID, "command line: %s: unknown option (did you mean \"--%s\"?); see --help",
                                    word, meant);
}

static hl_status read_integer(const hl_option *option, const char *value, int64_t *number)
{
    char *end;
    errno = 0;
    long long read = strtoll(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || read < option->least || read > option->most) {
        return hl_error(HL_INVALID, "command line: --%s: \"%s\" is not a whole number in %lld .. %lld", option->name,
                        value, (long long)option->least, (long long)option->most);
    }
    *number = read;
    return hl_ok();
}

static hl_status read_number(const hl_option *option, const char *value, double *number)
{
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end != '\0' || !(*number >= option->from && *number <= option->to)) {
        return hl_error(HL_INVALID, "command line: --%s: \"%s\" is not a number in %g .. %g", option->name, value,
                        option->from, option->to);
    }
    return hl_ok();
}

static hl_status read_value(const hl_option *option, const char *value, void *command)
{
    void *field = (char *)command + option->offset;
    int64_t number;
    switch (option->kind) {
    case HL_OPTION_FLAG:
        *(bool *)field = true;
        return hl_ok();
    case HL_OPTION_TEXT:
    case HL_OPTION_FILE:
        *(const char **)field = value;
        return *value != '\0'
                   ? hl_ok()
                   : hl_error(HL_INVALID, "command line: --%s: its value is empty; see --help", option->name);
    case HL_OPTION_INT:
        HL_TRY(read_integer(option, value, &number));
        *(int *)field = (int)number;
        return hl_ok();
    case HL_OPTION_INTEGER:
        return read_integer(option, value, field);
    case HL_OPTION_NUMBER:
        return read_number(option, value, field);
    case HL_OPTION_READ:
        break;
    }
    return option->read(option->name, value, command);
}

/* Reads the option in argv[*at], and its value, which may be the word after it; *at goes past both. */
static hl_status read_option(int argc, char **argv, int *at, const hl_option *options, int n, void *command)
{
    const char *word = argv[(*at)++], *equals = strchr(word, '=');
    if (word[1] != '-') {
        return unknown(options, n, word);
    }
    char name[NAME_ROOM];
    name_of(word, name);
    int i = 0;
    while (i < n && strcmp(name, options[i].name) != 0) {
        i++;
    }
    if (i == n) {
        return unknown(options, n, word);
    }
    const hl_option *option = &options[i];
    if (option->kind == HL_OPTION_FLAG) {
        return equals == NULL ? read_value(option, NULL, command)
                              : hl_error(HL_INVALID, "command line: %s: takes no value; see --help", word);
    }
    if (equals != NULL) {
        return read_value(option, equals + 1, command);
    }
    bool file = option->kind == HL_OPTION_FILE;
    if (*at < argc && !(file && argv[*at][0] == '-' && argv[*at][1] != '\0')) {
        return read_value(option, argv[(*at)++], command);
    }
    return file ? read_value(option, "-", command)
                : hl_error(HL_INVALID, "command line: %s: needs a value; see --help", word);
}

hl_status hl_options_read(int argc, char **argv, const hl_option *options, int n,
                          hl_status (*argument)(const char *word, void *command), void *command)
{
    bool options_ended = false;
    for (int at = 1; at < argc;) {
        if (options_ended || argv[at][0] != '-' || argv[at][1] == '\0') {
            HL_TRY(argument(argv[at++], command));
        } else if (strcmp(argv[at], "--") == 0) {
            options_ended = true;
            at++;
        } else {
            HL_TRY(read_option(argc, argv, &at, options, n, command));
        }
    }
    return hl_ok();
}
