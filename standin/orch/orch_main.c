/* standin/orch/orch_main.c - anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]: a stand-in for a
 * SONiC switch with its own redis-server, whose socket has SONiC's path below FOLDER. Runs until a signal
 * arrives. An agent with `driver: sonic` and `root: FOLDER` uses it as a switch.
 *
 * It handles queues and WRED profiles as orchagent and syncd do; docs/live.md has the contract: what is known
 * about real ones, and what is assumed. It listens to CONFIG_DB (keyspace notifications) and programs an ASIC
 * that consists of ASIC_DB. It does not write counters: the source of the traffic (standin/fabric, or a test
 * with redis-cli) writes COUNTERS_DB as syncd's flex counters do. */
#include "base/err.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REDIS_DIR "var/run/redis"

#define ORCH_PROFILE "AZURE_LOSSLESS"    /* of all queues at first */
#define ORCH_QUEUE   3                   /* the lossless one */

/* Object ids, as COUNTERS_DB and ASIC_DB name them. */
#define ORCH_PORT_OID  "oid:0x10000000%05x"
#define ORCH_QUEUE_OID "oid:0x150000000%05x"
#define ORCH_WRED_OID  "oid:0x13000000%05x"

#define PROFILES_MAX 1024
#define NAME_SIZE    64
#define ASIC_DB      1
#define COUNTERS_DB  2
#define CONFIG_DB    4
#define TRIES        400         /* until Redis answers, 50 ms each */
#define WRED_KEY     "ASIC_STATE:SAI_OBJECT_TYPE_WRED:" ORCH_WRED_OID
#define QUEUE_KEY    "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:" ORCH_QUEUE_OID

/* All fields of a profile that orchagent knows. */
static const struct { const char *field, *attribute; bool is_number; } fields[] = {
    { "green_min_threshold", "SAI_WRED_ATTR_GREEN_MIN_THRESHOLD", true },
    { "green_max_threshold", "SAI_WRED_ATTR_GREEN_MAX_THRESHOLD", true },
    { "green_drop_probability", "SAI_WRED_ATTR_GREEN_DROP_PROBABILITY", true },
    { "yellow_min_threshold", "SAI_WRED_ATTR_YELLOW_MIN_THRESHOLD", true },
    { "yellow_max_threshold", "SAI_WRED_ATTR_YELLOW_MAX_THRESHOLD", true },
    { "yellow_drop_probability", "SAI_WRED_ATTR_YELLOW_DROP_PROBABILITY", true },
    { "red_min_threshold", "SAI_WRED_ATTR_RED_MIN_THRESHOLD", true },
    { "red_max_threshold", "SAI_WRED_ATTR_RED_MAX_THRESHOLD", true },
    { "red_drop_probability", "SAI_WRED_ATTR_RED_DROP_PROBABILITY", true },
    { "wred_green_enable", "SAI_WRED_ATTR_GREEN_ENABLE", false },
    { "wred_yellow_enable", "SAI_WRED_ATTR_YELLOW_ENABLE", false },
    { "wred_red_enable", "SAI_WRED_ATTR_RED_ENABLE", false },
    { "ecn", "SAI_WRED_ATTR_ECN_MARK_MODE", false },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *const ecn_words[] = {
    "ecn_none", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red",
    "ecn_all", NULL,
};

struct orch_first { uint32_t ports, mbps; uint64_t kmin_bytes, kmax_bytes; uint32_t pmax_percent; };

/* Thresholds by color: green, yellow, red. */
struct bounds { uint32_t min[3], max[3]; };

struct orch {
    redisContext *events, *ask;
    int           db;                            /* that 'ask' is at */
    char          profile[PROFILES_MAX][NAME_SIZE];      /* by the number of its object; "": free */
    struct bounds bounds[PROFILES_MAX];          /* as last taken; 0: never given */
};

/* ---- Redis ---- */

static redisReply *command(struct orch *o, int db,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));
static redisReply *command(struct orch *o, int db, const char *format, ...)
{
    va_list     args;

    if (o->db != db) {
        freeReplyObject(redisCommand(o->ask, "SELECT %d", db));
        o->db = db;
    }
    va_start(args, format);
    redisReply *reply = redisvCommand(o->ask, format, args);
    va_end(args);
    return reply;
}

