#include "tune/setting.h"
#include "base/reader.h"
#include "base/text.h"
#include "core/catalog.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- by name ---- */

static double line_mbps(const struct world *world)
{
    return world_measure(world, KNOB_BY_RATE);
}

static double rounded(double x)
{
    return (double)(uint64_t)(x + 0.5);
}

/* Presets set DCQCN and ECN, the rows up to pmax; knobs of balancers and HF2T keep their values. */
static void make_default(struct knobs *k, const struct world *world)
{
    *k = world->start;
    for (int i = 0; i <= KNOB_pmax; i++)
        k->value[i] = knob_info[i].initial;
}

static void make_default_artifact(struct knobs *k, const struct world *world)
{
    make_default(k, world);
    k->value[KNOB_rate_to_set_on_first_cnp] = 0.5 * line_mbps(world);
    knobs_clamp(k);
}

static void make_expert(struct knobs *k, const struct world *world)
{
    make_default(k, world);
    k->value[KNOB_rpg_ai_rate] = 50;
    k->value[KNOB_rpg_hai_rate] = 150;
    k->value[KNOB_rate_reduce_monitor_period] = 80;
    k->value[KNOB_min_time_between_cnps] = 96;
    k->value[KNOB_kmin] = 1600;
    k->value[KNOB_kmax] = 6400;
    k->value[KNOB_pmax] = 0.2;
}

/* The profile of the HPCC paper's simulator for 25 Gb/s, scaled by speed. */
static void make_hpcc(struct knobs *k, const struct world *world)
{
    double speed = (double)world->host_bps / 25e9;

    make_default(k, world);
    nic_profile_put(nic_profile_find("hpcc"), world->host_bps, k);
    k->value[KNOB_kmin] = 100 * speed;
    k->value[KNOB_kmax] = 400 * speed;
    k->value[KNOB_pmax] = 0.2;
    knobs_clamp(k);
}

/* Queues of a fraction of the bandwidth-delay product, and rates that recover within a few round trips: found
 * with anole sweep over the workloads of docs/tuning.md. */
static void make_bdp(struct knobs *k, const struct world *world)
{
    static const struct { enum knob knob; double times, over; } of_measure[] = {
        { KNOB_kmin, 1, 12 }, { KNOB_kmax, 1, 3 }, { KNOB_rpg_time_reset, 1.25, 1 },
        { KNOB_rpg_ai_rate, 1, 2000 }, { KNOB_rpg_hai_rate, 1, 500 },
    };

    make_default(k, world);
    for (size_t i = 0; i < sizeof of_measure / sizeof *of_measure; i++)
        k->value[of_measure[i].knob] =
            rounded(of_measure[i].times * world_measure(world, knob_info[of_measure[i].knob].law) /
                    of_measure[i].over);
    k->value[KNOB_rate_to_set_on_first_cnp] = 0.5 * line_mbps(world);
    knobs_clamp(k);
}

/* ---- gentle ---- */

#define PACKETS      6           /* a shorter queue is no congestion: a few hosts meet by chance */
#define PACKETS_SLOW 4           /* the same where some hosts are slower than others */
#define PACKET_KB    4           /* if the MTU is unknown: the largest there is */

/* Speed of the slowest host, as a share of the fastest. */
static double slowest_of(const struct world *w)
{
    double least = (double)w->host_bps;

    for (uint32_t i = 0; i < w->ports; i++)
        if (w->device[w->port[i].device].tier == WORLD_HOSTS && w->port[i].rate_bps)
            least = fmin(least, (double)w->port[i].rate_bps);
    return least / (double)w->host_bps;
}

static void set_marks(struct knobs *k, double kmin)
{
    k->value[KNOB_kmin] = ceil(kmin);
    k->value[KNOB_kmax] = ceil(3 * kmin);
    k->value[KNOB_pmax] = 0.8;
}

/* Many cuts by a fifth at most, instead of few by half, so that links stay busy. Alpha starts at its largest,
 * and falls by half in 35 round trips: cuts are smaller where marks are rare. */
static void cut_by_little(struct knobs *k, double rtt_us)
{
    k->value[KNOB_rpg_min_dec_fac] = 80;
    k->value[KNOB_rate_reduce_monitor_period] = 1;
    k->value[KNOB_min_time_between_cnps] = 2;
    k->value[KNOB_dce_tcp_rtt] = fmax(1, rounded(rtt_us / 4));
    k->value[KNOB_rpg_time_reset] = fmax(1, rounded(0.85 * rtt_us));
}

