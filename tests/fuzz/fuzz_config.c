/* The bytes as a config file. One that is taken, written out and read again must be taken again and be the same. */
#include "core/base/memory.h"
#include "tests/fuzz/fuzz.h"
#include "train/config.h"

#include <string.h>

static hl_status parse(const char *text, size_t size, hl_config *config)
{
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse((hl_config_options){ .path = "fuzz.ini" }, text, size, config, &problems);
    fuzz_require((status.code == HL_OK) == (problems.n == 0));
    hl_problems_free(&problems);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hl_config config, again;
    if (parse((const char *)data, size, &config).code != HL_OK) {
        return 0;
    }
    char *text = hl_config_text(&config);
    fuzz_require(text != NULL);
    fuzz_require(parse(text, strlen(text), &again).code == HL_OK);
    char *second = hl_config_text(&again);
    fuzz_require(second != NULL && strcmp(text, second) == 0);
    hl_free(text);
    hl_free(second);
    return 0;
}
