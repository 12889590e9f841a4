/* src/cmd/cmd_advise.c - anole advise: recommends a setting for a network and its traffic, with evidence. */
#include "study/twin/advise.h"
#include "base/file/interrupt.h"
#include "base/file/outfile.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "study/report/setting_print.h"
#include "study/scenario/examples.h"
#include "work/traffic/cdf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options that describe a network, in place of a scenario. */
enum described_option {
    RATE, RTT, OVERSUBSCRIPTION, BUFFER, SIZES, LOAD, MESSAGES, COUNTERS, DESCRIBED_OPTIONS
};

static const char *const described_names[] = { "rate", "rtt", "oversubscription", "buffer", "sizes", "load",
                                               "messages", "counters" };

struct options {
    struct advise_request request;
    bool                  is_given[DESCRIBED_OPTIONS];
    char                  assumed[200];
    const char          **set;
    uint64_t              budget_millions;
    const char           *out, *report;
    enum device           device;
    bool                  is_json;
    struct host_record    record;
    char                 *recorded[KNOB_COUNT];      /* its settings, as for --set */
};

static void add_allowed(void *options, const char *text)
{
    struct err err;

    if (advise_allow(&((struct options *)options)->request.allowed, text, &err))
        cmd_usage("%s", err.text);
}

static double load_of(const char *text)
{
    static const struct key_row row = { .name = "--load", .unit = KEY_REAL, .min = 0.001, .max = 1 };
    struct key_value            value;
    struct err                  err;

    if (key_parse(&row, text, &value, &err))
        cmd_usage("%s", err.text);
    return value.real;
}

/* "40%", or "20%-60%". */
static void set_load(void *options, const char *text)
{
    struct advise_request *q = &((struct options *)options)->request;
    const char            *dash = strchr(text, '-');
    char                   low[32];

    q->load_low = q->load_high = 0;
    if (!dash) {
        q->described.load = load_of(text);
        return;
    }
    snprintf(low, sizeof(low), "%.*s", (int)(dash - text), text);
    q->load_low = load_of(low);
    q->load_high = load_of(dash + 1);
    q->described.load = 0;
    if (q->load_low >= q->load_high)
        cmd_usage("--load: a range goes from less to more, as 20%%-60%%, not '%s'", text);
}

static void set_sizes(void *options, const char *text)
{
    char hint[300];

    ((struct options *)options)->request.described.sizes = text;
    for (int i = 0; cdf_names[i]; i++)
        if (strcmp(cdf_names[i], text) == 0)
            return;
    if (access(text, F_OK))
        cmd_usage("--sizes: '%s' is neither a built-in table of sizes nor a file%s", text,
                  text_names(hint, sizeof hint, text, cdf_names));
}

#define GIVEN(option) CMD_GIVEN(struct options, is_given[option])

static const struct cmd_option option_rows[] = {
    { .help = "Network (without a scenario):" },
    { "rate", 0, "RATE", "Speed of host links (default: 100Gbps)",
      KEY_AT(struct options, request.described.rate_bps), KEY_RATE, 1e9, 8e11, GIVEN(RATE) },
    { "rtt", 0, "TIME", "Longest round-trip time of the idle network (default: 10us)",
      KEY_AT(struct options, request.described.rtt_ps), KEY_TIME, 1, KEY_TIME_PS_MAX, GIVEN(RTT) },
    { "oversubscription", 0, "N", "Host bandwidth divided by uplink bandwidth of a rack (default: 1)",
      KEY_AT(struct options, request.described.oversubscription), KEY_REAL, 0.1, 64,
      GIVEN(OVERSUBSCRIPTION) },
    { "buffer", 0, "BYTES", "Switch buffer per port (default: the simulator's)",
      KEY_AT(struct options, request.described.buffer_bytes), KEY_BYTES, 1e4, 1e9, GIVEN(BUFFER) },
    { .help = "Traffic (without a scenario):" },
    { "load", 0, "SHARE", "Load of host links: 40%, or a range: 20%-60%", .add = set_load, GIVEN(LOAD) },
    { "sizes", 0, "TABLE", "Message sizes: a name from 'anole list sizes' or a file (default: FB_Hadoop)",
      .add = set_sizes, GIVEN(SIZES) },
    { "messages", 0, "FILE", "Recorded messages, instead of --sizes and --load. CSV with columns src, dst, "
      "bytes, start_us, such as flows.csv of anole run",
      KEY_AT(struct options, request.messages), GIVEN(MESSAGES) },
    { "counters", 0, "FILE", "Recorded port counters, instead of --load. CSV with columns time_s, port, "
      "bytes", KEY_AT(struct options, request.counters), GIVEN(COUNTERS) },
    { .help = "Goal and search:" },
    CMD_GOAL(struct options, request.goal, "iteration_time, or balanced if there are no jobs"),
    { "allow", 0, "KIND,...", "Also propose another control, mtu, ack_every, retransmission, or balancer, "
      "or all of these, and name what the change requires (default: knobs only)", .add = add_allowed },
    { "budget", 0, "MILLIONS", "Search budget in millions of packet-hops (default: 120). With the "
      "evidence at most 2.5 times as many: about a minute of CPU time. A larger budget finds better settings",
      KEY_AT(struct options, budget_millions), KEY_COUNT, 1, 1e7 },
    { "jobs", 'j', "N", "Parallel trials (default: one per core). The advice does not depend on it",
      KEY_AT(struct options, request.jobs), KEY_COUNT, 1, 256 },
    { "seed", 0, "N", "Random seed (default: 1)", KEY_AT(struct options, request.seed), KEY_COUNT },
    CMD_SET(struct options, set, request.sets),
    { .help = "Output:" },
    { "out", 'o', "FILE", "Save the setting as YAML, for 'anole tune --from' and for 'tuner: {kind: fixed, "
      "setting: FILE}'", KEY_AT(struct options, out) },
    { "report", 0, "FILE", "Save the evidence as a web page", KEY_AT(struct options, report) },
    CMD_DEVICE(struct options, device),
    CMD_FORMAT(struct options, is_json),
    { "quiet", 'q', NULL, "Print errors only, and what --as and --format request",
      KEY_AT(struct options, request.is_quiet) },
    { 0 },
};