#define DO(o, db, ...) freeReplyObject(command(o, db, __VA_ARGS__))

static int gone(const struct orch *o, struct err *err)
{
    return err_set(err, EIO, "Redis is gone: %s",
                   o->ask->err ? o->ask->errstr : o->events->err ? o->events->errstr : "no answer");
}

/* ---- a new switch ---- */

static void fill(struct orch *o, const struct orch_first *f)
{
    DO(o, CONFIG_DB, "HSET WRED_PROFILE|" ORCH_PROFILE
       " ecn ecn_all wred_green_enable true wred_yellow_enable true wred_red_enable true "
       "green_min_threshold %lu green_max_threshold %lu green_drop_probability %u "
       "yellow_min_threshold %lu yellow_max_threshold %lu yellow_drop_probability %u "
       "red_min_threshold %lu red_max_threshold %lu red_drop_probability %u",
       (unsigned long)f->kmin_bytes, (unsigned long)f->kmax_bytes, f->pmax_percent,
       (unsigned long)f->kmin_bytes, (unsigned long)f->kmax_bytes, f->pmax_percent,
       (unsigned long)f->kmin_bytes, (unsigned long)f->kmax_bytes, f->pmax_percent);
    for (uint32_t i = 0; i < f->ports; i++) {
        char name[32], oid[64], queue[64];

        snprintf(name, sizeof name, "Ethernet%u", i * 4);
        snprintf(oid, sizeof oid, ORCH_PORT_OID, i);
        snprintf(queue, sizeof queue, ORCH_QUEUE_OID, i);
        DO(o, CONFIG_DB, "HSET PORT|%s speed %u admin_status up", name, f->mbps);
        DO(o, COUNTERS_DB, "HSET COUNTERS_PORT_NAME_MAP %s %s", name, oid);
        DO(o, COUNTERS_DB, "HSET COUNTERS_QUEUE_NAME_MAP %s:%d %s", name, ORCH_QUEUE, queue);
        DO(o, CONFIG_DB, "HSET QUEUE|%s|%d wred_profile %s scheduler scheduler.1", name, ORCH_QUEUE,
           ORCH_PROFILE);
    }
    DO(o, CONFIG_DB, "HSET FLEX_COUNTER_TABLE|QUEUE FLEX_COUNTER_STATUS enable");
}

/* ---- profiles ---- */

/* Below 0: none. 'is_new': it may take a free one. */
static int profile_number(struct orch *o, const char *name, bool is_new)
{
    int unused = -1;

    for (int i = PROFILES_MAX - 1; i >= 0; i--) {
        if (*name && strcmp(o->profile[i], name) == 0)
            return i;
        unused = o->profile[i][0] ? unused : i;
    }
    if (!is_new || unused < 0 || strlen(name) >= NAME_SIZE)
        return -1;
    snprintf(o->profile[unused], NAME_SIZE, "%s", name);
    return unused;
}

static int field_of(const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].field, name) == 0)
            return i;
    return -1;
}

/* A number as C++'s stoi() reads it: spaces, a sign, digits, and whatever follows them. False: it throws an
 * exception, which orchagent does not catch. */
static bool number_as_stoi(const char *text, int32_t *number)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    *number = (int32_t)value;
    return end != text && !errno && value >= INT32_MIN && value <= INT32_MAX;
}

static bool is_word(const char *text, const char *const *words)
{
    while (*words && strcmp(text, *words) != 0)
        words++;
    return *words;
}

/* What orchagent makes of one field, in the words of ASIC_DB. */
enum verdict { TAKEN, REFUSED, DEADLY };
static enum verdict convert(int field, const char *text, char *out, size_t size, struct bounds *b)
{
    static const char *const bools[] = { "true", "false", NULL };
    const char              *name = fields[field].field;
    int                      colour = *name == 'g' ? 0 : *name == 'y' ? 1 : 2;
    int32_t                  number;

