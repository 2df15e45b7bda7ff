#include "programs/train/foreign_weights.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#define TORCH                                                                                      \
    "import sys,torch,safetensors.torch as s;d=torch.load(sys.argv[1],\"cpu\",weights_only=True);" \
    "s.save_file({k:v.float().clone() for k,v in d.get(\"state_dict\",d).items()},sys.argv[2])"

static const struct {
    const char *ending, *what, *python;
} formats[] = {
    { ".bin", "PyTorch pickle", TORCH },
    { ".pt", "PyTorch pickle", TORCH },
    { ".pth", "PyTorch pickle", TORCH },
    { ".ckpt", "PyTorch pickle", TORCH },
    { ".h5", "HDF5 of Keras",
      "import sys,h5py,safetensors.numpy as s;d={};h5py.File(sys.argv[1]).visititems(lambda n,v:d.update({n:v[()]}) "
      "if hasattr(v,\"shape\") else None);s.save_file(d,sys.argv[2])" },
    { ".onnx", "ONNX",
      "import sys,onnx.numpy_helper as h,onnx,safetensors.numpy as s;s.save_file({t.name:h.to_array(t).copy() for t in "
      "onnx.load(sys.argv[1]).graph.initializer},sys.argv[2])" },
    { ".gguf", "GGUF",
      "import sys,gguf,safetensors.numpy as s;s.save_file({t.name:gguf.dequantize(t.data,t.tensor_type) for t in "
      "gguf.GGUFReader(sys.argv[1]).tensors},sys.argv[2])" },
};

hl_status hl_foreign_weights_explain(const char *path, hl_status failed)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    for (size_t i = 0; dot != NULL && access(path, R_OK) == 0 && i < sizeof formats / sizeof *formats; i++) {
        if (strcasecmp(dot, formats[i].ending) == 0) {
            return hl_error(HL_BAD_FILE,
                            "%s: not supported: %s (%s); convert it so: python3 -c '%s' %s %.*s.safetensors", path,
                            formats[i].ending, formats[i].what, formats[i].python, path, (int)(dot - path), path);
        }
    }
    return failed;
}
