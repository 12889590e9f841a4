/* tests/fuzz/fuzz_htsim_command.c - any text is a command line whose values fit a scenario, or rejected with
 * a reason.
 */
#include "peers/htsim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Values are copied into a scenario unchanged: letters, digits, '.', '-', '+' and '_'. */
static void check(const struct htsim_command *c)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_.+-";

    if (!c->matrix || c->seed > UINT32_MAX)
        abort();
    for (uint32_t i = 0; i < c->settings; i++) {
        const char *value = c->setting[i].value;

        if (!*value || value[strspn(value, plain)])
            abort();
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(c->setting[i].key, c->setting[j].key) == 0)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char                *text = memcpy(calloc(1, size + 1), data, size);
    struct err           err = { "" };
    struct htsim_command c;

    if (htsim_read_command("c", text, &c, &err) == 0) {
        check(&c);
        htsim_command_fini(&c);
    } else if (strncmp(err.text, "c:", 2) != 0) {
        abort();
    }
    free(text);
    return 0;
}
