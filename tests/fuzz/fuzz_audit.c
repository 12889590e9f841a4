/* tests/fuzz/fuzz_audit.c - for any audit log, readers agree on how much of it is intact, and an agent that
 * relies on it accepts nothing beyond. Each line is also tried with a correct hash, since no fuzzer finds
 * one.
 */
#include "live/agent/agent.h"
#include "live/core/audit.h"
#include "live/core/knobset.h"
#include "live/view/ledger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char   sealed[1 << 17];
static size_t sealed_length;

/* Adds a correct hash to every line that ends with a brace. */
static void seal(const char *data, size_t size)
{
    sealed_length = 0;
    for (size_t at = 0, end; at < size; at = end + 1) {
        const char *newline = memchr(data + at, '\n', size - at);
        char        hash[AUDIT_HASH_SIZE], *to = sealed + sealed_length;
        size_t      length;

        end = newline ? (size_t)(newline - data) : size;
        length = end - at;
        if (sealed_length + length + 200 > sizeof sealed)
            return;
        memcpy(to, data + at, length);
        length -= length && to[length - 1] == '}';
        audit_hash(hash, to, length);
        sealed_length += length + (size_t)snprintf(to + length, 100, ",\"hash\":\"%s\"}\n", hash);
    }
}

static uint64_t replay(void *arg, void (*line)(void *, const char *, size_t), void *ctx)
{
    uint64_t count = 0;

    (void)arg;
    for (size_t at = 0, end; at < sealed_length; at = end + 1, count++) {
        end = (size_t)((const char *)memchr(sealed + at, '\n', sealed_length - at) - sealed);
        line(ctx, sealed + at, end - at);
    }
    return count;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    (void)arg, (void)name, (void)text, (void)size;
    return -ENOENT;
}

static void check_set(const struct knob_set *set)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        PROMISE(isfinite(set->knobs.value[i]));
}

static void check_readers(const char *text, size_t length)
{
    struct audit a, tail;
    FILE        *file = length ? fmemopen((void *)text, length, "r") : NULL;
    uint64_t     line = 0;
    long         good = audit_resume_tail(&tail, text, length);
    bool         is_whole;

    audit_init(&a);
    is_whole = !file || !audit_check_file(&a, file, &line);
    PROMISE(good <= (long)length && (!is_whole || good == (long)length));
    if (is_whole && length)
        PROMISE(tail.seq == a.seq && strcmp(tail.head, a.head) == 0);
    if (file)
        fclose(file);
}

static void check_ledger(const char *text, size_t length)
{
    struct ledger l;

    memset(&l, 0, sizeof l);
    ledger_load(&l, text, length);
    json_decref(ledger_json(&l, 100));
    json_decref(ledger_decisions(&l));
    ledger_fini(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_disk disk = { .load = load, .replay = replay };
    struct saved   s = { 0 };

    check_readers((const char *)data, size);
    check_ledger((const char *)data, size);
    seal((const char *)data, size);
    check_readers(sealed, sealed_length);
    check_ledger(sealed, sealed_length);
    if (saved_read(&s, &disk) == SAVED_LOG) {
        PROMISE(s.doubts < SAVED_DOUBTS_MAX && s.term <= MSG_TERM_MAX);
        check_set(&s.confirmed);
        check_set(&s.baseline);
        for (uint32_t i = 0; i < s.doubts; i++)
            check_set(&s.doubt[i]);
    }
    return 0;
}