static const struct cmd_line command_line = {
    .options = option_rows,
    .argument = { "scenario", KEY_AT(struct options, request.path) },
    .args = "SCENARIO.yaml\nRECORD.csv\n--load SHARE\n--messages FILE",
    .help = "Recommends a setting for a network and its traffic, and reports how much better it is than "
            "yours. Describe the network in a scenario file or with options, which model four racks of "
            "eight hosts. Anole simulates the presets and hundreds of other settings, then races the best "
            "ones on new messages. The final figures come from messages that the search has not seen: they "
            "compare the recommended setting with yours and with every preset, and repeat the test at 0.5 "
            "and 1.5 times the load, or at both ends of the given or recorded range. The advice is the "
            "simplest setting that is not clearly worse than the best. Progress goes to standard error."
            "\v"
            "Times in CSV files may also use the suffixes _s, _ms, _us, or _ns.\n"
            "\n"
            "Examples:\n"
            "  anole advise cluster.yaml --report advice.html\n"
            "      Recommend a setting that balances small and large messages, and save\n"
            "      the evidence as a page.\n"
            "  anole advise cluster.yaml --goal throughput --out knobs.yaml\n"
            "      Favor large messages. Save the setting to knobs.yaml.\n"
            "  anole advise --rate 200Gbps --rtt 12us --sizes WebSearch --load 50%\n"
            "      Recommend a setting without a scenario file.\n"
            "  anole advise --messages flows.csv --counters ports.csv\n"
            "      Use recorded traffic.\n"
            "  anole advise anole-record.csv\n"
            "      Use what anole record has sampled on a host, or ethtool -S has printed:\n"
            "      symptoms, then advice.\n"
            "  anole advise cluster.yaml --as mlx5 > set-nics.sh\n"
            "      Write a script that configures NICs.\n"
            "\n"
            "The same scenario, seed and budget give the same advice on every machine.",
};

/* ---- --format json ---- */

/* As a share: -0.2 is a fifth less. */
static json_t *gain_json(struct race_gain g)
{
    return JSON_OF({ "change", JSON(exp(g.mean) - 1) }, { "change_low", JSON(exp(g.low) - 1) },
                   { "change_high", JSON(exp(g.high) - 1) });
}

/* What the setting does to each class of messages and to each job: the duration against yours. */
static json_t *parts_json(const struct advice *a, const struct advise_row *row, uint32_t load)
{
    json_t *parts = json_object();
    char    name[100];

    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++) {
        struct race_gain g = advise_party(row, &a->row[0], load, party);

        if (isfinite(g.mean))
            json_object_set_new(parts, advise_party_text(a, party, name), gain_json(g));
    }
    return parts;
}

