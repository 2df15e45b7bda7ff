/* The three standard streams of a process. */
#ifndef HL_PROGRAMS_STANDARD_STREAMS_H
#define HL_PROGRAMS_STANDARD_STREAMS_H

/* Opens /dev/null for each of the descriptors 0, 1 and 2 that the caller of the program has closed: the first file
 * opened would get its number, and receive what is printed. Reading and writing still fail, as on what is closed. To be
 * called first of all. Cannot fail. */
void hl_standard_streams_keep(void);

#endif
