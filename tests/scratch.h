/* A folder of a test's own, and its files by the system's calls alone, so that faults in the library's do not touch
 * them. Failures here end the test. */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* The path of `name` in a new folder, one for each process, that goes when the process exits. The text stands until the
 * next eight calls. */
const char *scratch_path(const char *name);

/* That folder. */
const char *scratch_folder(void);

/* Releases the object with the folder, the one that came last first. Returns it. Threads may call it. */
void *scratch_own(void *object, void (*release)(void *object));

/* An empty text, which goes with the folder. */
hl_text *scratch_text(void);

/* Removes the folder and what is owned now; the next path lies in a new one. After every test: where tests do not fork
 * (CK_FORK=no), none finds what another left. */
void scratch_end(void);

/* The path of `name` in a folder that all tests of a program share, from the call of scratch_share_begin before the
 * first of them to that of scratch_share_end. Stands as that of scratch_path. */
const char *scratch_shared_path(const char *name);
void scratch_share_begin(void);
void scratch_share_end(void);

void scratch_write(const char *path, const void *bytes, size_t size);

/* Writes the text into a file of the test's folder. Returns its path, which stands to the end of the test. */
const char *scratch_file(const char *name, const char *text);

/* The content, with a zero byte after it that is not counted; to be freed by free(). NULL where there is no file. */
char *scratch_read(const char *path, size_t *size);

/* A text as printf makes it, which goes with the folder. */
const char *scratch_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Removes the folder and all that is in it. */
void scratch_remove(const char *path);

/* Copies the folder and all files and folders in it to a new one. */
void scratch_copy(const char *from, const char *to);

bool scratch_exists(const char *path);

/* Whether the file holds exactly these bytes. */
bool scratch_holds(const char *path, const void *bytes, size_t size);
