/* tests/fuzz/fuzz_ctl.c - anole ctl prints any answer of a controller, or reports that it cannot be parsed.
 * The first byte is the verb. The rest is tried as the text of the answer and as its encoding on the wire.
 */
#include "live/daemon/ctl.h"
#include "live/view/words.h"
#include "live/wire/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const char *verb, uint64_t number, const char *text)
{
    struct ctl_request q = { .address = "a:1", .question = { .number = number } };
    struct err         err = { "" };

    snprintf(q.question.verb, sizeof q.question.verb, "%s", verb);
    if (ctl_print(&q, text, &err) && !*err.text)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    size_t       verbs = 0;
    char        *text, *error, *answer;

    if (!nowhere)
        nowhere = freopen("/dev/null", "w", stdout);
    if (!size)
        return 0;
    while (words_verbs[verbs].name)
        verbs++;
    text = calloc(1, size);
    memcpy(text, data + 1, size - 1);
    show(words_verbs[data[0] % verbs].name, data[0] / verbs, text);
    if (codec_read_reply(&error, &answer, data + 1, size - 1) == 0) {
        show(words_verbs[data[0] % verbs].name, 0, answer);
        free(error);
        free(answer);
    }
    free(text);
    return 0;
}
