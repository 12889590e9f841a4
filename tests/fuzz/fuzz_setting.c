/* tests/fuzz/fuzz_setting.c - any text is an allowed setting, or rejected with its location. */
#include "tune/setting.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (!(k->value[i] >= knob_info[i].min && k->value[i] <= knob_info[i].max))
            abort();
    if (knobs_check(k, NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct knobs knobs;
    struct err   err = { "" };
    unsigned     line, column;

    if (setting_parse("k", (const char *)data, size, &knobs, &err) == 0)
        check(&knobs);
    else if (sscanf(err.text, "k:%u:%u: ", &line, &column) != 2 || strchr(err.text, '\n'))
        abort();
    return 0;
}
