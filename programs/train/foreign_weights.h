/* Files of weights that are not read, and how they become one that is. */
#ifndef HL_PROGRAMS_TRAIN_FOREIGN_WEIGHTS_H
#define HL_PROGRAMS_TRAIN_FOREIGN_WEIGHTS_H

#include "core/status.h"

/* The status with which opening the file has failed; where its name ends as those of PyTorch, Keras, ONNX or GGUF do
 * and there is such a file, HL_BAD_FILE with a line of Python that makes a safetensors file of it. */
hl_status hl_foreign_weights_explain(const char *path, hl_status failed);

#endif