    snprintf(out, size, "%s", text);
    if (!fields[field].is_number)
        return strcmp(name, "ecn") ? (is_word(text, bools) ? TAKEN : REFUSED) :
               is_word(text, ecn_words) ? TAKEN : DEADLY;
    if (!number_as_stoi(text, &number))
        return DEADLY;
    if (strstr(name, "_threshold")) {
        (strstr(name, "_min_") ? b->min : b->max)[colour] = (uint32_t)number;
        snprintf(out, size, "%u", (uint32_t)number);
    } else
        snprintf(out, size, "%d", number);
    return TAKEN;
}

/* Writes all fields of the hash to the ASIC, one call each, changed or not; or none, if one of them or the
 * order of thresholds is refused. In the order of the hash: what comes first decides. */
static int program(struct orch *o, int number, const redisReply *hash, struct err *err)
{
    struct bounds b = o->bounds[number];
    char          text[FIELDS][64];
    size_t        pairs = hash->elements / 2;

    for (size_t i = 0; i < pairs; i++) {
        const char  *name = hash->element[2 * i]->str, *is = hash->element[2 * i + 1]->str;
        int          field = field_of(name);
        enum verdict v = field < 0 ? REFUSED : convert(field, is, text[i], sizeof *text, &b);

        if (v == DEADLY)
            return err_set(err, EBADMSG, "orchagent aborts: %s is '%s'", name, is);
        if (v == REFUSED) {
            fprintf(stderr, "orchagent: %s '%s' is not known, the profile is not taken\n", name, is);
            return 0;
        }
    }
    for (int i = 0; i < 3; i++)
        if (b.min[i] > b.max[i]) {
            fputs("orchagent: min threshold is greater than max threshold, the profile is not taken\n",
                  stderr);
            return 0;
        }
    o->bounds[number] = b;
    for (size_t i = 0; i < pairs; i++)
        DO(o, ASIC_DB, "HSET " WRED_KEY " %s %s", (unsigned)number,
           fields[field_of(hash->element[2 * i]->str)].attribute, text[i]);
    return 0;
}

static bool is_in_use(struct orch *o, int number)
{
    redisReply *keys = command(o, ASIC_DB, "KEYS ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:*");
    char        oid[64];
    bool        is_used = false;

    snprintf(oid, sizeof oid, ORCH_WRED_OID, (unsigned)number);
    for (size_t i = 0; keys && i < keys->elements && !is_used; i++) {
        redisReply *id = command(o, ASIC_DB, "HGET %s SAI_QUEUE_ATTR_WRED_PROFILE_ID", keys->element[i]->str);

        is_used = id && id->type == REDIS_REPLY_STRING && strcmp(id->str, oid) == 0;
        freeReplyObject(id);
    }
    freeReplyObject(keys);
    return is_used;
}

static int on_profile(struct orch *o, const char *name, struct err *err)
{
    redisReply *hash = command(o, CONFIG_DB, "HGETALL WRED_PROFILE|%s", name);
    int         rc = 0, number;

    if (!hash)
        return gone(o, err);
    number = profile_number(o, name, hash->elements > 0);
    if (hash->elements && number >= 0)
        rc = program(o, number, hash, err);
    else if (number >= 0 && !is_in_use(o, number)) {             /* a profile in use stays */
        DO(o, ASIC_DB, "DEL " WRED_KEY, (unsigned)number);
        o->profile[number][0] = '\0';
        o->bounds[number] = (struct bounds){ 0 };
    }
    freeReplyObject(hash);
    return rc;
}

/* ---- queues ---- */

/* "Ethernet8|3": the number of a port with our queue; -1: another queue, or no such name. */
static long port_of(const char *name)
{
    unsigned port, queue;
    int      used = 0;

    return sscanf(name, "Ethernet%4u|%u%n", &port, &queue, &used) == 2 && !name[used] && name[8] >= '0' &&
           name[8] <= '9' && queue == ORCH_QUEUE && port <= 4096 ? (long)port : -1;
}

