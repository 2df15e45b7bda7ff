/* Another program of this project, found beside the one that runs. */
#ifndef HL_PROGRAMS_SIBLING_H
#define HL_PROGRAMS_SIBLING_H

enum { HL_SIBLING_TEXT = 4096 };

/* The path of this program with `own` at its end replaced by `other`: /usr/bin/headlight-ablate has its train at
 * /usr/bin/headlight-train. "" where this one does not end so or its path is not known or too long. */
void hl_sibling_program(const char *own, const char *other, char path[HL_SIBLING_TEXT]);

#endif
