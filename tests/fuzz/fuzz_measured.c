/* tests/fuzz/fuzz_measured.c - any bytes are measurements above 0, or rejected in one line. */
#include "peers/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE           *file = size ? fmemopen((void *)data, size, "r") : NULL;
    struct err      err = { "" };
    struct measured m;

    if (!file)
        return 0;
    if (measured_read_stream(&m, file, "fuzz", &err) == 0) {
        PROMISE(m.rows > 0 && m.kind);
        for (uint32_t i = 0; i < m.rows; i++) {
            PROMISE(isfinite(m.row[i].value) && m.row[i].value > 0 && m.row[i].figure);
            for (uint32_t k = 0; k < m.row[i].sets; k++)
                PROMISE(strchr(m.row[i].set[k], '=') > m.row[i].set[k]);
        }
        measured_fini(&m);
    } else {
        PROMISE(strncmp(err.text, "fuzz:", 5) == 0 && !strchr(err.text, '\n'));
    }
    fclose(file);
    return 0;
}