/* Binds the queue "Ethernet8|3" to its profile; a missing profile binds its queues when it is created. */
static int on_queue(struct orch *o, const char *name, struct err *err)
{
    redisReply   *profile = command(o, CONFIG_DB, "HGET QUEUE|%s wred_profile", name);
    long          port = port_of(name);
    int           number;
    char          oid[64];

    if (!profile)
        return gone(o, err);
    if (profile->type == REDIS_REPLY_STRING && port >= 0 &&
        (number = profile_number(o, profile->str, false)) >= 0) {
        snprintf(oid, sizeof oid, ORCH_WRED_OID, (unsigned)number);
        DO(o, ASIC_DB, "HSET " QUEUE_KEY " SAI_QUEUE_ATTR_WRED_PROFILE_ID %s", (unsigned)port / 4, oid);
    }
    freeReplyObject(profile);
    return 0;
}

static int visit(struct orch *o, const char *pattern, int (*on)(struct orch *, const char *, struct err *),
                 struct err *err)
{
    redisReply *keys = command(o, CONFIG_DB, "KEYS %s", pattern);
    int         rc = keys ? 0 : gone(o, err);

    for (size_t i = 0; keys && i < keys->elements && !rc; i++)
        rc = on(o, strchr(keys->element[i]->str, '|') + 1, err);
    freeReplyObject(keys);
    return rc;
}

/* ---- what happens ---- */

/* "__keyspace@4__:WRED_PROFILE|P" */
static int on_event(struct orch *o, const char *channel, struct err *err)
{
    const char *key = strchr(channel, ':'), *name = key ? strchr(key, '|') : NULL;

    if (!name)
        return 0;
    if (strncmp(key, ":QUEUE|", (size_t)(++name - key)) == 0)
        return on_queue(o, name, err);
    if (strncmp(key, ":WRED_PROFILE|", (size_t)(name - key)) != 0)
        return 0;
    int known = profile_number(o, name, false), rc = on_profile(o, name, err);
    return rc || known >= 0 ? rc : visit(o, "QUEUE|*", on_queue, err);
}

/* Programs changes. Fails if Redis is gone, or CONFIG_DB has a value on which orchagent aborts. */
static int orch_run(struct orch *o, struct err *err)
{
    void *reply;
    int   rc = 0;

    if (redisBufferRead(o->events) != REDIS_OK)
        return gone(o, err);
    while (!rc && redisGetReplyFromReader(o->events, &reply) == REDIS_OK && reply) {
        redisReply *r = reply;

        if (r->elements == 4)
            rc = on_event(o, r->element[2]->str, err);
        freeReplyObject(r);
        if (o->ask->err)
            rc = gone(o, err);
    }
    return rc;
}

static redisContext *dial(const char *socket)
{
    for (int i = 0; i < TRIES; i++) {
        redisContext *c = redisConnectUnix(socket);

        if (c && !c->err)
            return c;
        if (c)
            redisFree(c);
        usleep(50000);
    }
    return NULL;
}

/* Profiles come first: a queue cannot be bound to a profile that does not exist. */
static int start(struct orch *o, const struct orch_first *f, struct err *err)
{
    redisReply *ports = command(o, CONFIG_DB, "KEYS PORT|*");
    bool        is_new = ports && !ports->elements;

    freeReplyObject(ports);
    freeReplyObject(redisCommand(o->events, "PSUBSCRIBE __keyspace@%d__:*", CONFIG_DB));
    if (is_new)
        fill(o, f);
    int rc = visit(o, "WRED_PROFILE|*", on_profile, err);
    return rc ? rc : visit(o, "QUEUE|*", on_queue, err);
}

/* ---- the process ---- */

static int make_folders(const char *folder, struct err *err)
{
    static const char *const parts[] = { "", "/var", "/var/run", "/var/run/redis", NULL };
    char                     path[512];

    for (int i = 0; parts[i]; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        if (mkdir(path, 0755) && errno != EEXIST)
            return err_set(err, errno, "%s: %s", path, strerror(errno));
    }
    return 0;
}