/* Like bdp, but with queues of half a bandwidth-delay product, above which almost every packet is marked, and
 * with small cuts. Where some hosts are slower than others, so many cuts starve messages to them: marks come
 * earlier, cuts are bdp's, and the first cut and the raise are in proportion to the slowest host.
 * repro/rehearse/README.md has the settings that were compared. */
static void make_gentle(struct knobs *k, const struct world *world)
{
    double slow = slowest_of(world), rtt_us = world_measure(world, KNOB_BY_RTT);
    double bdp_kb = world_measure(world, KNOB_BY_BDP);
    double packet_kb = world->mtu_bytes ? fmax(1, rounded(world->mtu_bytes / 1000.0)) : PACKET_KB;

    make_bdp(k, world);
    k->value[KNOB_rpg_threshold] = 2;
    k->value[KNOB_rpg_byte_reset] = 13124;
    if (slow >= 1) {
        set_marks(k, fmax(PACKETS * packet_kb, bdp_kb / 2));
        cut_by_little(k, rtt_us);
        k->value[KNOB_rpg_ai_rate] = rounded(line_mbps(world) / 1400);
    } else {
        set_marks(k, fmax(PACKETS_SLOW * packet_kb, bdp_kb / 4.5));
        k->value[KNOB_rpg_ai_rate] = rounded(slow * line_mbps(world) / 2000);
    }
    k->value[KNOB_rate_to_set_on_first_cnp] = floor(fmin(0.7, 1.25 * slow) * line_mbps(world));
    knobs_clamp(k);
}

/* ---- thresholds alone ---- */

/* What ACC (SIGCOMM 2021) is compared with. It does not state pmax: these are those of the papers. */
static void make_thresholds(struct knobs *k, const struct world *world, double kmin, double kmax, double pmax)
{
    *k = world->start;
    k->value[KNOB_kmin] = kmin;
    k->value[KNOB_kmax] = kmax;
    k->value[KNOB_pmax] = pmax;
}

static void make_secn0(struct knobs *k, const struct world *world)
{
    make_thresholds(k, world, 18, 18, 1);
}

static void make_secn1(struct knobs *k, const struct world *world)
{
    make_thresholds(k, world, 5, 200, 0.01);
}

static void make_secn2(struct knobs *k, const struct world *world)
{
    double speed = (double)world->host_bps / 25e9;

    make_thresholds(k, world, 100 * speed, 400 * speed, 0.2);
    knobs_clamp(k);
}

static void make_vendor(struct knobs *k, const struct world *world)
{
    make_thresholds(k, world, 30, 270, 0.1);
}

const struct setting setting_all[SETTINGS + 1] = {
    { "default", "NVIDIA's defaults; the first CNP leaves 85 % of line rate", make_default, 0, false },
    { "default_artifact", "like default, but the first CNP halves the rate, as in PARALEON's artifact",
      make_default_artifact, 0, false },
    { "expert", "PARALEON's table I", make_expert, 1, false },
    { "hpcc", "the HPCC paper's for DCQCN, in proportion to the speed of links", make_hpcc, 1, false },
    { "bdp", "in proportion to the bandwidth-delay product: short queues, quick recovery",
      make_bdp, -1, false },
    { "gentle", "short queues by many small cuts, in proportion to link speeds and round trip", make_gentle,
      -1, false },
    { NULL, NULL, NULL, 0, false },
};

const struct setting setting_thresholds[] = {
    { "secn0", "DCTCP's threshold of 18 KB; NICs stay as they are", make_secn0, -1, false },
    { "secn1", "the DCQCN paper's thresholds, 5 and 200 KB, 1 %; NICs stay as they are", make_secn1,
      -1, false },
    { "secn2", "the HPCC paper's, 100 and 400 KB per 25 Gb/s of each port, 20 %; NICs stay as they are",
      make_secn2, 1, true },
    { "vendor", "a switch vendor's, 30 and 270 KB, 10 %; NICs stay as they are", make_vendor, 0, false },
    { NULL, NULL, NULL, 0, false },
};

const char *const setting_names[] = { "default", "default_artifact", "expert", "hpcc", "bdp", "gentle",
                                      "secn0", "secn1", "secn2", "vendor", NULL };

