/* Files in which the kernel tells about itself, put in the place of those there are. */
#pragma once

typedef struct control_file {
    const char *path, *content;
} control_file;

/* From now on /proc and /sys hold these files alone, up to one without a path, and give no more than a few bytes at a
 * time. Everything else is as it was. One is open at a time. */
void control_files_begin(const control_file *files);

/* The system's files again. */
void control_files_end(void);
