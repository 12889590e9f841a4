/* tests/fuzz/fuzz_train_state.c - the state of an interrupted training: any bytes are rejected, unless they
 * are intact. They are also tried as the content of a file with a valid frame.
 */
#include "base/digest.h"
#include "train/train.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FRAME "ANOLETRAIN2\n0123456789abcdef0123456789abcdef"
#define HEX   32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try(const char *bytes, size_t length)
{
    static const struct dqn_cfg small = {
        .shape = { .inputs = 2, .layers = 2, .layer = { { .width = 4, .activation = NET_RELU },
                                                        { .width = 2 } } },
        .gamma = 0.5, .bend = 1, .batch = 4, .memory = 16, .copy_every = 4, .adam = { .rate = 0.01 },
    };
    struct train_state s;
    struct err         err = { "" };

    train_state_init(&s, &small, &FRAME[strlen(FRAME) - HEX]);
    if (resume_parse(train_state_file(&s), "s", bytes, length, &err) && strncmp(err.text, "s: ", 3) != 0)
        abort();
    train_state_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t        length = strlen(FRAME) + size;
    char         *bytes = xmalloc(length + HEX + 1);
    struct digest d;

    try((const char *)data, size);
    memcpy(bytes, FRAME, strlen(FRAME));
    memcpy(bytes + strlen(FRAME), data, size);
    digest_init(&d);
    digest_add(&d, bytes, length);
    digest_text(bytes + length, &d);
    try(bytes, length + HEX);
    free(bytes);
    return 0;
}