static const struct setting *find_in(const struct setting *list, const char *name)
{
    while (list->name && strcmp(list->name, name) != 0)
        list++;
    return list->name ? list : NULL;
}

const struct setting *setting_find(const char *name)
{
    const struct setting *s = find_in(setting_all, name);

    return s ? s : find_in(setting_thresholds, name);
}

void setting_ecn(const struct setting *s, const struct knobs *k, const struct world *world,
                 const struct queue_facts *queue, struct ecn *ecn)
{
    double scale = s->is_by_speed ? (double)queue->rate_bps / (double)world->host_bps : 1;

    *ecn = (struct ecn){ (uint32_t)(k->value[KNOB_kmin] * 1000 * scale),
                         (uint32_t)(k->value[KNOB_kmax] * 1000 * scale), k->value[KNOB_pmax] };
}

/* ---- from a file ---- */

static void read_knob(struct reader *r, const struct yaml_node *node, struct knob_set *set)
{
    enum knob  knob = knob_find(node->key);
    struct err why;
    char       near[80];

    if (knob == KNOB_COUNT)
        reader_refuse_key(r, node, "'%.60s' is not a knob%s", node->key,
                          text_did_you_mean(near, sizeof near, node->key, knob_names));
    else if (node->kind != YAML_SCALAR)
        reader_refuse(r, node, "'%s' must be a single value", node->key);
    else if (knob_parse(knob, node->text, &set->knobs.value[knob], &why))
        reader_refuse(r, node, "%s", why.text);
    else
        set->is_named[knob] = true;
}

/* Reports a conflict at the one of the two knobs that is in the file. */
static int read_map(const struct yaml_doc *doc, struct knob_set *set, struct err *err)
{
    struct reader           r = { .name = doc->name, .err = err };
    const struct yaml_node *root = doc->root, *at;
    struct err              why;

    if (!root)
        reader_refuse(&r, NULL, "there are no knobs in it; write lines such as 'kmin: 400KB'");
    else if (root->kind != YAML_MAP)
        reader_refuse(&r, root, "this is not a map of knobs; write lines such as 'kmin: 400KB'");
    for (const struct yaml_node *n = root ? root->child : NULL; n && !r.rc; n = n->next)
        read_knob(&r, n, set);
    if (r.rc || !knobs_check(&set->knobs, &why))
        return r.rc;
    at = yaml_get(root, yaml_get(root, "kmin") ? "kmin" : "kmax");
    reader_refuse(&r, at ? at : root, "%s", why.text);
    return r.rc;
}

int setting_parse(const char *name, const char *text, size_t length, struct knobs *knobs, struct err *err)
{
    struct yaml_doc doc;
    struct knob_set set = { 0 };
    int rc = yaml_parse(&doc, name, text, length, err);

    if (rc)
        return rc;
    knobs_init(&set.knobs);
    rc = read_map(&doc, &set, err);
    yaml_fini(&doc);
    if (!rc)
        *knobs = set.knobs;
    return rc;
}

int setting_read_named(const char *name_or_file, const struct world *world, struct knob_set *set,
                       struct err *err)
{
    const char *near = text_nearest(name_or_file, setting_names);
    const struct setting *s = find_in(setting_all, name_or_file),
                         *thresholds = find_in(setting_thresholds, name_or_file);
    struct knob_set made = { .knobs = world->start };
    struct yaml_doc doc;
    int rc;

    if (s || thresholds) {
        (s ? s : thresholds)->make(&set->knobs, world);
        for (int i = 0; i < KNOB_COUNT; i++)
            set->is_named[i] = i >= (s ? 0 : KNOB_kmin) && i <= KNOB_pmax;
        return 0;
    }
    if (near && access(name_or_file, F_OK))
        return err_set(err, ENOENT, "'%.60s' is neither a setting nor a file; did you mean '%s'?",
                       name_or_file, near);
    if (!world->is_in_use)
        make_default(&made.knobs, world);
    rc = yaml_read(&doc, name_or_file, err);
    if (rc)
        return rc;
    rc = read_map(&doc, &made, err);
    yaml_fini(&doc);
    if (!rc)
        *set = made;
    return rc;
}

int setting_read(const char *name_or_file, const struct world *world, struct knobs *knobs, struct err *err)
{
    struct knob_set set;
    int             rc = setting_read_named(name_or_file, world, &set, err);

    if (!rc)
        *knobs = set.knobs;
    return rc;
}
