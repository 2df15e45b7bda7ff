#include "programs/heads/verb.h"

#include <string.h>

const hl_heads_verb *const hl_heads_verbs[HL_HEADS_VERBS] = {
    &hl_heads_verb_table,  &hl_heads_verb_map,       &hl_heads_verb_profile,     &hl_heads_verb_importance,
    &hl_heads_verb_prune,  &hl_heads_verb_grammar,   &hl_heads_verb_coreference, &hl_heads_verb_compare,
    &hl_heads_verb_writes, &hl_heads_verb_patch,     &hl_heads_verb_rollout,     &hl_heads_verb_wires,
    &hl_heads_verb_spaces, &hl_heads_verb_gradients, &hl_heads_verb_export,      &hl_heads_verb_words,
};

const hl_heads_verb *hl_heads_verb_of(const char *name)
{
    for (int i = 0; i < HL_HEADS_VERBS; i++) {
        if (strcmp(name, hl_heads_verbs[i]->name) == 0) {
            return hl_heads_verbs[i];
        }
    }
    return NULL;
}
