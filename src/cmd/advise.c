/* src/cmd/advise.c - anole advise: recommends a setting for a network and its traffic, with evidence. */
#include "twin/advise.h"
#include "base/file/interrupt.h"
#include "base/file/outfile.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/device.h"
#include "cmd/json/advise_json.h"
#include "cmd/json/cmd_json.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "report/setting_print.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_DESCRIBED 8      /* KEY_LINK_RATE to KEY_COUNTERS */

struct options {
    struct advise_request request;
    struct goal           goal;
    const char           *described;         /* the first option that says what a network is like; NULL: none */
    bool                  is_given[OPTIONS_DESCRIBED];       /* by KEY - KEY_LINK_RATE */
    char                  assumed[200];
    const char          **set;
    const char           *out, *report;
    enum device           device;
    bool                  is_json;
    struct host_record    record;
    char                 *recorded[KNOB_COUNT];      /* its settings, as for --set */
};

enum { KEY_SET = 's', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_FORMAT = 'f', KEY_SEED = 256, KEY_GOAL, KEY_BUDGET, KEY_AS,
       KEY_LINK_RATE, KEY_RTT, KEY_SHARED, KEY_BUFFER, KEY_SIZES, KEY_LOAD, KEY_MESSAGES, KEY_COUNTERS, KEY_REPORT };

