/* Linked into every program: refuses an address space (ulimit -v) in which OpenBLAS, as it is loaded, would look for
 * room for its buffers again and again, for ever. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "core/base/status.h"

#include <sys/mman.h>
#include <unistd.h>

/* What OpenBLAS 0.3 takes at once on x86-64, and some room for what else is loaded. */
enum { BUFFERS_MIB = 256, MORE_MIB = 1 };

static void check_address_space(void)
{
    static const char text[] =
        "out of memory: less than 257 MiB of address space are free, which OpenBLAS takes; allow "
        "more (ulimit -v)\n";
    const size_t bytes = (size_t)(BUFFERS_MIB + MORE_MIB) << 20;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        (void)written; /* nothing else can print this early */
        _exit(HL_NO_MEMORY);
    }
    munmap(room, bytes);
}

#ifdef __x86_64__
/* The loader calls these before it initialises any library. */
__attribute__((section(".preinit_array"), used)) static void (*const before_main)(void) = check_address_space;
#endif
