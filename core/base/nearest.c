#include "core/base/nearest.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_NAME = 60, FAR = INT_MAX };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
    return lower(a) == lower(b);
}

/* Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
static int edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (m > MAX_NAME || n > MAX_NAME) {
        return FAR;
    }
    short d[MAX_NAME + 1][MAX_NAME + 1]; /* d[i][j]: between the first i letters of a and the first j of b */
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (short)(i + j);
                continue;
            }
            int replaced = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            int least = smaller(replaced, smaller(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
                least = smaller(least, d[i - 2][j - 2] + 1);
            }
            d[i][j] = (short)least;
        }
    }
    return d[m][n];
}

int hl_nearest_name(const char *wrong, const char *const *names, int n)
{
    int nearest = -1, least = FAR;
    for (int i = 0; i < n; i++) {
        int distance = edit_distance(wrong, names[i]), length = (int)strlen(names[i]);
        bool slip = distance < length && distance <= (length < 3 ? 1 : length / 3);
        bool contained =
            (length >= 4 && strstr(wrong, names[i]) != NULL) || (strlen(wrong) >= 4 && strstr(names[i], wrong) != NULL);
        if ((slip || contained) && distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}
