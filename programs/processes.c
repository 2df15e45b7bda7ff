#define _GNU_SOURCE /* sched_getaffinity, dl_iterate_phdr, gnu_get_libc_version */
#include "programs/processes.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/small_matmul.h"
#include "data/text/split.h"
#include "programs/print_line.h"
#include "train/config.h"

#include <cblas.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* What decides about the bits of a result, beside config and data. */
typedef enum trait { BUILD, OPENBLAS, LIBXSMM, C_LIBRARY, CPU, TRAITS } trait;
static const char *const trait_names[TRAITS] = { "build ", "OpenBLAS ", "LIBXSMM ", "glibc ", "a CPU with " };
enum { NAME_TEXT = 64, TRAIT_TEXT = 160 };

/* Where a process runs: exchanged as these bytes. */
typedef struct hl_process {
    char host[NAME_TEXT], machine[NAME_TEXT]; /* its name; what tells it from others, whatever their names */
    char traits[TRAITS][TRAIT_TEXT];
    cpu_set_t cpus;
    int64_t cores, free; /* CPUs worth using; as many there were if nobody had bound it to some */
} hl_process;

/* ---- one version, one command ---- */

hl_status hl_processes_check_same(hl_ranks *ranks, int argc, char **argv)
{
    if (hl_ranks_count(ranks) == 1) {
        return hl_ok();
    }
    uint64_t hash = hl_content_add(0, HL_VERSION, sizeof HL_VERSION);
    const size_t sizes[] = { sizeof(hl_config), sizeof(hl_process) };
    hash = hl_content_add(hash, sizes, sizeof sizes);
    for (int i = 1; i < argc; i++) {
        hash = hl_content_add(hash, argv[i], strlen(argv[i]) + 1);
    }
    int64_t largest[2] = { (int64_t)(hash >> 2), -(int64_t)(hash >> 2) };
    ranks->maximum(ranks->context, largest, 2);
    hl_status status = hl_ok();
    if (largest[0] != -largest[1]) {
        status =
            hl_error(HL_INVALID, "the processes are of different versions, or were started with different arguments");
    }
    return hl_ranks_agree(ranks, status);
}

/* ---- where a process runs ---- */

typedef struct wanted {
    const char *name; /* part of its path; NULL: the program's own */
    char *text;       /* receives the beginning of the build id that the linker gave it */
} wanted;

static int add_build(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    const wanted *w = context;
    bool own = object->dlpi_name[0] == '\0';
    if (w->name == NULL ? !own : own || strstr(object->dlpi_name, w->name) == NULL) {
        return 0;
    }
    size_t length = strlen(w->text);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + part->p_vaddr), *end = at + part->p_memsz; /* NOLINT */
        while (part->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
            const unsigned char *id = (const unsigned char *)at + sizeof *note + (note->n_namesz + 3) / 4 * 4;
            for (int byte = 0; note->n_type == NT_GNU_BUILD_ID && byte < 6; byte++) {
                length += (size_t)snprintf(w->text + length, TRAIT_TEXT - length, "%02x", id[byte]);
            }
            at = (const char *)id + (note->n_descsz + 3) / 4 * 4;
        }
    }
    return 0;
}

/* Instructions by which the C library, OpenBLAS and the compiler choose among versions of a function. */
static void name_cpu(char text[TRAIT_TEXT])
{
#if defined(__x86_64__)
    snprintf(text, TRAIT_TEXT, "%s%s%s%s%s", __builtin_cpu_supports("avx2") ? "AVX2" : "no AVX2",
             __builtin_cpu_supports("fma") ? " FMA" : "", __builtin_cpu_supports("avx512f") ? " AVX-512" : "",
             __builtin_cpu_supports("avx512vl") ? "VL" : "", __builtin_cpu_supports("avx512bf16") ? " BF16" : "");
#else
    snprintf(text, TRAIT_TEXT, "of another kind");
#endif
}

