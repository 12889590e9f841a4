/* src/live/daemon/run_test.c - agent, controller and relay as processes. The test is the other end of their
 * connections. */
#include "live/daemon/run.h"
#include "live/core/live_clock.h"
#include "live/core/knobset.h"
#include "live/wire/codec.h"
#include "live/wire/dial.h"
#include "live/wire/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_US 20000000u    /* machines that run tests may be busy */

static char         folder[64];
static struct knobs *device;     /* shared with the agent's process */

/* ---- a device in memory ---- */

static int find(const struct driver *d, const char *root, char name[][MSG_NAME_SIZE], struct err *err)
{
    (void)d, (void)root, (void)err;
    snprintf(name[0], MSG_NAME_SIZE, "nic0");
    return 1;
}

static int open_device(const struct driver *d, void **state, const char *root, const char *name,
                       struct err *err)
{
    (void)root, (void)name, (void)err;
    *state = d->arg;
    return 0;
}

static void close_device(void *state)
{
    (void)state;
}

static int read_device(void *state, struct knob_set *set)
{
    *set = (struct knob_set){ 0 };
    knob_set_add(set, KNOB_rpg_ai_rate, ((struct knobs *)state)->value[KNOB_rpg_ai_rate]);
    return 0;
}

static int write_device(void *state, const struct knob_set *set)
{
    knobs_apply(state, set);
    return 0;
}

static int sample_device(void *state, struct msg_sample *s)
{
    (void)state;
    *s = (struct msg_sample){ .interval_us = 20000, .tx_bytes = 1000, .rate_bps = 100000000000,
                              .metric = 0.5 };
    return 0;
}

static double rate(void)
{
    return ((volatile struct knobs *)device)->value[KNOB_rpg_ai_rate];
}

/* ---- processes ---- */

enum program { AGENT, CONTROLLER, RELAY };

static int run(enum program program)
{
    struct driver          driver = { .find = find, .open = open_device, .close = close_device,
                                      .read = read_device, .write = write_device, .sample = sample_device,
                                      .name = "test", .arg = device, .where = KNOB_NIC };
    struct agent_file      a;
    struct controller_file c;
    struct relay_file      r;
    struct err             err;
    char                   path[96];
    int                    rc;

    snprintf(path, sizeof path, "%s/config.yaml", folder);
    switch (program) {
    case AGENT:      rc = config_read(&config_agent, &a, path, &driver, &err); rc = rc ? rc :
                          agent_run(&a, NULL, &err); break;
    case CONTROLLER: rc = config_read(&config_controller, &c, path, NULL, &err); rc = rc ? rc :
                          controller_run(&c, NULL, &err); break;
    default:         rc = config_read(&config_relay, &r, path, NULL, &err); rc = rc ? rc :
                          relay_run(&r, &err); break;
    }
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    return rc != 0;
}

/* Starts a program. Each '@' in 'text' stands for the folder. */
static pid_t start(enum program program, const char *text)
{
    char  path[96];
    FILE *f;
    pid_t pid;

    snprintf(path, sizeof path, "%s/config.yaml", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    for (; *text; text++)
        if (*text == '@')
            fputs(folder, f);
        else
            fputc(*text, f);
    assert_int_equal(fclose(f), 0);
    pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(run(program));
    }
    assert_true(pid > 0);
    return pid;
}

