#include "train/memory_check.h"

#include "core/units.h"
#include "train/footprint.h"
#include "train/trainer.h"

hl_status hl_memory_check(size_t needed, hl_memory_at_hand at_hand, const char *path, const char *what,
                          const char *remedy)
{
    if (needed <= at_hand.bytes) {
        return hl_ok();
    }
    char bytes[HL_UNITS_TEXT], there[HL_UNITS_TEXT];
    return hl_error(HL_NO_MEMORY, "%s: %s about %s of memory, and %s are free%s; %s", path, what,
                    hl_units_bytes(needed, bytes), hl_units_bytes(at_hand.bytes, there),
                    at_hand.container ? " in this container" : "", remedy);
}

/* Something that takes memory, and how to make it take less. */
typedef struct part {
    size_t bytes;
    const char *remedy;
} part;

static const char *remedy_of_largest(const part *parts, size_t n)
{
    const part *largest = parts;
    for (size_t i = 1; i < n; i++) {
        largest = parts[i].bytes > largest->bytes ? &parts[i] : largest;
    }
    return largest->remedy;
}

static const char smaller_model[] =
    "a smaller model (model.d_model, model.layers, model.d_ff, task.symbols) needs less",
                  fewer_patterns[] = "fewer patterns.examples need less, and 0 records no patterns",
                  shorter[] = "shorter examples (task.length) or a smaller model need less";

static const char *remedy_of(const hl_config *config, const hl_footprint *f)
{
    const char *parts =
        hl_trainer_micro_batch(config) > 1 ? "optimizer.accumulate computes a batch in parts that need less" : shorter;
    size_t moved = f->gradients + f->moments;
    if (f->end > f->training) {
        const part end[] = { { f->weights, smaller_model },
                             { f->snapshot, fewer_patterns },
                             { f->measures - f->snapshot, parts },
                             { f->readings, "fewer snapshots (patterns.every, patterns.budget_mb) need less" } };
        return remedy_of_largest(end, sizeof end / sizeof *end);
    }
    const part training[] = { { f->weights + moved, smaller_model },
                              { f->step, parts },
                              { f->batches, "fewer train.eval_examples, or a smaller train.batch_size, need less" },
                              { f->recorder, fewer_patterns },
                              { f->validation_sums, parts } };
    return remedy_of_largest(training, sizeof training / sizeof *training);
}

hl_status hl_memory_check_training(const hl_config *config, hl_memory_at_hand at_hand, const char *path)
{
    hl_footprint footprint;
    HL_TRY(hl_footprint_of_config(config, &footprint));
    return hl_memory_check(footprint.total, at_hand, path, "the run needs", remedy_of(config, &footprint));
}
