/* src/live/daemon/tuner/live_tuner_learner_test.c - a controller's learner with scripted agents, honest and
 * hostile. */
#include "live/daemon/tuner/live_tuner.h"
#include "live/control/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENTS   3               /* the last one does not train */
#define QUEUES   4
#define FLOATS   27              /* of a record: 12 inputs twice, action, reward, end */
#define INTERVAL 100000ull
#define SEED     11
#define ORDER(kind) (&(struct order){ "alice", "a test", ORDER_##kind, "", "", 0 })

static struct test {
    struct controller_file file;
    struct control         k;
    struct live_learner    learner;
    struct msg_learn       got[AGENTS + 1];        /* the last net */
    uint32_t               nets[AGENTS + 1];       /* how many came */
    uint64_t               using[AGENTS + 1];      /* checksum of the net in use, as reported */
    char                   state[20000], log[1 << 18];
    size_t                 state_length, log_length;
    uint64_t               now_us;
} t;

/* ---- the world ---- */

static int save(void *arg, const char *name, const char *text, size_t length)
{
    (void)arg, (void)name;
    memcpy(t.state, text, length);
    t.state_length = length;
    return 0;
}

static long load(void *arg, const char *name, char *text, size_t size)
{
    (void)arg, (void)name;
    assert_true(t.state_length <= size);
    memcpy(text, t.state, t.state_length);
    return t.state_length ? (long)t.state_length : -ENOENT;
}

static int append(void *arg, const char *text, size_t length)
{
    (void)arg;
    assert_true(t.log_length + length < sizeof t.log);
    memcpy(t.log + t.log_length, text, length);
    t.log_length += length;
    return 0;
}

static uint64_t wall_us(void *arg)
{
    (void)arg;
    return 1792141200000000 + t.now_us;
}

static bool propose(void *arg, uint64_t now_us, struct knob_set *set, char why[MSG_WHY_SIZE])
{
    (void)arg, (void)now_us, (void)set, (void)why;
    return false;
}

static void ended(void *arg, bool is_kept, uint32_t missed, const char *why)
{
    (void)arg, (void)is_kept, (void)missed, (void)why;
}

static void send(void *arg, uint32_t link, const struct msg *m)
{
    (void)arg;
    if (m->kind != MSG_LEARN)
        return;
    t.got[link] = *m->learn;
    t.nets[link]++;
}

static void interval(void *arg, uint64_t now_us)
{
    (void)arg;
    char note[MSG_WHY_SIZE];

    if (live_learner_interval(&t.learner, &t.file, &t.k.c, note))
        control_note(&t.k, "net", note, now_us);
}

static bool records(void *arg, const struct peer *p, const struct msg_learn *m, uint64_t now_us,
                    char note[MSG_WHY_SIZE])
{
    (void)arg;
    return live_learner_take(&t.learner, &t.k.c, p, m, now_us, note);
}

static const struct msg_learn *net(void *arg, const struct peer *p)
{
    (void)arg;
    return live_learner_net(&t.learner, &t.k.c, p);
}

/* ---- agents ---- */

static const char *const name[AGENTS] = { "a/leaf", "b/leaf", "old/leaf" };

static void say(uint32_t link, struct msg m)
{
    m.incarnation = m.incarnation ? m.incarnation : 1;
    m.self = (struct msg_self){ .is_there = true, .is_allowed = true, .queues = QUEUES,
                                .is_training = link != AGENTS - 1, .net = t.using[link] };
    control_msg(&t.k, link, &m, t.now_us);
}

static void hello(uint32_t link, const char *who)
{
    struct msg m = { .kind = MSG_HELLO, .version = MSG_VERSION, .where = KNOB_SWITCH, .interval_us = INTERVAL,
                     .facts.number = AGENTS - link };    /* b comes before a */

    snprintf(m.name, sizeof m.name, "%s", who);
    m.incarnation = link < AGENTS ? 1 : 7;
    say(link, m);
}

static void tick(void)
{
    t.now_us += INTERVAL;
    for (uint32_t i = 0; i < AGENTS; i++)
        say(i, (struct msg){ .kind = MSG_REPORT, .stamp_us = t.now_us,
                             .sample = { .interval_us = INTERVAL, .metric = NAN } });
    control_tick(&t.k, t.now_us);
}

