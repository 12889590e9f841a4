/* tests/fuzz/fuzz_tuning.c - for any input of history_parse(), an accepted history is valid.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I src tests/fuzz/fuzz_tuning.c \
 *       src/tune/tuning_history.c src/base/{text,err}.c src/core/knobs.c -ljansson -lm
 */
#include "tune/tuning_history.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
    PROMISE(text != NULL);
    for (; *text; text++)
        PROMISE((unsigned char)*text >= ' ' && *text != 127);
}

static void check_knobs(const struct knobs *k)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        PROMISE(k->value[i] >= knob_info[i].min && k->value[i] <= knob_info[i].max);
}

static void check_step(const struct history *h, uint32_t i)
{
    const struct history_step *s = &h->step[i];

    PROMISE(s->start_us >= (i ? h->step[i - 1].end_us : 0) && s->end_us > s->start_us && isfinite(s->end_us));
    PROMISE(memcmp(&s->was, i ? &h->step[i - 1].is : &h->first, sizeof s->was) == 0);
    PROMISE(!isinf(s->utility) && !isinf(s->rtt_us) && !isinf(s->temperature));
    check_knobs(&s->is);
    PROMISE((unsigned)s->phase < TUNER_PHASES);
    check_text(s->why);
}

static void check_refusal(int rc, const struct history *h, const struct err *err)
{
    size_t line, column;

    PROMISE(rc < 0);
    PROMISE(!h->tuner && !h->step && !h->option);
    PROMISE(sscanf(err->text, "fuzz:%zu:%zu: ", &line, &column) == 2);
    PROMISE(line >= 1 && column >= 1);
    PROMISE(!strchr(err->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err     err = { "" };
    struct history h;
    int            rc = history_parse(&h, "fuzz", (const char *)data, size, &err);

    if (rc) {
        check_refusal(rc, &h, &err);
        return 0;
    }
    check_text(h.tuner);
    check_knobs(&h.first);
    for (uint32_t i = 0; i < h.options; i++) {
        check_text(h.option[i].name);
        check_text(h.option[i].text);
    }
    for (uint32_t i = 0; i < h.steps; i++)
        check_step(&h, i);
    history_fini(&h);
    return 0;
}
