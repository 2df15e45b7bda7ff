#include "core/finite_watch.h"

#include "core/op.h"

#include <math.h>
#include <stdio.h>

static bool all_finite(const hl_tensor *x)
{
    int64_t count = hl_shape_count(x->shape);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x->data[i])) {
            return false;
        }
    }
    return true;
}

static void name_op(hl_finite_watch *watch, const hl_node *node)
{
    snprintf(watch->op, sizeof watch->op, "%s%s%s", node->op->name, node->scope != NULL ? " in " : "",
             node->scope != NULL ? node->scope : "");
}

hl_status hl_tape_not_finite(const hl_tape *tape, const char *what, double value)
{
    hl_finite_watch watch = { "" };
    for (const hl_node *node = tape->options.memory.dry ? NULL : tape->last; node != NULL; node = node->previous) {
        if (!all_finite(node->out)) { /* the first one in order of execution comes last */
            name_op(&watch, node);
        }
    }
    return hl_finite_watch_status(&watch, what, value);
}

static void watch_output(void *context, const hl_node *node, bool backward)
{
    hl_finite_watch *watch = context;
    if (!backward && watch->op[0] == '\0' && !all_finite(node->out)) {
        name_op(watch, node);
    }
}

hl_tape_observer hl_finite_watch_observer(hl_finite_watch *watch)
{
    return (hl_tape_observer){ .end = watch_output, .context = watch };
}

hl_status hl_finite_watch_status(const hl_finite_watch *watch, const char *what, double value)
{
    bool found = watch->op[0] != '\0';
    value = isnan(value) ? (double)NAN : value; /* drops the sign of a NaN, which would be printed */
    return hl_error(HL_NOT_FINITE, "%s is %g%s%s", what, value,
                    found ? "; the first tensor that is not finite is the output of " : "", watch->op);
}
