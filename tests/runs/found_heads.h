/* What the program heads and heads.csv say of a run's heads. Failures here end the test. */
#pragma once

enum { FOUND_MOST = 64 };

typedef enum found_verdict { FOUND_NOT_KNOWN, FOUND_NO, FOUND_YES } found_verdict;

typedef struct found_head {
    char label[64];
    double score, baseline;
    found_verdict faithful, in_group; /* alone; with the heads of its layer that share its label */
} found_head;

/* Runs `heads folder --json` and returns how many heads it has. */
int found_heads(const char *folder, found_head heads[FOUND_MOST]);

/* The heads of that label which score at least so much and are faithful, alone or in their group. */
int found_faithful(const found_head *heads, int n, const char *label, double score);

/* A metric of a head in the run's heads.csv. */
typedef struct found_metric {
    int step, layer, head;
    char name[64];
    double value, baseline;
} found_metric;

/* Goes on to the next row of heads.csv whose metric's name begins so. *at is its content, and then what follows the
 * row; false where there is none. */
int found_next(const char **at, const char *begin, found_metric *row);
