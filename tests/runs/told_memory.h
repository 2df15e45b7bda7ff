/* The built program takes the memory that its summary told. */
#ifndef HL_TESTS_RUNS_TOLD_MEMORY_H
#define HL_TESTS_RUNS_TOLD_MEMORY_H

/* Runs two steps of config `name` of the source tree: the most memory that the process held and what the summary tells
 * must agree within 10% or 8 MiB. Once a test, for the largest of a process's children is what the system counts. */
void told_memory_check(const char *name);

/* The same of a config of that text for one step, and again for a second, resumed one, within 5% or 8 MiB. */
void told_memory_check_resumed(const char *text);

#endif
