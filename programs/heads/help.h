/* The texts of --help, which stand in help/: all.txt for the list of verbs, and one for each verb. "{heads}" stands for
 * the program's name. */
#pragma once

extern const char hl_heads_help_all[], hl_heads_help_table[], hl_heads_help_map[], hl_heads_help_profile[],
    hl_heads_help_importance[], hl_heads_help_prune[], hl_heads_help_grammar[], hl_heads_help_coreference[],
    hl_heads_help_compare[], hl_heads_help_writes[], hl_heads_help_patch[], hl_heads_help_rollout[],
    hl_heads_help_wires[], hl_heads_help_spaces[], hl_heads_help_gradients[], hl_heads_help_export[],
    hl_heads_help_words[];