/* Of the kernel, anew at every start: the same in all containers of a machine, whatever they call themselves. */
static void name_machine(char machine[NAME_TEXT], const char *host)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file == NULL || fgets(machine, NAME_TEXT, file) == NULL) {
        memcpy(machine, host, NAME_TEXT);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void describe(hl_process *here)
{
    *here = (hl_process){ 0 };
    if (gethostname(here->host, sizeof here->host - 1) != 0) {
        snprintf(here->host, sizeof here->host, "a host without a name");
    }
    name_machine(here->machine, here->host);

    snprintf(here->traits[BUILD], TRAIT_TEXT, "%s ", HL_VERSION);
    dl_iterate_phdr(add_build, &(wanted){ NULL, here->traits[BUILD] });
    dl_iterate_phdr(add_build, &(wanted){ "/libheadlight", here->traits[BUILD] });
    snprintf(here->traits[OPENBLAS], TRAIT_TEXT, "%s, build ", openblas_get_corename());
    dl_iterate_phdr(add_build, &(wanted){ "/libopenblas", here->traits[OPENBLAS] });
    const char *libxsmm = hl_small_matmul_libxsmm();
    snprintf(here->traits[LIBXSMM], TRAIT_TEXT, "%s%s%s", libxsmm != NULL ? libxsmm : "none",
             libxsmm != NULL ? " " : "", libxsmm != NULL ? hl_small_matmul_target() : "");
    snprintf(here->traits[C_LIBRARY], TRAIT_TEXT, "%s", gnu_get_libc_version());
    name_cpu(here->traits[CPU]);

    if (sched_getaffinity(0, sizeof here->cpus, &here->cpus) != 0) {
        CPU_ZERO(&here->cpus);
        CPU_SET(0, &here->cpus);
    }
    here->cores = hl_threads_default();
    /* CPUs worth using, if nobody had bound this process to some: those that a container or a job leaves. */
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    int64_t n = hl_threads_default();
    if (sched_setaffinity(0, sizeof all, &all) == 0) {
        n = hl_threads_default();
        sched_setaffinity(0, sizeof here->cpus, &here->cpus);
    }
    here->free = n;
}

/* ---- what they are together ---- */

/* Rank 0 speaks for all. */
static hl_status compare(const hl_process *all, hl_ranks *ranks, bool mixed, FILE *err)
{
    for (int r = 1; r < ranks->n; r++) {
        for (int t = 0; t < TRAITS; t++) {
            if (strcmp(all[0].traits[t], all[r].traits[t]) == 0) {
                continue;
            }
            hl_status differ = hl_error(HL_INVALID, "rank %d on %s has %s%s, rank 0 on %s %s: %s", r, all[r].host,
                                        trait_names[t], all[r].traits[t], all[0].host, all[0].traits[t],
                                        mixed ? "the same command may not give the same bits again"
                                              : "a run's bits are the same only where these are; --mixed does without");
            ranks->mixed = mixed;
            if (mixed && ranks->rank == 0) {
                hl_print_line(err, "%s", differ.text);
            }
            return mixed ? hl_ok() : differ;
        }
    }
    return hl_ok();
}

/* How many processes, itself too, may run on CPUs of this one; *local are those of its machine, which `cpus` are of. */
static int count_sharing(const hl_processes *p, const hl_process *one, cpu_set_t *cpus, int *local)
{
    int sharing = 0;
    *local = 0;
    CPU_ZERO(cpus);
    for (int r = 0; r < p->n; r++) {
        if (strcmp(p->all[r].machine, one->machine) == 0) {
            cpu_set_t both;
            CPU_AND(&both, &p->all[r].cpus, &one->cpus);
            CPU_OR(cpus, cpus, &p->all[r].cpus);
            sharing += CPU_COUNT(&both) > 0;
            (*local)++;
        }
    }
    return sharing;
}

hl_status hl_processes_meet(hl_ranks *ranks, bool mixed, FILE *err, hl_processes *processes)
{
    *processes = (hl_processes){ .n = hl_ranks_count(ranks), .local = 1, .sharing = 1 };
    if (processes->n == 1) {
        return hl_ok();
    }
    hl_process *all = processes->all = hl_malloc((size_t)ranks->n * sizeof *all);
    HL_TRY(hl_ranks_agree(ranks, all != NULL ? hl_ok() : hl_error_memory("the processes' names")));
    describe(&all[ranks->rank]);
    for (int r = 0; r < ranks->n; r++) {
        ranks->broadcast(ranks->context, r, &all[r], sizeof *all);
    }
    cpu_set_t cpus;
    processes->sharing = count_sharing(processes, &all[ranks->rank], &cpus, &processes->local);
    return hl_ranks_agree(ranks, compare(all, ranks, mixed, err));
}

hl_status hl_processes_share(hl_ranks *ranks, bool mixed, FILE *err, hl_processes *processes)
{
    hl_status status = hl_processes_meet(ranks, mixed, err, processes);
    hl_threads_share(processes->sharing);
    return status;
}

void hl_processes_free(hl_processes *processes)
{
    hl_free(processes->all);
    *processes = (hl_processes){ 0 };
}

/* ---- what they are warned of ---- */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

void hl_processes_warn(const hl_processes *processes, int64_t threads, FILE *err)
{
    for (int r = 0; processes->all != NULL && r < processes->n; r++) {
        const hl_process *p = &processes->all[r];
        cpu_set_t cpus;
        int local, sharing = count_sharing(processes, p, &cpus, &local), cores = (int)p->cores;
        int each = threads > 0 ? (int)threads : cores / sharing > 1 ? cores / sharing : 1;
        if (cores < p->free && (CPU_COUNT(&cpus) < p->free || sharing * each > cores)) {
            hl_print_line(err,
                          "%s: the launcher binds each process to %d of %d cores, for %d thread%s; mpirun "
                          "--bind-to none gives them all",
                          p->host, cores, (int)p->free, each, plural(each));
            return;
        }
        if (sharing * each > cores) {
            hl_print_line(err, "%s: %d process%s of %d thread%s share %d core%s; fewer are faster", p->host, sharing,
                          sharing > 1 ? "es" : "", each, plural(each), cores, plural(cores));
            return;
        }
    }
}