static void stop(pid_t pid)
{
    int status;

    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int set_up(void **unused)
{
    (void)unused;
    snprintf(folder, sizeof folder, "/tmp/anole-run-XXXXXX");
    assert_non_null(mkdtemp(folder));
    device = mmap(NULL, sizeof *device, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(device != MAP_FAILED);
    device->value[KNOB_rpg_ai_rate] = 5;
    return 0;
}

static int tear_down(void **unused)
{
    char command[96];

    (void)unused;
    munmap(device, sizeof *device);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- the other end ---- */

/* a server or a client */
struct end { struct serve *serve; struct dial *dial; uint32_t link; struct msg msg; struct rack rack; bool is_rack; };

static void open_end(struct end *e, bool is_server, const char *name)
{
    struct rpc_tls none = { 0 };
    struct err     err;
    char           address[96];

    *e = (struct end){ .link = UINT32_MAX };
    rack_init(&e->rack, 0);
    snprintf(address, sizeof address, "unix:%s/%s", folder, name);
    assert_int_equal(is_server ? serve_open(&e->serve, address, &none, NULL, &err) :
                     dial_open(&e->dial, address, &none, NULL, &err), 0);
}

static void close_end(struct end *e)
{
    serve_free(e->serve);
    dial_free(e->dial);
    rack_fini(&e->rack);
}

static void send_bytes(struct end *e, const void *bytes, size_t length)
{
    if (e->serve)
        serve_send(e->serve, e->link, bytes, length);
    else
        dial_send(e->dial, e->link, bytes, length);
}

static void send_msg(struct end *e, const struct msg *m)
{
    static unsigned char bytes[CODEC_BYTES_MAX];

    send_bytes(e, bytes, codec_write(m, bytes));
}

/* Returns true if a message came or the link opened. */
static bool take(struct end *e, const struct rpc_event *event)
{
    e->is_rack = false;
    if (event->kind == RPC_CLOSE && e->dial) {            /* the process does not listen yet */
        usleep(20000);
        dial_again(e->dial);
    }
    if (event->kind == RPC_OPEN)
        e->link = event->link;
    if (event->kind != RPC_DATA)
        return event->kind == RPC_OPEN;
    e->is_rack = rack_codec_is(event->bytes, event->length);
    assert_int_equal(e->is_rack ? rack_codec_read(&e->rack, event->bytes, event->length) :
                     codec_read(&e->msg, event->bytes, event->length), 0);
    return true;
}

/* Waits for an event for which is_it() returns true. */
static void wait_for(struct end *e, bool (*is_it)(const struct end *))
{
    uint64_t         end_us = clock_us() + PATIENCE_US;
    struct rpc_event event;

    for (;;) {
        while (e->serve ? serve_next(e->serve, &event) : dial_next(e->dial, &event))
            if (take(e, &event) && is_it(e))
                return;
        if (clock_us() > end_us)
            fail_msg("the expected event did not come");
        poll(&(struct pollfd){ .fd = e->serve ? serve_fd(e->serve) : dial_fd(e->dial), .events = POLLIN }, 1, 20);
    }
}

static bool is_open(const struct end *e)      { return e->link != UINT32_MAX; }
static bool is_hello(const struct end *e)     { return e->msg.kind == MSG_HELLO; }
static bool is_report(const struct end *e)    { return e->msg.kind == MSG_REPORT; }
static bool is_prepared(const struct end *e)  { return e->msg.kind == MSG_ANSWER &&
                                                e->msg.answer == ANSWER_PREPARED; }
static bool is_applied(const struct end *e)   { return e->msg.kind == MSG_ANSWER &&
                                                e->msg.answer == ANSWER_APPLIED; }
static bool is_reverted(const struct end *e)  { return e->msg.kind == MSG_ANSWER &&
                                                e->msg.answer == ANSWER_REVERTED; }
static bool is_who(const struct end *e)       { return e->msg.kind == MSG_WHO; }
static bool is_lease(const struct end *e)     { return e->msg.kind == MSG_LEASE && e->msg.stamp_us == 77; }
static bool has_item(const struct end *e)     { return e->is_rack && e->rack.items; }
static bool has_row(const struct end *e)      { return e->is_rack && e->rack.rows; }

/* ---- the agent ---- */

#define AGENT_TEXT(lease) "name: host1\ncontroller: unix:@/socket\nstate: @/state\nwrite: yes\ninterval: 20ms\ngap: 0ms\nlease: " lease "\n"

/* Plays a controller, up to a change that is applied. */
static void apply(struct end *e)
{
    struct msg m = { .kind = MSG_LEASE, .term = 1 };

    wait_for(e, is_hello);
    assert_string_equal(e->msg.name, "host1/nic0");
    m.incarnation = e->msg.incarnation;
    wait_for(e, is_report);
    m.stamp_us = e->msg.stamp_us;
    send_msg(e, &m);
    m.kind = MSG_PREPARE;
    m.change = 1;
    knob_set_add(&m.set, KNOB_rpg_ai_rate, 9);
    send_msg(e, &m);
    wait_for(e, is_prepared);
    assert_true(rate() == 5);
    m.kind = MSG_COMMIT;
    send_msg(e, &m);
    wait_for(e, is_applied);
    assert_true(e->msg.set.knobs.value[KNOB_rpg_ai_rate] == 9);          /* the value that was read back */
}

static void agent__reverts_without_a_lease(void **unused)
{
    struct end e;
    pid_t      pid;

    (void)unused;
    open_end(&e, true, "socket");
    pid = start(AGENT, AGENT_TEXT("1s"));
    apply(&e);
    wait_for(&e, is_reverted);
    assert_true(rate() == 5);
    stop(pid);
    close_end(&e);
}

static void agent__reverts_an_open_change_when_it_ends(void **unused)
{
    struct end e;
    pid_t      pid;

    (void)unused;
    open_end(&e, true, "socket");
    pid = start(AGENT, AGENT_TEXT("60s"));
    apply(&e);
    assert_true(rate() == 9);
    stop(pid);
    assert_true(rate() == 5);
    close_end(&e);
}

/* The next process finds the open change on the disk, and reverts it before any controller contacts it. */
static void agent__reverts_the_change_of_a_killed_one(void **unused)
{
    struct end e;
    pid_t      pid;

    (void)unused;
    open_end(&e, true, "socket");
    pid = start(AGENT, AGENT_TEXT("60s"));
    apply(&e);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(rate() == 9);
    e.msg.kind = MSG_NONE;
    pid = start(AGENT, AGENT_TEXT("60s"));
    wait_for(&e, is_hello);
    assert_true(rate() == 5);
    stop(pid);
    close_end(&e);
}

/* ---- controller and relay ---- */

static void hello(struct end *e)
{
    struct msg m = { .kind = MSG_HELLO, .incarnation = 3, .name = "host1/nic0", .version = MSG_VERSION,
                     .interval_us = 20000 };

    knob_set_add(&m.set, KNOB_rpg_ai_rate, 5);
    m.confirmed = m.baseline = m.set;
    send_msg(e, &m);
}

static void report(struct end *e)
{
    send_msg(e, &(struct msg){ .kind = MSG_REPORT, .incarnation = 3, .stamp_us = 77,
                               .sample = { .interval_us = 20000, .tx_bytes = 4321, .metric = NAN } });
}

static void controller__answers_a_report_with_a_lease(void **unused)
{
    struct end e;
    pid_t      pid = start(CONTROLLER,
                           "listen: unix:@/socket\nstate: @/state\ninterval: 20ms\ngather: 10ms\n");

    (void)unused;
    open_end(&e, false, "socket");
    wait_for(&e, is_who);
    hello(&e);
    report(&e);
    wait_for(&e, is_lease);
    assert_true(e.msg.incarnation == 3 && e.msg.term > 0);
    stop(pid);
    close_end(&e);
}

static void controller__answers_questions(void **unused)
{
    pid_t           pid = start(CONTROLLER,
                                "name: c1\nlisten: unix:@/socket\nstate: @/state\ninterval: 20ms\n"
                                "gather: 10ms\n");
    struct question q = { .version = MSG_VERSION, .verb = "status" };
    struct rpc_tls  none = { 0 };
    unsigned char   bytes[1024], *reply = NULL;
    char            address[96], *error, *text;
    struct end      e;
    struct err      err;
    size_t          length;

    (void)unused;
    snprintf(address, sizeof address, "unix:%s/socket", folder);
    open_end(&e, false, "socket");
    wait_for(&e, is_open);
    assert_int_equal(rpc_ask(address, &none, bytes, codec_write_question(&q, bytes), PATIENCE_US / 1000,
                             &reply, &length, &err), 0);
    assert_int_equal(codec_read_reply(&error, &text, reply, length), 0);
    assert_string_equal(error, "");
    assert_non_null(strstr(text, "\"name\":\"c1\""));
    free(error), free(text), free(reply);
    stop(pid);
    close_end(&e);
}

/* An agent's hello goes up as it is, its reports as rows of numbers. The acknowledgement of a rack becomes
 * a lease. */
static void relay__hands_reports_up_and_leases_down(void **unused)
{
    struct end     up, agent;
    struct rack    down;
    unsigned char *bytes;
    size_t         length;
    pid_t          pid;

    (void)unused;
    open_end(&up, true, "up");
    pid = start(RELAY, "name: relay1\nlisten: unix:@/socket\ncontroller: unix:@/up\ninterval: 20ms\n");
    wait_for(&up, is_open);
    open_end(&agent, false, "socket");
    wait_for(&agent, is_open);
    send_msg(&agent, &(struct msg){ .kind = MSG_HELLO, .version = MSG_VERSION + 1, .name = "host1/new" });
    hello(&agent);
    wait_for(&up, has_item);                     /* the first hello of this version */
    assert_string_equal(up.rack.item[0].msg.name, "host1/nic0");
    report(&agent);
    wait_for(&up, has_row);
    assert_true(up.rack.row[0].stamp_us == 77 && up.rack.row[0].sample.tx_bytes == 4321);
    rack_init(&down, up.rack.life);
    down.number = up.rack.number;
    down.term = 65537;
    length = rack_codec_write(&down, &bytes);
    send_bytes(&up, bytes, length);
    free(bytes);
    rack_fini(&down);
    wait_for(&agent, is_lease);
    assert_true(agent.msg.term == 65537 && agent.msg.incarnation == 3);
    stop(pid);
    close_end(&agent);
    close_end(&up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agent__reverts_without_a_lease, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent__reverts_an_open_change_when_it_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(agent__reverts_the_change_of_a_killed_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(controller__answers_a_report_with_a_lease, set_up, tear_down),
        cmocka_unit_test_setup_teardown(controller__answers_questions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(relay__hands_reports_up_and_leases_down, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