static void ticks(uint32_t count)
{
    while (count-- > 0)
        tick();
}

/* Agents use the nets that they have received. */
static void obey(void)
{
    for (uint32_t i = 0; i < AGENTS; i++)
        t.using[i] = t.got[i].version ? t.got[i].checksum : 0;
}

/* Returns valid records of some slots of all queues. */
static struct msg_learn batch(uint64_t seed, uint32_t slots)
{
    struct msg_learn m = { .version = 1, .rows = slots * QUEUES, .floats = slots * QUEUES * FLOATS };
    struct rng       rng;

    rng_init(&rng, seed, 0);
    for (uint32_t i = 0; i < m.rows; i++) {
        float *record = m.value + (size_t)i * FLOATS;

        m.slot[i] = i / QUEUES;
        m.queue[i] = i % QUEUES;
        for (int n = 0; n < FLOATS - 1; n++)
            record[n] = (float)rng_real(&rng);
        record[12] = (float)rng_below(&rng, 20);
    }
    return m;
}

static void give(uint32_t link, const struct msg_learn *m)
{
    say(link, (struct msg){ .kind = MSG_LEARN, .learn = m });
}

/* ---- life ---- */

static int read_text(const char *text, struct err *err)
{
    char  path[] = "/tmp/anole-learner-XXXXXX";
    int   fd = mkstemp(path), rc;
    FILE *f = fdopen(fd, "w");

    fprintf(f, "name: c\nlisten: unix:/tmp/x\nstate: /tmp\nmode: auto\nseed: %d\n%s", SEED, text);
    fclose(f);
    rc = config_read(&config_controller, &t.file, path, NULL, err);
    unlink(path);
    return rc;
}

static void boot(void)
{
    struct control_io io = { .disk = { .save = save, .load = load, .append = append, .wall_us = wall_us },
                                .send = send, .interval = interval, .propose = propose, .ended = ended,
                                .records = records, .net = net };
    struct audit         a;
    struct err           err;

    memset(&t, 0, sizeof t);
    if (read_text("queue_tuners: yes\ngather: 1ms\ninterval: 100ms\nlearner: {name: acc, model: dcqcn, "
                  "train: yes, learner: central, send_every: 2, batch: 8, memory: 100, rate: 0.01}\n", &err) ||
        live_learner_check(&t.file, &err))
        fail_msg("%s", err.text);
    live_learner_init(&t.learner, &t.file);
    assert_non_null(t.learner.acc);
    t.now_us = 5000000;
    audit_init(&a);
    control_init(&t.k, &t.file.controller, &io, AGENTS + 1);
    assert_int_equal(control_start(&t.k, &a, t.now_us), 0);
    for (uint32_t i = 0; i < AGENTS; i++)
        hello(i, name[i]);
}

static void halt(void)
{
    control_fini(&t.k);
    live_learner_fini(&t.learner);
    config_fini(&config_controller, &t.file);
}

/* ---- cases ---- */

static void net__goes_to_training_agents(void **state)
{
    uint32_t before;

    (void)state;
    boot();
    tick();
    assert_true(t.nets[0] == 1 && t.nets[1] == 1 && t.nets[2] == 0);
    assert_int_equal(t.got[0].version, 1);
    assert_int_equal(t.got[0].checksum, acc_checksum(t.got[0].value, t.got[0].floats));
    assert_int_equal(t.got[0].seed, acc_agents_seed(SEED, 1));   /* the second switch of the network */
    assert_int_equal(t.got[1].seed, acc_agents_seed(SEED, 0));
    ticks(10);                                   /* lost, so sent again, but not after every report */
    assert_true(t.nets[0] >= 4 && t.nets[0] <= 6);
    obey();
    before = t.nets[0];
    ticks(10);
    assert_int_equal(t.nets[0], before);
    halt();
}

