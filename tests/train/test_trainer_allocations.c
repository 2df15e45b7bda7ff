/* A step allocates nothing, neither through the library's table nor, where no sanitizer has taken malloc over, by
 * anything else in the process: functions in front of the C library's allocator and mmap count. Only OpenMP's own
 * calls do not where there are several threads: what it takes for a team is its affair. */
#define _GNU_SOURCE /* syscall, dl_iterate_phdr */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/sanitized.h"
#include "tests/train/trainer_example.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int n_calls;
static uintptr_t openmp_begin, openmp_end; /* where its code lies; empty where its calls count too */

static int find_openmp(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (strstr(library->dlpi_name, "omp.so") == NULL) {
        return 0;
    }
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
            openmp_begin = library->dlpi_addr + segment->p_vaddr;
            openmp_end = openmp_begin + segment->p_memsz;
        }
    }
    return 1;
}

#if !SANITIZED && defined(__GLIBC__)
#define INTERPOSED 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);

static void count_call(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    n_calls += address < openmp_begin || address >= openmp_end;
}

void *malloc(size_t size)
{
    count_call(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    count_call(__builtin_return_address(0));
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    count_call(__builtin_return_address(0));
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count_call(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    count_call(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    count_call(__builtin_return_address(0));
    *block = __libc_memalign(alignment, size);
    return *block != NULL ? 0 : 12 /* ENOMEM */;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    count_call(__builtin_return_address(0));
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}
#endif

static void assert_steps_allocate_nothing(const hl_config *config)
{
    openmp_begin = openmp_end = 0;
    if (config->train.threads > 1) {
        dl_iterate_phdr(find_openmp, NULL);
        ck_assert_uint_ne(openmp_end, 0);
    }
    faults_begin();
    hl_trainer trainer;
    trainer_make(&trainer, config);
    trainer_updated(&trainer, 3);
    trainer_evaluated(&trainer);
    static hl_validation_sums_pass sums;
    trainer_sums(&trainer, &sums);
    faults_in_memory(0, FAULTS_ONCE);
    bool good = true;
    int before = n_calls;
    for (int i = 0; i < 5; i++) {
        hl_update update;
        hl_evaluation evaluation;
        good = good && hl_trainer_update(&trainer, &update).code == HL_OK;
        good = good && hl_trainer_evaluate(&trainer, &sums, &evaluation).code == HL_OK;
    }
    int after = n_calls;
    ck_assert(good); /* not before: it allocates */
    ck_assert_int_eq(faults_allocations(), 0);
    ck_assert_int_eq(after - before, 0);
    hl_validation_sums_pass_free(&sums);
    hl_trainer_free(&trainer);
    faults_end();
}

TEST(steps_of_a_tiny_model_allocate_nothing)
{
    hl_config config = trainer_config("");
    assert_steps_allocate_nothing(&config);
    config.optimizer.accumulate = 2;
    assert_steps_allocate_nothing(&config);
    config.attention = HL_ATTENTION_RECOMPUTE;
    assert_steps_allocate_nothing(&config);
    config.train.precision = HL_PRECISION_AUTO; /* bf16, where the machine has it */
    assert_steps_allocate_nothing(&config);
}

TEST(steps_on_one_and_on_two_threads_allocate_nothing)
{
    hl_config config;
    config_parse("[task]\nlength = 10\nmin_length = 5\n[model]\ndropout = 0.1\ndropout_output = 0.1\n"
                 "positions = learned\nposition_offset = 2\nembedding_size = 32\nembedding_norm = true\n"
                 "head = transform\nactivation = gelu_tanh\n"
                 "[train]\nbatch_size = 48\neval_examples = 50\n",
                 &config);
    for (config.train.threads = 1; config.train.threads <= 2; config.train.threads++) {
        assert_steps_allocate_nothing(&config);
    }
}

TEST(the_counters_count)
{
    int before = n_calls;
    void *volatile block = malloc(100);
    free(block);
#ifdef INTERPOSED
    ck_assert_int_gt(n_calls, before);
#else
    ck_assert_int_eq(n_calls, before);
#endif
    faults_begin();
    block = hl_malloc(100);
    ck_assert_int_eq(faults_allocations(), 1);
    hl_free(block);
    faults_end();
}

SUITE("trainer allocations")
