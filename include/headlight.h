/* Headlight: trains transformer encoders and tells what every attention head learns. This header is the whole library.
 *
 * A tour. Numbers are hl_real (float). What can fail returns a hl_status, a code and one line that says what is wrong;
 * HL_TRY hands a failure on to the caller. What a function makes is ended by its hl_..._free, which also takes a zeroed
 * object. Pointers are not NULL, unless a header allows it. Call hl_threads_setup first; then, in this order:
 *   the model       hl_model_init checks a hl_model_config and registers the parameters, hl_model_allocate draws them
 *   the optimizer   hl_optimizer_init; hl_schedule_rate gives the learning rate of a step
 *   the batches     hl_dataset_open and hl_dataset_batch, of a task; or hl_batch_storage_add for examples of your own
 *   a step          hl_tape_begin, hl_model_loss, hl_parameters_zero_grad, hl_tape_backward, hl_optimizer_step
 *   its heads       hl_recorder_init and hl_recorder_run keep what every head attends to, hl_recorder_patterns gives
 *                   one head's; hl_label_of, hl_head_measure, hl_effects_measure say what it does and what it is worth
 *   to keep it      hl_checkpoint_write_model, hl_recorder_record; hl_checkpoint_load, hl_snapshot_read
 *   to show it      hl_table_of, hl_picture_print, hl_report_write
 * The trainer does the first four from a config, as the program `train` does; hl_opened_model_open opens the folder
 * that it left, hl_pretrained_open that of an open model. A whole training, and what one head of it does:
 *     hl_config config; hl_problems problems = { 0 }; hl_trainer trainer; hl_update update; hl_recorder recorder;
 *     HL_TRY(hl_config_load((hl_config_options){ .path = "copy_task.ini" }, &config, &problems));
 *     HL_TRY(hl_trainer_init(&trainer, &config));
 *     while (trainer.optimizer.step < config.train.steps) { HL_TRY(hl_trainer_update(&trainer, &update)); }
 *     hl_examples examples; HL_TRY(hl_dataset_make_examples(trainer.dataset, HL_VALIDATION, 0, 64, &examples));
 *     HL_TRY(hl_recorder_init(&recorder, &trainer.model, &examples, 1344, trainer.threads, NULL)); // 1344 rows at once
 *     HL_TRY(hl_recorder_run(&recorder, &trainer.arena)); hl_patterns head = hl_recorder_patterns(&recorder, 1, 0);
 *     puts(hl_label_text_of(hl_label_of(&head), NULL).text); // of L1H0, for example: offset(-11)
 *     hl_recorder_free(&recorder), hl_examples_free(&examples), hl_trainer_free(&trainer);
 * The headers below, by what they are for, reach all others; each states its contract. */
#pragma once

/* Numbers, ops and the record of a pass */
#include "core/base/threads.h"
#include "core/files/safetensors.h"
#include "core/finite_watch.h"
#include "core/kernels/matmul.h"
#include "core/kernels/small_matmul.h"
#include "core/op.h"
#include "core/ops/ops.h"
/* Memory, files and texts */
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/nearest.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
/* Texts, treebanks, tables of one's own */
#include "data/permute.h"
#include "data/text/conllu.h"
#include "data/text/coreference.h"
#include "data/text/corpus.h"
#include "data/text/split.h"
#include "data/text/table.h"
#include "data/text/tokens_file.h"
#include "data/text/tokens_learn.h"
/* Models and their training */
#include "layers/head_parts.h"
#include "layers/multi_head_naive.h"
#include "optim/clip.h"
/* What heads do */
#include "heads/alignment.h"
#include "heads/all_subsets.h"
#include "heads/composition.h"
#include "heads/coreference.h"
#include "heads/coreference_cases.h"
#include "heads/divergence.h"
#include "heads/evaluator.h"
#include "heads/head_vectors.h"
#include "heads/importance.h"
#include "heads/mean_map.h"
#include "heads/norm_shares.h"
#include "heads/offset.h"
#include "heads/patch.h"
#include "heads/prune.h"
#include "heads/relation_gradients.h"
#include "heads/rollout.h"
#include "heads/shares.h"
#include "heads/spaces.h"
#include "heads/words.h"
#include "heads/writer.h"
#include "heads/writes.h"
/* Pictures and pages */
#include "show/bar_picture.h"
#include "show/curve_picture.h"
#include "show/picture.h"
#include "show/picture_pen.h"
#include "show/sweep_report.h"
#include "show/table.h"
#include "show/terminal_cells.h"
/* Runs: config, trainer, folder; and a run opened again */
#include "pretrained/write.h"
#include "study/block_maps.h"
#include "study/coreference_study.h"
#include "study/heads_table.h"
#include "study/hidden_states.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "study/predict_score.h"
#include "study/predict_text.h"
#include "study/report.h"
#include "study/syntax_study.h"
#include "study/treebank_run.h"
#include "study/validation.h"
#include "study/view.h"
#include "train/checkpoint.h"
#include "train/config_keys.h"
#include "train/footprint.h"
#include "train/holds.h"
#include "train/ini.h"
#include "train/loop.h"
#include "train/memory_check.h"
#include "train/setup.h"
#include "train/setup_pretrained.h"
#include "train/signals.h"
#include "train/terminal.h"