static void net__is_withdrawn_by_the_operator(void **state)
{
    struct msg_learn m;
    uint64_t         initial;

    (void)state;
    boot();
    tick();
    initial = t.got[0].checksum;
    obey();
    for (uint64_t i = 0; i < 5; i++) {
        m = batch(i, 10);
        give(0, &m);
        tick();
        obey();
    }
    assert_true(t.got[0].version > 1 && t.got[0].checksum == t.got[1].checksum);
    assert_non_null(strstr(t.log, "\"what\":\"net\""));
    control_order(&t.k, ORDER(FREEZE), t.now_us);
    tick();
    assert_int_equal(t.got[0].version, 0);
    obey();
    control_order(&t.k, ORDER(THAW), t.now_us);
    tick();
    assert_true(t.got[0].version > 1);           /* it keeps what it has learned */
    obey();
    control_order(&t.k, ORDER(ROLLBACK), t.now_us);
    tick();
    assert_int_equal(t.got[0].version, 0);
    obey();
    control_order(&t.k, ORDER(THAW), t.now_us);
    tick();
    assert_int_equal(t.got[0].checksum, initial);
    assert_non_null(strstr(t.log, "learning starts again with the initial net"));
    live_learner_fini(&t.learner);               /* another configuration, without a learner */
    obey();
    tick();
    assert_int_equal(t.got[0].version, 0);
    halt();
}

static void net__is_not_sent_again_after_a_refusal(void **state)
{
    struct msg_learn no = { .version = 1 };

    (void)state;
    boot();
    tick();
    say(0, (struct msg){ .kind = MSG_LEARN, .learn = &no, .why = "net 1: its checksum is not 0" });
    say(0, (struct msg){ .kind = MSG_LEARN, .learn = &no, .why = "a second time" });
    ticks(10);
    assert_int_equal(t.nets[0], 1);
    assert_true(t.nets[1] > 1);
    assert_non_null(strstr(t.log, "a/leaf: net 1: its checksum is not 0"));
    assert_null(strstr(t.log, "a second time"));
    halt();
}

/* The order of arrival does not matter. The reference is a learner that gets all records in order. */
static void take__learns_the_same_in_any_order(void **state)
{
    static struct msg_learn    result[2];
    static struct live_learner near;
    struct msg_learn           m[2];

    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        boot();
        live_learner_init(&near, &t.file);
        tick();
        for (uint64_t i = 0; i < 6; i++) {
            struct acc_learner *l = t.learner.acc, *n = near.acc;

            for (uint32_t a = 0; a < 2; a++)
                m[a] = batch(2 * i + a, 5);
            give(first, &m[first]);
            give(!first, &m[!first]);
            assert_int_equal(l->records.count, 2 * 5 * QUEUES);
            for (uint32_t slot = 0; slot < 5; slot++)
                for (uint32_t row = 0; row < 2 * QUEUES; row++)  /* b is the first switch, a the second */
                    acc_records_add(&n->records, slot, row / QUEUES, row % QUEUES,
                                    m[row < QUEUES].value + (slot * QUEUES + row % QUEUES) * FLOATS);
            acc_learner_learn(n);
            tick();
            assert_int_equal(l->records.count, 0);
            assert_memory_equal(t.got[0].value, n->net.parameter, n->net.parameters * sizeof(float));
        }
        live_learner_fini(&near);
        assert_int_equal(t.learner.taken, 6 * 2 * 5 * QUEUES);
        assert_int_equal(t.learner.refused, 0);
        result[first] = t.got[0];
        assert_true(t.got[0].version > 3);
        halt();
    }
    assert_memory_equal(result[0].value, result[1].value, sizeof result[0].value);
    assert_int_equal(result[0].checksum, result[1].checksum);
}

enum flaw { BAD_STATE, BAD_ACTION, BAD_REWARD, BAD_END, BAD_QUEUE, BAD_ORDER, BAD_TWICE, BAD_SIZE,
            BAD_VERSION, FLAWS };

static void spoil(struct msg_learn *m, enum flaw flaw)
{
    float *record = m->value + 3 * FLOATS;

    switch (flaw) {
    case BAD_STATE:   record[2] = (float)NAN; break;
    case BAD_ACTION:  record[12] = 20; break;
    case BAD_REWARD:  record[13] = 1e30f; break;
    case BAD_END:     record[FLOATS - 1] = 1; break;
    case BAD_QUEUE:   m->queue[m->rows - 1] = QUEUES; break;     /* a queue of another switch */
    case BAD_ORDER:   m->slot[m->rows - 1] = 0; break;
    case BAD_TWICE:   m->queue[1] = m->queue[0]; break;
    case BAD_SIZE:    m->floats -= m->rows; break;
    case BAD_VERSION: m->version = 0; break;
    case FLAWS:       break;
    }
}

