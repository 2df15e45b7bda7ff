#include "train/memory_check.h"

#include "core/base/memory.h"
#include "core/base/private/control_file.h"
#include "core/base/units.h"
#include "train/footprint.h"
#include "train/trainer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- how much there is ---- */

enum { CONTENT = 16384 };

/* The two versions of control groups. A container may see its own group as the root. */
typedef struct hierarchy {
    const char *controller; /* its name in a line of /proc/self/cgroup */
    const char *root, *limits[2], *used;
    const char *cache[2]; /* in memory.stat: pages of files, which the system gives up when memory runs short */
} hierarchy;

static const hierarchy hierarchies[] = {
    { "",
      "/sys/fs/cgroup",
      { "memory.max", "memory.high" }, /* the second limit slows the process down */
      "memory.current",
      { "\ninactive_file ", "\nactive_file " } },
    { "memory",
      "/sys/fs/cgroup/memory",
      { "memory.limit_in_bytes", "memory.limit_in_bytes" },
      "memory.usage_in_bytes",
      { "\ntotal_inactive_file ", "\ntotal_active_file " } },
};

/* The number after the mark; `otherwise` if there is none. */
static uint64_t number_after(const char *text, const char *mark, uint64_t otherwise)
{
    const char *at = strstr(text, mark);
    uint64_t number;
    return at != NULL && sscanf(at + strlen(mark), "%" SCNu64, &number) == 1 ? number : otherwise;
}

/* The content that is read and its path: too large for the stack of some threads. */
typedef struct reading {
    char groups[CONTENT], content[CONTENT];
    char group[PATH_MAX], path[PATH_MAX];
} reading;

/* Reads a file of the group into r->content, after a line break, so that a line break precedes every line. */
static bool read_file(reading *r, const char *name)
{
    r->content[0] = '\n';
    r->content[1] = '\0';
    return snprintf(r->path, sizeof r->path, "%s/%s", r->group, name) < (int)sizeof r->path &&
           hl_control_file_read(r->path, r->content + 1, CONTENT - 1);
}

/* How much r->group may still allocate; UINT64_MAX if it has no limit. */
static uint64_t left_in(const hierarchy *h, reading *r)
{
    const char *content = r->content;
    uint64_t limit = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        uint64_t one = read_file(r, h->limits[i]) ? number_after(content, "\n", UINT64_MAX) : UINT64_MAX;
        limit = one < limit ? one : limit;
    }
    if (limit == UINT64_MAX || !read_file(r, h->used)) {
        return UINT64_MAX;
    }
    uint64_t used = number_after(content, "\n", 0), cache = 0;
    if (read_file(r, "memory.stat")) {
        for (int i = 0; i < 2; i++) {
            cache += number_after(content, h->cache[i], 0);
        }
    }
    used -= cache < used ? cache : used;
    return used < limit ? limit - used : 0;
}

/* The path of the process's group, up to the line's end, from lines such as "4:cpu,memory:/path"; "" if there is
 * none. */
static const char *group_of(const char *groups, const char *controller)
{
    size_t length = strlen(controller);
    for (const char *line = groups; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *list = line + strcspn(line, ":\n"), *path;
        if (*list != ':' || *(path = list + 1 + strcspn(list + 1, ":\n")) != ':') {
            continue;
        }
        for (const char *name = list + 1;; name++) { /* between colons, separated by commas; empty in version 2 */
            size_t its = strcspn(name, ",:");
            if (its == length && strncmp(name, controller, length) == 0) {
                return path + 1;
            }
            name += its;
            if (*name == ':') {
                break;
            }
        }
    }
    return "";
}

/* The smallest amount that the process's group and the groups above it leave. */
static uint64_t left_in_groups(const hierarchy *h, reading *r)
{
    const char *group = group_of(r->groups, h->controller);
    int length = (int)strcspn(group, "\n"), root = (int)strlen(h->root);
    if (snprintf(r->group, sizeof r->group, "%s%.*s", h->root, length, group) >= (int)sizeof r->group) {
        return UINT64_MAX;
    }
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t left = left_in(h, r);
        least = left < least ? left : least;
        if ((int)strlen(r->group) <= root) {
            return least;
        }
        *strrchr(r->group, '/') = '\0';
    }
}

