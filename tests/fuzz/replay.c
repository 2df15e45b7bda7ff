/* A fuzzer without libFuzzer, as an ordinary test: replay FOLDER gives it every file of the folder, the beginnings of
 * each, and each with every one of its bits inverted. A fault ends the program. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 14, PATH_BYTES = 4096 };

/* In memory of its own size, so that reading past its end is found. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_with_damages(uint8_t *bytes, size_t size)
{
    for (size_t part = 0; part <= size; part++) {
        run(bytes, part);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        run(bytes, size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void replay(const char *path)
{
    static uint8_t bytes[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fuzz_require(size < sizeof bytes);
    fclose(file);
    run_with_damages(bytes, size);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 2;
    }
    int n = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[PATH_BYTES];
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
            replay(path);
            n++;
        }
    }
    closedir(folder);
    return n > 0 ? 0 : 1;
}
