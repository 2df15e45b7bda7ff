#include "train/options.h"

#include "train/nearest.h"

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

hl_status hl_option_unknown(const hl_option *options, int n, const char *argument)
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

hl_status hl_option_read(const hl_option *options, int n, int argc, char **argv, int *at, int *option,
                         const char **value)
{
    const char *argument = argv[*at], *equals = strchr(argument, '=');
    char name[NAME_ROOM];
    name_of(argument, name);
    for (*option = 0; *option < n && strcmp(name, options[*option].name) != 0;) {
        ++*option;
    }
    if (*option == n) {
        return hl_option_unknown(options, n, argument);
    }
    hl_option_value kind = options[*option].value;
    *value = equals != NULL ? equals + 1 : NULL;
    if (kind == HL_OPTION_NO_VALUE && equals != NULL) {
        return hl_error(HL_INVALID, "command line: %s: takes no value; see --help", argument);
    }
    if (kind == HL_OPTION_NO_VALUE || equals != NULL) {
        return hl_ok();
    }
    bool follows = *at + 1 < argc && (kind == HL_OPTION_VALUE || is_value(argv[*at + 1]));
    if (!follows && kind == HL_OPTION_VALUE) {
        return hl_error(HL_INVALID, "command line: %s: needs a value; see --help", argument);
    }
    *value = follows ? argv[++*at] : "-";
    return hl_ok();
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