/* What is left of the process's address space (ulimit -v). */
static uint64_t left_of_addresses(void)
{
    struct rlimit limit;
    char content[256]; /* the file holds seven numbers */
    uint64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        !hl_control_file_read("/proc/self/statm", content, sizeof content) ||
        sscanf(content, "%" SCNu64, &pages) != 1) {
        return UINT64_MAX;
    }
    uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

hl_memory_at_hand hl_memory_at_hand_now(void)
{
    reading *r = hl_malloc(sizeof *r);
    if (r == NULL) {
        return (hl_memory_at_hand){ .bytes = 0 };
    }
    r->content[0] = '\n';
    hl_control_file_read("/proc/meminfo", r->content + 1, CONTENT - 1);
    uint64_t kib = number_after(r->content, "\nMemAvailable:", UINT64_MAX);
    uint64_t least = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
    uint64_t addresses = left_of_addresses();
    least = addresses < least ? addresses : least;
    bool container = false;
    hl_control_file_read("/proc/self/cgroup", r->groups, CONTENT);
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        uint64_t left = left_in_groups(&hierarchies[i], r);
        container = container || left < least;
        least = left < least ? left : least;
    }
    hl_free(r);
    return (hl_memory_at_hand){ .bytes = least < SIZE_MAX ? (size_t)least : SIZE_MAX, .container = container };
}

/* ---- whether it is enough ---- */

hl_status hl_memory_check(size_t needed, hl_memory_at_hand at_hand, const char *path, const char *what,
                          const char *remedy)
{
    if (needed <= at_hand.bytes) {
        return hl_ok();
    }
    if (at_hand.bytes == 0) {
        return hl_error_memory(path);
    }
    char bytes[HL_UNITS_TEXT], there[HL_UNITS_TEXT];
    return hl_error(HL_NO_MEMORY, "%s: %s about %s of memory, and %s are free%s; %s", path, what,
                    hl_units_bytes(needed, bytes), hl_units_bytes(at_hand.bytes, there),
                    at_hand.container ? " in this container" : "", remedy);
}

/* Something that needs memory, and how to make it need less. */
typedef struct need {
    size_t bytes;
    const char *remedy;
} need;

static const char *remedy_of_largest(const need *needs, size_t n)
{
    const need *largest = needs;
    for (size_t i = 1; i < n; i++) {
        largest = needs[i].bytes > largest->bytes ? &needs[i] : largest;
    }
    return largest->remedy;
}

static const char smaller_model[] =
    "a smaller model (model.d_model, model.layers, model.d_ff, task.symbols) needs less",
                  fewer_patterns[] = "fewer patterns.examples need less, and 0 records no patterns",
                  shorter[] = "shorter examples (task.length) or a smaller model need less";

static const char *remedy_of(const hl_config *config, const hl_footprint *f)
{
    const char *accumulate =
        hl_trainer_micro_batch(config) > 1 ? "optimizer.accumulate computes a batch in parts that need less" : shorter;
    size_t moved = f->gradients + f->moments;
    if (f->end > f->training) {
        const need end[] = { { f->weights, smaller_model },
                             { f->snapshot, fewer_patterns },
                             { f->measures - f->snapshot, accumulate },
                             { f->readings, "fewer snapshots (patterns.every, patterns.budget_mb) need less" } };
        return remedy_of_largest(end, sizeof end / sizeof *end);
    }
    const need training[] = { { f->weights + moved, smaller_model },
                              { f->step, accumulate },
                              { f->batches, "fewer train.eval_examples, or a smaller train.batch_size, need less" },
                              { f->recorder, fewer_patterns },
                              { f->validation_sums, accumulate },
                              { f->treebank, "none is needed for patterns.treebank where it is left out" } };
    return remedy_of_largest(training, sizeof training / sizeof *training);
}

hl_status hl_memory_check_training(const hl_config *config, int processes, hl_memory_at_hand at_hand, const char *path)
{
    hl_footprint footprint;
    HL_TRY(hl_footprint_of(config, HL_FOR_TRAINING, processes, -1, &footprint));
    return hl_memory_check(footprint.total, at_hand, path, "the run needs", remedy_of(config, &footprint));
}
