#include "programs/sibling.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void hl_sibling_program(const char *own, const char *other, char path[HL_SIBLING_TEXT])
{
    char self[HL_SIBLING_TEXT];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    size_t length = size > 0 ? (size_t)size : 0, ending = strlen(own);
    self[length] = '\0';
    path[0] = '\0';
    if (length < ending || strcmp(self + length - ending, own) != 0) {
        return;
    }
    if (snprintf(path, HL_SIBLING_TEXT, "%.*s%s", (int)(length - ending), self, other) >= HL_SIBLING_TEXT) {
        path[0] = '\0';
    }
}
