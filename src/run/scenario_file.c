#include "run/scenario_file.h"
#include "base/text.h"
#include "scenario/examples.h"

#include <stdlib.h>

#define SCENARIO_BYTES_MAX (64u << 20)

int scenario_file_read(struct scenario_file *f, const char *path, struct err *err)
{
    *f = (struct scenario_file){ .path = examples_path(path, err) };
    return f->path ? text_read_file(f->path, SCENARIO_BYTES_MAX, &f->text, &f->text_bytes, err) : -ENOENT;
}

void scenario_file_fini(struct scenario_file *f)
{
    free(f->text);
    free(f->path);
    *f = (struct scenario_file){ 0 };
}

struct simulation_input scenario_file_input(const struct scenario_file *f)
{
    return (struct simulation_input){ .name = text_file_name(f->path), .text = f->text,
                                      .text_bytes = f->text_bytes };
}