/* Records of a hostile agent are refused and counted. The net is the same as without them. */
static void take__hostile_records_are_refused_and_counted(void **state)
{
    static struct msg_learn result[2];
    struct msg_learn        good, bad;

    (void)state;
    for (int is_attacked = 0; is_attacked < 2; is_attacked++) {
        uint64_t refused = 0;

        boot();
        tick();
        for (uint64_t i = 0; i < FLAWS; i++) {
            good = batch(i, 10);
            give(0, &good);
            if (is_attacked) {
                bad = batch(99, 5);
                spoil(&bad, (enum flaw)i);
                give(1, &bad);
                refused += bad.rows;
                bad = batch(99, 5);
                give(2, &bad);                   /* this agent does not train */
                give(3, &bad);                   /* no hello so far */
                /* of an earlier life */
                say(1, (struct msg){ .kind = MSG_LEARN, .learn = &bad, .incarnation = 7 });
                hello(3, name[0]);               /* the name of another agent, which reports */
                say(3, (struct msg){ .kind = MSG_LEARN, .learn = &bad, .incarnation = 7 });
            }
            assert_int_equal(t.learner.refused, refused);
            tick();
        }
        assert_int_equal(t.learner.taken, FLAWS * 10 * QUEUES);
        assert_int_equal(strstr(t.log, "refuse records") != NULL, is_attacked);
        result[is_attacked] = t.got[0];
        halt();
    }
    assert_memory_equal(result[0].value, result[1].value, sizeof result[0].value);
}

static void take__a_flood_is_bounded(void **state)
{
    struct msg_learn m;
    uint32_t         lines = 0;
    uint64_t         updates;

    (void)state;
    boot();
    tick();
    m = batch(1, 100);                           /* 400 records */
    for (int i = 0; i < 50; i++)
        give(0, &m);
    assert_int_equal(t.learner.acc->records.count, ACC_RECORDS_MAX);
    assert_int_equal(t.learner.refused, 50 * 400 - ACC_RECORDS_MAX);
    give(1, &m);                                 /* others still have room */
    assert_int_equal(t.learner.taken, ACC_RECORDS_MAX + 400);
    updates = t.learner.acc->dqn.updates;
    tick();
    assert_int_equal(t.learner.acc->dqn.updates - updates, ACC_UPDATES_MAX);
    for (const char *line = t.log; (line = strstr(line, "refuse records")); line++)
        lines++;
    assert_int_equal(lines, 1);                  /* one line in the log, not one per message */
    halt();
}

static void check__refuses_invalid_learners(void **state)
{
    static const struct { const char *text, *why; } row[] = {
        { "queue_tuners: yes\nlearner: {name: paraleon}\n", "train: yes and learner: central" },
        { "queue_tuners: yes\nlearner: {name: acc, train: yes}\n", "train: yes and learner: central" },
        { "queue_tuners: yes\nlearner: {name: acc, learner: central}\n", "train: yes and learner: central" },
        { "learner: {name: acc, train: yes, learner: central}\n", "queue_tuners: yes" },
        { "queue_tuners: yes\nlearner: {name: acc, model: none, actions: text, train: yes, "
          "learner: central}\n", "does not fit a message" },
        { "queue_tuners: yes\nlearner: {name: acc, trains: yes}\n", "did you mean" },
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        memset(&t, 0, sizeof t);
        assert_int_equal(read_text(row[i].text, &err), 0);
        assert_true(live_learner_check(&t.file, &err) < 0);
        if (!strstr(err.text, row[i].why))
            fail_msg("%s", err.text);
        config_fini(&config_controller, &t.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(net__goes_to_training_agents),
        cmocka_unit_test(net__is_withdrawn_by_the_operator),
        cmocka_unit_test(net__is_not_sent_again_after_a_refusal),
        cmocka_unit_test(take__learns_the_same_in_any_order),
        cmocka_unit_test(take__hostile_records_are_refused_and_counted),
        cmocka_unit_test(take__a_flood_is_bounded),
        cmocka_unit_test(check__refuses_invalid_learners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
