/* tests/fuzz/fuzz_rlcc_state.c - the file of an interrupted rlcc training, and names of worlds: any bytes are
 * accepted or rejected, never trusted.
 */
#include "train/rlcc/rlcc_train.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char  *worlds[] = { "many_to_one:2_1" };
    struct env_world    w;
    struct err          err;
    char               *text = xmalloc(size + 1);
    struct rlcc_request q = rlcc_initial;
    struct rlcc_train   t;

    q.out = "fuzz";
    q.world = worlds;
    q.worlds = 1;
    if (rlcc_train_open(&t, &q, &err) == 0)
        resume_parse(rlcc_train_state(&t), "fuzz", (const char *)data, size, &err);
    rlcc_train_close(&t);
    memcpy(text, data, size);
    text[size] = '\0';
    if (env_world_parse(&w, text, &err) == 0)
        free(env_world_text(&w));
    free(text);
    return 0;
}