static json_t *load_json(const struct advice *a, const struct advise_row *row, uint32_t load)
{
    static const char *const words[GOAL_PARTS] = { "all", "below_120KB", "to_1MB", "from_1MB" };
    json_t                  *slowdown = json_object(), *iteration = json_object();

    for (int i = 0; i < GOAL_PARTS; i++)
        json_put_number(slowdown, words[i], advise_slowdown(row, load, (enum goal_part)i));
    for (uint32_t i = 0; i < a->jobs; i++)
        json_put_number(iteration, a->job_name[i], 1e6 * advise_iteration(row, load, i));
    return JSON_OF({ "load", JSON(a->load[load]) },
                   { "load_share", JSON(a->has_range ? a->load[load] * a->described.load : NAN) },
                   { "seeds", JSON(row->seeds[load]) }, { "slowdown_mean", slowdown },
                   { "iteration_us", iteration },
                   { "against_yours", row == &a->row[0] ? json_null()
                                      : gain_json(advise_gain(a, row, &a->row[0], load)) },
                   { "parts_against_yours", row == &a->row[0] ? json_null() : parts_json(a, row, load) },
                   { "advised_against_it", row == advised(a) ? json_null()
                                           : gain_json(advise_gain(a, advised(a), row, load)) });
}

static json_t *row_json(const struct advice *a, const struct advise_row *row)
{
    json_t *loads = json_array(), *changes = json_array();

    for (uint32_t i = 0; i < row->changes; i++)
        JSON_ADD(changes, { "set", JSON(row->change[i]->set) }, { "needs", JSON(row->change[i]->needs) });
    for (uint32_t i = 0; i < ADVISE_LOADS; i++)
        if (row->seeds[i])
            json_array_append_new(loads, load_json(a, row, i));
    return JSON_OF(JSON_FIELD(row, name), { "changes", changes }, { "loads", loads },
                   { "confirmed", row->seeds[ADVISE_PROOF] ? load_json(a, row, ADVISE_PROOF) : json_null() },
                   { "knobs", json_of_knobs(&row->knobs) });
}

static json_t *recorded_json(const struct recorded *r, const char *path)
{
    return JSON_OF({ "file", JSON(path) }, JSON_FIELD(r, rows), JSON_FIELD(r, hosts), JSON_FIELD(r, restarts),
                   JSON_FIELD(r, seconds), JSON_FIELD(r, load), JSON_FIELD(r, load_low),
                   JSON_FIELD(r, load_high), JSON_FIELD(r, load_busiest));
}

static json_t *advise_json(const struct advice *a, const struct card *answer)
{
    json_t *rows = json_array();
    json_t *all = JSON_OF({ "answer", card_json(answer) }, { "scenario", JSON(a->name) },
                          { "goal", JSON(a->goal.name) });

    for (uint32_t i = 0; i < a->rows; i++)
        json_array_append_new(rows, row_json(a, &a->row[i]));
    if (a->request->messages)
        json_object_set_new(all, "messages", recorded_json(&a->messages, a->request->messages));
    if (a->request->counters)
        json_object_set_new(all, "counters", recorded_json(&a->counters, a->request->counters));
    JSON_PUT(all, { "keeps_yours", json_boolean(advise_keeps_yours(a)) },
             { "cannot_tell", json_boolean(advise_verdict(a) == ADVISE_OPEN) },
             { "advised", JSON(advised(a)->name) },
             { "changes", json_of_changes(&a->row[0].knobs, &advised(a)->knobs) },
             { "best_preset", JSON(a->row[a->best_preset].name) }, { "settings", rows },
             { "search", JSON_OF({ "trials", JSON(a->rehearsal.trials) },
                                 { "trial_us", JSON((double)a->twin.input.until_ps / 1e6) },
                                 { "slowest_period_us", JSON(a->slowest == KNOB_COUNT ? NAN :
                                                             a->world.start.value[a->slowest]) },
                                 { "generations", JSON(a->rehearsal.generations) },
                                 { "blocks", JSON(a->rehearsal.race.blocks) },
                                 { "packet_hops", JSON((double)a->spent) },
                                 { "seconds", JSON(a->took_s) }) });
    return all;
}

/* Files are opened before the search, so that a wrong path is reported at once. */
static int give(const struct options *o, struct outfile *out, struct outfile *page, const struct advice *a,
                struct err *err)
{
    const struct knobs *k = &advised(a)->knobs;
    struct card         answer;

    advise_answer(a, &answer);
    const char *story = card_text(&answer, CARD_FINDING);
    if (out->stream)
        setting_print_yaml(k, story, out->stream);
    if (page->stream)
        advise_page(a, &answer, page->stream);
    int rc = outfile_end(out, 0, err);
    rc = outfile_end(page, rc, err);
    if (!rc && o->device != DEVICE_NONE && advised(a)->changes)
        rc = err_set(err, EINVAL, "the advice is %s, which no script sets; without --allow it is a setting",
                     advised(a)->name);
    else if (!rc && o->device != DEVICE_NONE)
        device_print(o->device, k, story);
    else if (!rc && o->is_json)
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
    rc = rc ? rc : advise_run(a, &o->request, err);
    rc = rc ? rc : give(o, &out, &page, a, err);
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
        cmd_usage("--load: how busy are hosts' links? For instance --load 40%%, or --messages or --counters "
                  "with what was recorded");
    if (has_load && q->counters)
        cmd_usage("--load and --counters: one of them");
    if (q->record && q->counters)
        cmd_usage("--counters: %s has counters already", q->record_path);
    if (q->described.sizes && q->messages)
        cmd_usage("--sizes and --messages: one of them");
}

