/* expat seeds its hash tables by arc4random_buf, which glibc has had since 2.36. The wheel runs with older ones and
 * brings this function along (python/make_wheel). */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = getrandom((char *)bytes + done, size - done, 0);
        if (n < 0 && errno != EINTR) {
            abort(); /* there is no randomness to be had */
        }
        done += n > 0 ? (size_t)n : 0;
    }
}
