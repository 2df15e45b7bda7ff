#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/train/first_weights.h"

#include "programs/beside.h"
#include "programs/open_data.h"
#include "programs/print_line.h"
#include "train/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file ---- */

/* Files of weights that are not read, and how they become one that is. */
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

/* The status with which opening has failed, in more words where the path is of a folder, of nothing, or of a file that
 * ends as those of PyTorch, Keras, ONNX or GGUF do: these with a line of Python that makes a safetensors file of it. */
static hl_status explain(const char *path, hl_status failed)
{
    struct stat info;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    if (stat(path, &info) != 0 && errno == ENOENT) {
        return hl_error(HL_BAD_FILE,
                        "%s: No such file or folder; a training begins with the folder of an open model, or with a "
                        "file of weights (train.from, --from)",
                        path);
    }
    if (failed.code == HL_BAD_FILE && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return hl_error(
            HL_BAD_FILE,
            "%s: is a folder without config.json, so it is not an open model; the weights of a run are a file: "
            "--from %s/model.safetensors",
            path, path);
    }
    for (size_t i = 0; dot != NULL && access(path, R_OK) == 0 && i < sizeof formats / sizeof *formats; i++) {
        if (strcasecmp(dot, formats[i].ending) == 0) {
            return hl_error(HL_BAD_FILE,
                            "%s: not supported: %s (%s); convert it so: python3 -c '%s' %s %.*s.safetensors", path,
                            formats[i].ending, formats[i].what, formats[i].python, path, (int)(dot - path), path);
        }
    }
    return failed;
}

static hl_status open_file(const char *path, hl_checkpoint **weights)
{
    hl_status opened = hl_checkpoint_open(path, weights);
    return opened.code == HL_BAD_FILE ? explain(path, opened) : opened;
}

/* Whether clearing the run's folder would remove the weights: a file of them, or those of the folder of a model. */
static bool would_be_removed(const char *source, const char *run)
{
    char path[PATH_MAX];
    struct stat folder, cleared;
    if (*source == '\0' || realpath(source, path) == NULL || stat(path, &folder) != 0) {
        return false;
    }
    char *slash = strrchr(path, '/');
    if (!S_ISDIR(folder.st_mode)) {
        if (!hl_run_folder_keeps(slash + 1)) {
            return false;
        }
        slash[slash == path] = '\0'; /* the root's name is its slash */
    }
    return stat(path, &folder) == 0 && stat(run, &cleared) == 0 && folder.st_dev == cleared.st_dev &&
           folder.st_ino == cleared.st_ino;
}

static hl_status check_stays(const hl_config *config, hl_run_mode mode, const char *source)
{
    return mode != HL_RUN_OVERWRITE || !would_be_removed(source, config->train.out)
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s: --overwrite would remove these weights, with which the run begins; copy them to another "
                          "folder or choose another one for the run (--out DIR)",
                          source);
}

hl_status hl_first_weights_check(const hl_config *config, hl_run_mode mode, bool is_open)
{
    const char *from = hl_config_string(config, config->train.from);
    const char *file = hl_config_string(config, config->train.weights);
    HL_TRY(check_stays(config, mode, from));
    HL_TRY(check_stays(config, mode, file));
    bool other = *file != '\0';
    file = other ? file : is_open ? "" : from;
    if (*file == '\0' || mode == HL_RUN_RESUME) {
        return hl_ok();
    }
    if (other && *from != '\0' && !is_open) {
        return hl_error(HL_BAD_FILE,
                        "train.from: %s: no folder of an open model, whose tokens the weights of %s read; where it is "
                        "gone, make one of the run by %s export RUN DIR, and begin with --from DIR train.weights=FILE",
                        from, file, hl_program_name("heads"));
    }
    hl_checkpoint *weights;
    HL_TRY(open_file(file, &weights));
    hl_checkpoint_free(weights);
    return hl_ok();
}

static hl_status read_file(hl_trainer *trainer, const char *path, FILE *err)
{
    hl_checkpoint *weights;
    HL_TRY(open_file(path, &weights));
    hl_status status = hl_checkpoint_load(weights, &trainer->model.parameters);
    bool has_checksum = weights->has_checksum;
    hl_checkpoint_free(weights);
    HL_TRY(status);
    if (!has_checksum) {
        hl_print_line(err, "%s: no checksum in it (written by another program): taken as it is", path);
    }
    return hl_ok();
}

/* ---- an open model ---- */

/* Whether the folder has labels, and others than the data. */
static bool has_other_labels(const hl_pretrained *open, const hl_dataset *dataset)
{
    const hl_vocabulary *targets = hl_dataset_targets(dataset);
    const char *const *labels;
    int64_t n = hl_pretrained_labels(open, &labels);
    bool other = n > 0 && n != hl_vocabulary_size(targets);
    for (int32_t i = 0; i < n && !other; i++) {
        other = strcmp(labels[i], hl_vocabulary_token(targets, i)) != 0;
    }
    return other;
}

static hl_status tell(const hl_pretrained *open, const hl_pretrained_loaded *loaded, FILE *out)
{
    hl_text text = { 0 };
    hl_pretrained_print_loaded(loaded, &text);
    hl_text_fail(&text, out != NULL ? hl_print_notices(out, hl_pretrained_notices(open)) : hl_ok());
    return hl_print_text(out, &text);
}

static hl_status read_folder(hl_trainer *trainer, hl_pretrained *open, FILE *out)
{
    hl_pretrained_loaded loaded = { 0 };
    if (has_other_labels(open, trainer->dataset)) {
        hl_pretrained_drop_head(open);
    }
    hl_trainer_draw(trainer);
    hl_status status = hl_pretrained_load(open, &trainer->model, &loaded);
    HL_THEN(status, tell(open, &loaded, out));
    hl_pretrained_loaded_free(&loaded);
    return status;
}

hl_status hl_first_weights_get(hl_trainer *trainer, hl_pretrained **open, hl_train_shown shown)
{
    const hl_config *config = trainer->config;
    const char *from = hl_config_string(config, config->train.from);
    const char *weights = hl_config_string(config, config->train.weights);
    if (*weights != '\0') {
        return read_file(trainer, weights, shown.err);
    }
    if (*from == '\0') {
        hl_trainer_draw(trainer);
        return hl_ok();
    }
    if (*open == NULL && hl_pretrained_is_folder(from)) { /* the run was cut off before its first checkpoint */
        HL_TRY(hl_pretrained_open(from, open));
    }
    return *open != NULL ? read_folder(trainer, *open, shown.out) : read_file(trainer, from, shown.err);
}