static void check_options(const struct options *o)
{
    const char *given = NULL;            /* the first option that describes a network */

    for (int i = 0; i < DESCRIBED_OPTIONS && !given; i++)
        given = o->is_given[i] ? described_names[i] : NULL;
    if (o->is_json && o->device != DEVICE_NONE)
        cmd_usage("--format json and --as: one of them");
    if (!o->request.path && !o->request.record && !given)
        cmd_usage("which network? anole advise SCENARIO.yaml, or --rate, --rtt, --sizes and --load; see "
                  "anole advise --help");
    if (o->request.path && given)
        cmd_usage("--%s goes without a scenario; to change '%s' use --set", given, o->request.path);
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
        char                    text[KNOB_TEXT_MAX];

        if (!d->setting.is_named[k])
            continue;
        knob_text(text, k, value);
        if (value < info->min || value > info->max) {
            fprintf(stderr, "anole: %s: %s is %s there, which is outside what can be simulated; the default "
                    "is taken\n", o->request.record_path, info->name, text);
            continue;
        }
        o->recorded[k] = xprintf("%s=%s", info->name, text);
        cmd_add_text(&o->set, &o->request.sets, o->recorded[k]);
    }
}

/* Refuses a path that is neither a file nor the name of a scenario that ships with Anole. */
static int find_file(const char *path, struct err *err)
{
    char *found = examples_path(path, err);
    int   rc = !found ? -ENOENT : strcmp(found, "-") == 0 || access(found, R_OK) == 0 ? 0
               : err_set(err, errno, "%s: %s", path, strerror(errno));

    free(found);
    return rc;
}

/* Whether the argument is such a file and no scenario. Its devices give the rate and the load. */
static int read_record(struct options *o, struct err *err)
{
    const char *path = o->request.path;
    size_t      bytes;
    char       *text;
    int         rc = path ? find_file(path, err) : 0;

    if (rc || !path || access(path, R_OK) != 0 ||
        text_read_file(path, RECORDED_BYTES_MAX, &text, &bytes, err))
        return rc;                /* a scenario, or what its reader refuses */
    if (host_record_is(text, bytes)) {
        rc = host_record_read(&o->record, text_file_name(path), text, bytes, err);
        o->request.record = &o->record;
        o->request.record_path = path;
        o->request.path = NULL;
    }
    free(text);
    if (rc || !o->request.record)
        return rc;
    if (host_record_rate(&o->record) && !o->is_given[RATE]) {
        o->request.described.rate_bps = host_record_rate(&o->record);
        o->is_given[RATE] = true;
    }
    add_settings(o, &o->record.device[0]);
    return 0;
}

/* What the network is taken to be like where no option says so. */
static void list_assumed(struct options *o)
{
    static const struct { enum described_option option; const char *text; } defaults[] = {
        { RATE, "--rate 100Gbps" }, { RTT, "--rtt 10us" }, { OVERSUBSCRIPTION, "--oversubscription 1" },
        { SIZES, "--sizes FB_Hadoop" },
    };

    for (unsigned i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
        size_t length = strlen(o->assumed);

        if (o->is_given[defaults[i].option] || (defaults[i].option == SIZES && o->request.messages))
            continue;
        snprintf(o->assumed + length, sizeof(o->assumed) - length, "%s%s", length ? ", " : "",
                 defaults[i].text);
    }
}

static int advise_main(int argc, char **argv)
{
    struct options o = { .request = { .seed = 1, .argc = argc, .argv = argv,
                                      .described = { .rate_bps = 100000000000, .rtt_ps = 10 * PS_PER_US,
                                                     .oversubscription = 1 } },
                         .budget_millions = ADVISE_BUDGET_MILLIONS, .device = DEVICE_NONE };
    struct err     err;

    cmd_parse(&command_line, argc, argv, &o);
    int rc = read_record(&o, &err);
    if (rc)
        return cmd_end(rc, &err);
    check_options(&o);
    if (!o.request.described.sizes)
        o.request.described.sizes = "FB_Hadoop";
    if (!o.request.path)
        list_assumed(&o);
    o.request.budget = o.budget_millions * 1000000;
    o.request.set = o.set;
    o.request.assumed = o.assumed;
    o.request.out = o.out;
    interrupt_catch();
    rc = advise(&o, &err);
    host_record_fini(&o.record);
    for (int i = 0; i < KNOB_COUNT; i++)
        free(o.recorded[i]);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_advise = { "advise", "recommend a setting for a network and its traffic",
                                        advise_main };
