#include "layers/name.h"

#include <stdarg.h>
#include <stdio.h>

hl_name hl_name_of(const char *format, ...)
{
    hl_name name;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name.text, sizeof name.text, format, arguments);
    va_end(arguments);
    return name;
}

static hl_tensor *add(hl_parameters *parameters, hl_name module, const char *part, hl_parameter_spec spec)
{
    hl_name name = hl_name_of("%s.%s", module.text, part);
    spec.name = name.text;
    return hl_parameters_add(parameters, spec);
}

hl_tensor *hl_name_matrix(hl_parameters *parameters, hl_name module, const char *part, int64_t rows, int64_t columns,
                          int64_t n_matrices)
{
    hl_parameter_spec spec = {
        .shape = HL_SHAPE(rows, columns), .init = HL_INIT_XAVIER_UNIFORM, .n_matrices = n_matrices, .decay = true
    };
    return add(parameters, module, part, spec);
}

hl_tensor *hl_name_table(hl_parameters *parameters, hl_name module, int64_t rows, int64_t columns, hl_real deviation)
{
    hl_parameter_spec spec = {
        .shape = HL_SHAPE(rows, columns), .init = HL_INIT_NORMAL, .scale = deviation, .decay = true
    };
    return add(parameters, module, "weight", spec);
}

hl_tensor *hl_name_vector(hl_parameters *parameters, hl_name module, const char *part, int64_t n, hl_init init)
{
    return add(parameters, module, part, (hl_parameter_spec){ .shape = HL_SHAPE(n), .init = init });
}
