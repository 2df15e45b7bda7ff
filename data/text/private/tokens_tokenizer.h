/* Reads the parts of a tokenizer.json that are of Unigram. */
#pragma once

#include "core/base/status.h"
#include "core/files/json.h"
#include "data/text/private/tokens_parts.h"

/* HL_BAD_FILE, naming `path`; HL_NO_MEMORY. */
hl_status hl_tokenizer_read_unigram(const char *path, const json_t *model, hl_tokens **out);
hl_status hl_tokenizer_read_unigram_normalizer(const char *path, const json_t *normalizer, hl_unigram *unigram);
hl_status hl_tokenizer_read_metaspace(const char *path, const json_t *pre_tokenizer, hl_tokens *tokens);
