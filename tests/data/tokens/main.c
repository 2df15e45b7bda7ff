/* Encodes for check_tokens.py, which compares with the `tokenizers` library.
 *
 * usage: tokens_of FILE [--lowercase] [--specials] [--pair] [--silent]   lines of text in, lines of
 *                                                                        id:begin:end:type out
 *        tokens_of --unicode                                             what the tables say of every code point
 *        tokens_of --copy FILE OUT                                       writes OUT, a tokens.json or tokenizer.json
 *        tokens_of --strings                                             the texts of token_strings.h
 *        tokens_of --learn KIND SIZE TEXT OUT [--lowercase]              learns from a file's lines, writes tokens.json
 *
 * FILE: a tokens.json, tokenizer.json, *.txt (vocab.txt), or vocab.json beside merges.txt. In the lines \n, \r and \\
 * stand for those characters. */
#include "core/base/memory.h"
#include "data/text/tokens_file.h"
#include "data/text/tokens_learn.h"
#include "data/text/unicode/private/unicode.h"
#include "tests/data/token_strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(hl_status status)
{
    fprintf(stderr, "%s\n", status.text);
    return 1;
}

static void unescape(char *line, size_t *size)
{
    size_t n = 0;
    for (size_t i = 0; i < *size; i++) {
        char c = line[i];
        if (c == '\\' && i + 1 < *size) {
            c = line[++i];
            c = (char)(c == 'n' ? '\n' : c == 'r' ? '\r' : c);
        }
        line[n++] = c;
    }
    *size = n;
}

static hl_status load(const char *path, bool lowercase, hl_tokens **tokens)
{
    bool ignored;
    if (strstr(path, "tokenizer") != NULL) {
        return hl_tokens_load_tokenizer(path, tokens, &ignored);
    }
    if (strstr(path, "vocab.json") != NULL) {
        char merges[4096];
        snprintf(merges, sizeof merges, "%.*smerges.txt", (int)(strlen(path) - strlen("vocab.json")), path);
        return hl_tokens_load_merges(path, merges, false, tokens);
    }
    return strstr(path, ".txt") != NULL ? hl_tokens_load_vocabulary(path, lowercase, tokens)
                                        : hl_tokens_load(path, tokens);
}

static hl_status encode_line(const hl_tokens *tokens, const char *line, size_t size, bool specials, bool pair,
                             hl_pieces *pieces)
{
    pieces->n = 0;
    const char *tab = pair ? memchr(line, '\t', size) : NULL;
    size_t first = tab != NULL ? (size_t)(tab - line) : size;
    HL_TRY(hl_tokens_encode(tokens, line, first, specials, pieces));
    if (pair) {
        size_t n = pieces->n;
        if (tab != NULL) {
            HL_TRY(hl_tokens_encode(tokens, tab + 1, size - first - 1, specials, pieces));
        }
        HL_TRY(hl_tokens_wrap(tokens, n, pieces));
    }
    return hl_ok();
}

static int encode(const char *path, bool lowercase, bool specials, bool pair, bool silent)
{
    hl_tokens *tokens;
    hl_status status = load(path, lowercase, &tokens);
    if (status.code != HL_OK) {
        return fail(status);
    }
    hl_pieces pieces = { 0 };
    char *line = NULL;
    size_t capacity = 0, total = 0;
    ssize_t got;
    while (status.code == HL_OK && (got = getline(&line, &capacity, stdin)) > 0) {
        size_t size = (size_t)got - (line[got - 1] == '\n');
        unescape(line, &size);
        status = encode_line(tokens, line, size, specials, pair, &pieces);
        total += pieces.n;
        for (size_t i = 0; i < pieces.n && !silent; i++) {
            printf("%d:%zu:%zu:%d ", pieces.at[i].id, pieces.at[i].begin, pieces.at[i].end, pieces.at[i].type);
        }
        if (!silent) {
            printf("\n");
        }
    }
    if (silent) {
        printf("%zu\n", total);
    }
    free(line);
    hl_pieces_free(&pieces);
    hl_tokens_free(tokens);
    return status.code == HL_OK ? 0 : fail(status);
}

static int copy(const char *path, const char *out)
{
    hl_tokens *tokens;
    hl_status status = load(path, false, &tokens);
    HL_THEN(status,
            strstr(out, "tokenizer") != NULL ? hl_tokens_save_tokenizer(tokens, out) : hl_tokens_save(tokens, out));
    hl_tokens_free(tokens);
    return status.code == HL_OK ? 0 : fail(status);
}

static hl_status next_line(void *context, const char **text, size_t *size)
{
    static char *line;
    static size_t capacity;
    ssize_t got = getline(&line, &capacity, context);
    *text = got > 0 ? line : NULL;
    *size = got > 0 ? (size_t)got - (line[got - 1] == '\n') : 0;
    return hl_ok();
}

static int learn(const char *kind, const char *size, const char *text, const char *out, bool lowercase)
{
    hl_tokens_options options = { .size = atoll(size), .lowercase = lowercase, .roles = 31 };
    while (strcmp(hl_tokens_kind_name(options.kind), kind) != 0) {
        options.kind++;
    }
    options.roles = options.kind == HL_TOKENS_BPE ? 1u << HL_ROLE_UNK : 31;
    FILE *file = fopen(text, "r");
    hl_tokens *tokens = NULL;
    hl_status status = hl_tokens_learn(&options, next_line, file, &tokens);
    if (status.code == HL_OK) {
        status = hl_tokens_save(tokens, out);
    }
    fclose(file);
    hl_tokens_free(tokens);
    return status.code == HL_OK ? 0 : fail(status);
}

static void print_code(uint32_t code)
{
    uint32_t base[HL_BASE_MAX], lower[2];
    printf("%x %u %u %d %d", code, hl_bert_class(code), hl_bert_mark(code), (int)hl_byte_level_kind(code),
           hl_is_of_word(code));
    int n = hl_bert_base(code, base);
    for (int i = 0; i < n; i++) {
        printf("%s%x", i == 0 ? " " : ",", base[i]);
    }
    n = hl_bert_lower_case(code, lower);
    for (int i = 0; i < n; i++) {
        printf("%s%x", i == 0 ? " " : ",", lower[i]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    bool lowercase = false, specials = false, pair = false, silent = false;
    for (int i = 1; i < argc; i++) {
        lowercase = lowercase || strcmp(argv[i], "--lowercase") == 0;
        specials = specials || strcmp(argv[i], "--specials") == 0;
        pair = pair || strcmp(argv[i], "--pair") == 0;
        silent = silent || strcmp(argv[i], "--silent") == 0;
    }
    if (argc == 2 && strcmp(argv[1], "--unicode") == 0) {
        for (uint32_t code = 0; code < 0x110000; code++) {
            if (code < 0xD800 || code > 0xDFFF) {
                print_code(code);
            }
        }
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--strings") == 0) {
        for (uint32_t i = 0; i < TOKEN_STRINGS; i++) {
            char text[TOKEN_STRING_BYTES];
            fwrite(text, 1, token_string(i, text), stdout);
            printf("\n");
        }
        return 0;
    }
    if (argc == 4 && strcmp(argv[1], "--copy") == 0) {
        return copy(argv[2], argv[3]);
    }
    if (argc >= 6 && strcmp(argv[1], "--learn") == 0) {
        return learn(argv[2], argv[3], argv[4], argv[5], lowercase);
    }
    return argc >= 2 ? encode(argv[1], lowercase, specials, pair, silent) : 2;
}
