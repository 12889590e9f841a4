/* tests/fuzz/fuzz_mux.c - a controller whose relays and agents send anything: racks and messages in wire
 * encoding, one after another, each preceded by its length in two bytes and its kind in one. Terms stay
 * usable, and the controller's disk stays readable.
 */
#include "base/json.h"
#include "live/control/control.h"
#include "live/relay/relay.h"
#include "live/wire/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct control           k;
static uint64_t                 fuzz_us;
static struct controller_config cfg;
static struct mux               mux[2];
static uint32_t                 links;
static char                     disk[1 << 16];
static long                     disk_length;

static int save(void *arg, const char *name, const char *text, size_t length)
{
    (void)arg, (void)name;
    PROMISE(length < sizeof disk);
    memcpy(disk, text, length);
    disk_length = (long)length;
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    (void)arg, (void)name, (void)size;
    if (disk_length < 0)
        return -ENOENT;
    memcpy(text, disk, (size_t)disk_length);
    return disk_length;
}

static int append(void *arg, const char *text, size_t length)
{
    (void)arg, (void)text, (void)length;
    return 0;
}

static uint64_t wall_us(void *arg)
{
    (void)arg;
    return 1;
}

static void send(void *arg, uint32_t link, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];

    (void)arg;
    if (!mux_send(&mux[0], link, m) && !mux_send(&mux[1], link, m))
        PROMISE(codec_write(m, bytes) <= CODEC_BYTES_MAX);
    PROMISE(k.c.term <= MSG_TERM_MAX);             /* an agent could not read it back from its disk */
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    (void)arg, (void)now_us;
    knob_set_add(set, KNOB_rpg_ai_rate, 10);
    snprintf(why, MSG_WHY_SIZE, "x");
    return true;
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    (void)arg, (void)is_kept, (void)missed, (void)why;
}

static uint32_t on_link(void *arg, uint64_t now_us)
{
    uint32_t link = 0x80000000u | links++;

    (void)arg;
    control_link(&k, link, now_us);
    return link;
}

static void on_msg(void *arg, uint32_t link, const struct msg *m, uint64_t now_us)
{
    (void)arg;
    control_msg(&k, link, m, now_us);
}

static void on_cut(void *arg, uint32_t link)
{
    (void)arg;
    control_cut(&k, link, fuzz_us);
}

static void send_down(void *arg, const struct rack *r)
{
    unsigned char *bytes;

    (void)arg;
    rack_codec_write(r, &bytes);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct control_io    io = { .disk = { .save = save, .load = load, .append = append, .wall_us = wall_us },
                                .send = send, .propose = propose, .ended = ended };
    struct audit         audit;
    static struct rack   rack;
    static struct msg_detail detail;

    fuzz_us = 1000000;
    controller_config_init(&cfg);
    cfg.mode = size && data[0] & 1 ? MODE_DIRECT : MODE_AUTO;
    cfg.aa_pairs = 1;
    cfg.gather_us = 100000;
    cfg.id = 1;
    disk_length = -1;
    links = 0;
    audit_init(&audit);
    control_init(&k, &cfg, &io, 64);
    PROMISE(control_start(&k, &audit, fuzz_us) == 0);
    rack_init(&rack, 0);
    for (int i = 0; i < 2; i++)
        mux_init(&mux[i], &(struct mux_io){ on_link, on_msg, on_cut, send_down, NULL });
    while (size > 3) {
        size_t  length = (size_t)(data[1] & 15) << 8 | data[2];
        uint8_t what = data[0];
        struct msg m = { .kind = MSG_NONE };

        data += 3;
        size -= 3;
        length = length < size ? length : size;
        fuzz_us += 20000;
        if (what % 8 < 3 && rack_codec_read(&rack, data, length) == 0)
            mux_on_rack(&mux[what >> 3 & 1], &rack, fuzz_us);
        else if (what % 8 < 6 && codec_read_all(&m, &detail, NULL, data, length) == 0)
            control_msg(&k, what >> 3 & 7, &m, fuzz_us);
        else if (what % 8 == 6)
            mux_on_cut(&mux[what >> 3 & 1]);
        else
            control_tick(&k, fuzz_us += 100000);
        mux_flush(&mux[0]);
        mux_flush(&mux[1]);
        data += length;
        size -= length;
    }
    for (int i = 0; i < 3; i++)
        control_tick(&k, fuzz_us += 100000);
    for (int i = 0; i < 2; i++) {
        mux_on_cut(&mux[i]);
        mux_fini(&mux[i]);
    }
    rack_fini(&rack);
    control_fini(&k);
    return 0;
}