static const struct argp_option option_rows[] = {
    { "goal", KEY_GOAL, "NAME", 0, "balanced (default), latency, throughput, or weights of classes of messages: mice=0.7,elephants=0.3 (all, mice, middle, "
      "elephants)", 0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Override a knob (kmin=200KB) or a scenario key (topology.delay=2us). Repeatable", 0 },
    { "rate", KEY_LINK_RATE, "RATE", 0, "Without a scenario: speed of host links (default: 100Gbps)", 1 },
    { "rtt", KEY_RTT, "TIME", 0, "Longest round-trip time of the idle network (default: 10us)", 1 },
    { "oversubscription", KEY_SHARED, "N", 0, "Host bandwidth divided by uplink bandwidth of a rack (default: 1)", 1 },
    { "buffer", KEY_BUFFER, "BYTES", 0, "Switch buffer per port (default: the simulator's)", 1 },
    { "sizes", KEY_SIZES, "TABLE", 0, "Message sizes: a name from 'anole list sizes' or a file (default: FB_Hadoop)", 1 },
    { "load", KEY_LOAD, "SHARE", 0, "Load of host links: 40%, or a range: 20%-60%", 1 },
    { "messages", KEY_MESSAGES, "FILE", 0, "Messages that were recorded, instead of --sizes and --load: CSV with the columns src, dst, bytes and "
      "start_us (or start_s, start_ms, start_ns), such as flows.csv of anole run", 1 },
    { "counters", KEY_COUNTERS, "FILE", 0, "What ports have sent, instead of --load: CSV with the columns time_s (or time_ms, time_us, time_ns), port "
      "and bytes, counted from any start", 1 },
    { "seed", KEY_SEED, "N", 0, "Random seed (default: 1)", 0 },
    { "budget", KEY_BUDGET, "MILLIONS", 0, "Of packet-hops that the search may simulate (default: 180, which takes about 30 s of CPU time). "
      "A larger budget buys more generations and longer trials: 600 takes three times as long", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Parallel trials (default: one per core). The advice does not depend on it", 0 },
    { "out", KEY_OUT, "FILE", 0, "Save the setting as YAML, for 'anole tune --from' and for 'tuner: {kind: fixed, setting: FILE}'", 0 },
    { "report", KEY_REPORT, "FILE", 0, "Save the evidence as a web page", 0 },
    { "as", KEY_AS, "mlx5|sonic", 0, "Print the setting as a shell script for mlx5 NICs, or as a WRED profile for SONiC switches", 0 },
    CMD_JSON_OPTION(KEY_FORMAT),
    { "quiet", KEY_QUIET, NULL, 0, "Print errors only, and what --as requests", 0 },
    { 0 },
};

static const struct goal *goal_of(struct goal *made, const char *text)
{
    struct err err;

    if (goal_of_text(made, text, &err))
        cmd_usage("--goal: %s", err.text);
    return made;
}

static uint64_t rate_of(const char *text)
{
    struct err err;
    uint64_t   bps;

    if (text_to_rate(text, &bps, &err))
        cmd_usage("--rate: %s", err.text);
    if (bps < 1000000000 || bps > 800000000000)
        cmd_usage("--rate: links of 1 to 800 Gb/s, not '%s'", text);
    return bps;
}

static uint64_t buffer_of(const char *text)
{
    struct err err;
    uint64_t   bytes;

    if (text_to_bytes(text, &bytes, &err))
        cmd_usage("--buffer: %s", err.text);
    if (bytes < 10000 || bytes > 1000000000)
        cmd_usage("--buffer: 10KB to 1GB for each port, not '%s'", text);
    return bytes;
}

static double real_of(const char *option, const char *text, double min, double max)
{
    struct err err;
    double     value;

    if (text_to_real(text, &value, &err))
        cmd_usage("%s: %s", option, err.text);
    if (!(value >= min && value <= max))
        cmd_usage("%s: %g to %g, not '%s'", option, min, max, text);
    return value;
}

/* "40%", or "20%-60%". */
static void take_load(struct advise_request *q, const char *text)
{
    const char *dash = strchr(text, '-');
    char        low[32];

    if (!dash) {
        q->described.load = real_of("--load", text, 0.001, 1);
        q->load_low = q->load_high = 0;
        return;
    }
    snprintf(low, sizeof(low), "%.*s", (int)(dash - text), text);
    q->load_low = real_of("--load", low, 0.001, 1);
    q->load_high = real_of("--load", dash + 1, 0.001, 1);
    q->described.load = 0;
    if (q->load_low >= q->load_high)
        cmd_usage("--load: a range goes from less to more, as 20%%-60%%, not '%s'", text);
}

static bool describe(struct options *o, int key, const char *arg)
{
    static const char *const name[] = { "rate", [KEY_RTT - KEY_LINK_RATE] = "rtt", [KEY_SHARED - KEY_LINK_RATE] = "oversubscription",
                                        [KEY_BUFFER - KEY_LINK_RATE] = "buffer", [KEY_SIZES - KEY_LINK_RATE] = "sizes", [KEY_LOAD - KEY_LINK_RATE] = "load",
                                        [KEY_MESSAGES - KEY_LINK_RATE] = "messages", [KEY_COUNTERS - KEY_LINK_RATE] = "counters" };
    struct described        *c = &o->request.described;

    switch (key) {
    case KEY_LINK_RATE:     c->rate_bps = rate_of(arg);                                          break;
    case KEY_RTT:      c->rtt_ps = cmd_time("--rtt", arg, "a round trip of no time");       break;
    case KEY_SHARED:   c->oversubscription = real_of("--oversubscription", arg, 0.1, 64);   break;
    case KEY_BUFFER:   c->buffer_bytes = buffer_of(arg);                                    break;
    case KEY_SIZES:    c->sizes = arg;                                                      break;
    case KEY_LOAD:     take_load(&o->request, arg);                                         break;
    case KEY_MESSAGES: o->request.messages = arg;                                           break;
    case KEY_COUNTERS: o->request.counters = arg;                                           break;
    default:           return false;
    }
    o->described = o->described ? o->described : name[key - KEY_LINK_RATE];
    o->is_given[key - KEY_LINK_RATE] = true;
    return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options        *o = state->input;
    struct advise_request *r = &o->request;

    switch (key) {
    case KEY_GOAL:     r->goal = goal_of(&o->goal, arg);                                      break;
    case KEY_SET:      cmd_add_set(&o->set, &r->sets, arg);                                   break;
    case KEY_SEED:     r->seed = cmd_seed("--seed", arg);                                     break;
    case KEY_BUDGET:   r->budget = cmd_count("--budget", arg, 1, 10000000) * 1000000;         break;
    case KEY_JOBS:     r->jobs = (uint32_t)cmd_count("--jobs", arg, 1, 256);                  break;
    case KEY_OUT:      o->out = arg;                                                          break;
    case KEY_REPORT:   o->report = arg;                                                       break;
    case KEY_AS:       o->device = device_of(arg);                                            break;
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg);                                         break;
    case KEY_QUIET:    r->is_quiet = true;                                                    break;
    case ARGP_KEY_ARG: cmd_take_one(&r->path, arg, "scenario");                               break;
    default:           return describe(o, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "SCENARIO.yaml\nRECORD.csv [--sizes TABLE] [--rtt TIME] ...\n--load SHARE [--sizes TABLE] [--rate RATE] [--rtt TIME] ...\n--messages FILE [--counters FILE] [--rate RATE] [--rtt TIME] ...",
    .doc = "Recommends a setting for a network and its traffic, and reports how much better it is than yours. Describe the network in "
           "a scenario file or with options, which model four racks of eight hosts. Anole simulates the presets and hundreds of "
           "other settings, then races the best ones on new messages. The final figures come from messages that the search has not "
           "seen: they compare the recommended setting with yours and with every preset, and repeat the test at 0.5 and 1.5 times "
           "the load, or at both ends of the given or recorded range. The advice is the simplest setting that is not clearly worse "
           "than the best. Preliminary answers go to standard error, the first within seconds."
           "\v"
           "Examples:\n"
           "  anole advise cluster.yaml\n"
           "      Recommend a setting that balances small and large messages.\n"
           "  anole advise cluster.yaml --goal throughput --out knobs.yaml\n"
           "      Favor large messages. Save the setting to knobs.yaml.\n"
           "  anole advise --rate 200Gbps --rtt 12us --oversubscription 2 --sizes WebSearch --load 50%\n"
           "      Recommend a setting without a scenario file.\n"
           "  anole advise --rate 100Gbps --messages flows.csv --counters ports.csv\n"
           "      Use recorded traffic.\n"
           "  anole advise anole-record.csv\n"
           "      Use what anole record has sampled on a host, or ethtool -S has printed: symptoms, then advice.\n"
           "  anole advise cluster.yaml --report advice.html\n"
           "      Save the evidence as a page.\n"
           "  anole advise cluster.yaml --as mlx5 > set-nics.sh\n"
           "      Write a script that configures NICs.\n"
           "\n"
           "The same scenario, seed and budget give the same advice on every machine.",
};

/* The file is opened before the search, so that a wrong path is reported at once. */
static int write_setting(struct outfile *out, const struct knobs *k, const char *story, struct err *err)
{
    int rc;

    if (!out->stream)
        return 0;
    setting_print_yaml(k, story, out->stream);
    rc = outfile_close(out, err);
    return rc ? rc : outfile_commit(out, err);
}

static int write_page(struct outfile *page, const struct advice *a, const struct card *answer, struct err *err)
{
    int rc;

    if (!page->stream)
        return 0;
    advise_page(a, answer, page->stream);
    rc = outfile_close(page, err);
    return rc ? rc : outfile_commit(page, err);
}

static int give(const struct options *o, struct outfile *out, struct outfile *page, const struct advice *a, struct err *err)
{
    const struct knobs *k = &advised(a)->knobs;
    struct card         answer;
    const char         *story;
    int                 rc;

    advise_answer(a, &answer);
    story = card_text(&answer, CARD_FINDING);
    rc = write_setting(out, k, story, err);
    if (!rc)
        rc = write_page(page, a, &answer, err);
    if (!rc && o->device)
        device_print(o->device, k, story);
    else if (!rc && o->is_json && !o->request.is_quiet)
        cmd_print_json(advise_json(a, &answer));
    else if (!rc && !o->request.is_quiet)
        advise_print(a, &answer, stdout, cmd_has_colour(stdout));
    card_fini(&answer);
    return rc;
}

static int advise(const struct options *o, struct err *err)
{
    struct advice *a = xcalloc(1, sizeof(*a));
    struct outfile out = { 0 }, page = { 0 };
    int            rc = o->out ? outfile_open(&out, o->out, err) : 0;

    if (!rc && o->report)
        rc = outfile_open(&page, o->report, err);
    if (!rc)
        rc = advise_run(a, &o->request, err);
    if (!rc)
        rc = give(o, &out, &page, a, err);
    outfile_abort(&out);
    outfile_abort(&page);
    advise_close(a);
    free(a);
    return rc;
}

/* A load is given or recorded, not both; so are sizes. */
static void check_described(const struct options *o)
{
    const struct advise_request *q = &o->request;
    bool                         has_load = q->described.load > 0 || q->load_high > 0;

    if (!has_load && !q->messages && !q->counters && !q->record)
        cmd_usage("--load: how busy are hosts' links? For instance --load 40%%, or --messages or --counters with what was recorded");
    if (has_load && q->counters)
        cmd_usage("--load and --counters: one of them");
    if (q->record && q->counters)
        cmd_usage("--counters: %s has counters already", q->record_path);
    if (q->described.sizes && q->messages)
        cmd_usage("--sizes and --messages: one of them");
}

static void check_options(const struct options *o)
{
    if (o->is_json && o->device)
        cmd_usage("--format json and --as: one of them");
    if (!o->request.path && !o->request.record && !o->described)
        cmd_usage("which network? anole advise SCENARIO.yaml, or --rate, --rtt, --sizes and --load; see anole advise --help");
    if (o->request.path && o->described)
        cmd_usage("--%s goes without a scenario; to change '%s' use --set", o->described, o->request.path);
    if (!o->request.path)
        check_described(o);
}

/* ---- a file of anole record ---- */

/* What the NIC is set to is the setting that advice is compared with. */
static void add_settings(struct options *o, const struct host_device *d)
{
    for (enum knob k = 0; k < KNOB_COUNT; k++) {
        const struct knob_info *info = &knob_info[k];
        double                  value = d->setting.knobs.value[k];
        char                    text[KNOB_TEXT_MAX], line[128];

        if (!d->setting.is_named[k])
            continue;
        if (value < info->min || value > info->max) {
            fprintf(stderr, "anole: %s: %s is %s there, which is outside what can be simulated; the default is taken\n",
                    o->request.record_path, info->name, knob_text(text, k, value));
            continue;
        }
        snprintf(line, sizeof(line), "%s=%s", info->name, knob_text(text, k, value));
        o->recorded[k] = xstrdup(line);
        cmd_add_set(&o->set, &o->request.sets, o->recorded[k]);
    }
}

/* Whether the argument is such a file and no scenario. Its devices give the rate and the load. */
static int read_record(struct options *o, struct err *err)
{
    const char *path = o->request.path;
    size_t      bytes;
    char       *text;
    int         rc = 0;

    if (!path || access(path, R_OK) != 0 || text_read_file(path, RECORDED_BYTES_MAX, &text, &bytes, err))
        return 0;                /* a scenario, or what its reader refuses */
    if (host_record_is(text, bytes)) {
        rc = host_record_read(&o->record, text_file_name(path), text, bytes, err);
        o->request.record = &o->record;
        o->request.record_path = path;
        o->request.path = NULL;
    }
    free(text);
    if (rc || !o->request.record)
        return rc;
    if (host_record_rate(&o->record) && !o->is_given[0]) {
        o->request.described.rate_bps = host_record_rate(&o->record);
        o->is_given[0] = true;
    }
    add_settings(o, &o->record.device[0]);
    return 0;
}

/* What the network is taken to be like where no option says so. */
static void list_assumed(struct options *o)
{
    static const struct { int key; const char *text; } defaults[] = {
        { KEY_LINK_RATE, "--rate 100Gbps" }, { KEY_RTT, "--rtt 10us" }, { KEY_SHARED, "--oversubscription 1" },
        { KEY_SIZES, "--sizes FB_Hadoop" },
    };

    for (unsigned i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
        size_t length = strlen(o->assumed);

        if (o->is_given[defaults[i].key - KEY_LINK_RATE] || (defaults[i].key == KEY_SIZES && o->request.messages))
            continue;
        snprintf(o->assumed + length, sizeof(o->assumed) - length, "%s%s", length ? ", " : "", defaults[i].text);
    }
}

static int advise_main(int argc, char **argv)
{
    struct options o = { .request = { .goal = goal_all, .seed = 1, .budget = ADVISE_BUDGET_MILLIONS * 1000000ull,
                                     .described = { .rate_bps = 100000000000, .rtt_ps = 10 * PS_PER_US, .oversubscription = 1 } } };
    struct err err;
    int        rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    rc = read_record(&o, &err);
    if (rc)
        return cmd_end(rc, &err);
    check_options(&o);
    if (!o.request.described.sizes)
        o.request.described.sizes = "FB_Hadoop";
    if (!o.request.path)
        list_assumed(&o);
    o.request.set = o.set;
    o.request.assumed = o.assumed;
    o.request.argc = argc;
    o.request.argv = argv;
    interrupt_catch();
    rc = advise(&o, &err);
    host_record_fini(&o.record);
    for (int i = 0; i < KNOB_COUNT; i++)
        free(o.recorded[i]);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_advise = { "advise", "recommend a setting for a network and its traffic", advise_main };