static pid_t start_redis(const char *folder)
{
    pid_t    pid = fork();
    sigset_t none;

    if (pid)
        return pid;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(folder) == 0 && freopen("redis.log", "a", stdout))
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", REDIS_DIR "/redis.sock",
               "--save", "", "--appendonly", "no", "--databases", "16", "--notify-keyspace-events", "KA",
               (char *)NULL);
    _exit(127);
}

/* Until a signal comes, Redis is gone, or orchagent has died. */
static int serve(struct orch *o, int signals, struct err *err)
{
    struct pollfd fd[2] = { { .fd = signals, .events = POLLIN }, { .fd = o->events->fd, .events = POLLIN } };
    int           rc = 0;

    while (!rc) {
        if (poll(fd, 2, -1) < 0 && errno != EINTR)
            return err_set(err, errno, "poll: %s", strerror(errno));
        if (fd[0].revents)
            return 0;
        if (fd[1].revents)
            rc = orch_run(o, err);
    }
    return rc;
}

static int run(const char *folder, const struct orch_first *first, struct err *err)
{
    static struct orch o = { .db = -1 };
    char               socket[512];
    sigset_t           set;
    int                rc = make_folders(folder, err), signals;

    if (rc)
        return rc;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals = signalfd(-1, &set, SFD_CLOEXEC);
    pid_t redis = start_redis(folder);
    snprintf(socket, sizeof socket, "%s/" REDIS_DIR "/redis.sock", folder);
    o.events = dial(socket);
    o.ask = o.events ? dial(socket) : NULL;
    rc = o.ask ? start(&o, first, err) : err_set(err, ECONNREFUSED, "%s: no Redis answers there", socket);
    if (!rc) {
        puts("ready");
        fflush(stdout);
        rc = serve(&o, signals, err);
    }
    if (o.events)
        redisFree(o.events);
    if (o.ask)
        redisFree(o.ask);
    kill(redis, SIGTERM);
    waitpid(redis, NULL, 0);
    close(signals);
    return rc;
}

static bool number_of(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *out <= max;
}

static const char usage[] =
    "Usage: anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]\n"
    "Acts as a SONiC switch for tests: starts redis-server below FOLDER and answers changes of queues and "
    "WRED profiles.\n"
    "An agent with 'driver: sonic' and 'root: FOLDER' takes it for one; see docs/live.md.\n"
    "\n"
    "  PORTS         1 to 512; default 4\n"
    "  MBPS          rate of each; default 100000\n"
    "  KMIN KMAX     thresholds of the profile AZURE_LOSSLESS in bytes; default 1048576 2097152\n"
    "  PERCENT       marking probability at KMAX; default 5\n"
    "\n"
    "It prints 'ready' when it is, and runs until a signal comes.\n"
    "Example: anole-switch /tmp/switch 8 400000\n";

int main(int argc, char **argv)
{
    static const uint64_t max[] = { 512, 10000000, UINT32_MAX, UINT32_MAX, 100 };
    uint64_t              number[] = { 4, 100000, 1048576, 2097152, 5 };
    bool                  is_good = argc == 2 || argc == 3 || argc == 4 || argc == 7;
    struct orch_first     first;
    struct err            err;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return fclose(stdout) ? 1 : 0;
    }
    is_good &= argc < 2 || *argv[1] != '-';
    for (int i = 2; i < argc && is_good; i++)
        is_good = number_of(argv[i], max[i - 2], &number[i - 2]);
    if (!is_good || !number[0]) {
        fputs("anole-switch: usage: anole-switch FOLDER [PORTS [MBPS [KMIN KMAX PERCENT]]]; see anole-switch "
              "--help\n", stderr);
        return 2;
    }
    first = (struct orch_first){ (uint32_t)number[0], (uint32_t)number[1], number[2], number[3],
                                 (uint32_t)number[4] };
    if (run(argv[1], &first, &err)) {
        fprintf(stderr, "anole-switch: %s\n", err.text);
        return 1;
    }
    return 0;
}
