/* src/formats/hpcc_config.c - the config of the HPCC and ConWeave ns-3 forks. */
#include "formats/hpcc.h"

#include "base/key.h"
#include "base/text.h"
#include "base/tokens.h"

#include <errno.h>
#include <string.h>

#define CONFIG_BYTES_MAX (1ul << 20)

/* Rows without a field are accepted without effect, or read by read_own(). Times, in microseconds, are
 * truncated to whole numbers as in ns-3 (.per). */
#define UNUSED "no effect on the model"
#define OWN    "read_own()"
#define AT(field) KEY_AT(struct hpcc_config, field)

static const struct key_row keys[] = {
    { "ENABLE_QCN",                KEY_COUNT, "", "", AT(enable_qcn) },
    { "CLAMP_TARGET_RATE",         KEY_COUNT, "", "", AT(clamp_target_rate) },
    { "HAS_WIN",                   KEY_COUNT, "", "", AT(has_win) },
    { "GLOBAL_T",                  KEY_COUNT, "", "", AT(global_t) },
    { "VAR_WIN",                   KEY_COUNT, "", "", AT(var_win) },
    { "ACK_HIGH_PRIO",             KEY_COUNT, "", "", AT(ack_high_prio) },
    { "PACKET_PAYLOAD_SIZE",       KEY_COUNT, "", "", AT(payload_bytes), 1, 65000 },
    { "CC_MODE",                   KEY_COUNT, "", "", AT(cc_mode) },
    { "FAST_RECOVERY_TIMES",       KEY_COUNT, "", "", AT(fast_recovery_times) },
    /* ns-3: 32-bit byte count */
    { "BUFFER_SIZE",               KEY_COUNT, "", "", AT(buffer_mib), 1, 4095 },
    /* ns-3: 0 ignores ACKs */
    { "L2_ACK_INTERVAL",           KEY_COUNT, "", "", AT(l2_ack_interval), 1, UINT32_MAX },
    { "L2_CHUNK_SIZE",             KEY_COUNT, "", "", AT(l2_chunk_size) },
    { "L2_BACK_TO_ZERO",           KEY_COUNT, "", "", AT(l2_back_to_zero) },
    /* 0 would loop forever */
    { "ALPHA_RESUME_INTERVAL",     KEY_REAL, "", "", AT(alpha_resume_us), 1, 1e9, .per = 1 },
    { "RP_TIMER",                  KEY_REAL, "", "", AT(rp_timer_us), 1, 1e9, .per = 1 },
    { "RATE_DECREASE_INTERVAL",    KEY_REAL, "", "", AT(rate_decrease_us), 1, 1e9, .per = 1 },
    { "EWMA_GAIN",                 KEY_REAL, "", "", AT(ewma_gain), 0, 1 },
    { "ERROR_RATE_PER_LINK",       KEY_REAL, "", "", AT(error_rate_per_link), 0, 1 },
    { "SIMULATOR_STOP_TIME",       KEY_REAL, "", "", AT(stop_s), 0, HPCC_SECONDS_MAX },
    { "RATE_AI",                   KEY_RATE, "", "", AT(ai_bps) },
    { "RATE_HAI",                  KEY_RATE, "", "", AT(hai_bps) },
    { "MIN_RATE",                  KEY_RATE, "", "", AT(min_rate_bps) },
    { "TOPOLOGY_FILE",             KEY_FILE, "", OWN },
    { "FLOW_FILE",                 KEY_FILE, "", OWN },
    { "LINK_DOWN",                 KEY_LIST, "", OWN },
    { "LB_MODE",                   KEY_COUNT, "", "", AT(lb_mode) },
    { "ENABLE_PFC",                KEY_COUNT, "", "", AT(enable_pfc) },
    { "ENABLE_IRN",                KEY_COUNT, "", "", AT(enable_irn) },
    { "KMAX_MAP",                  KEY_LIST, "", OWN },
    { "KMIN_MAP",                  KEY_LIST, "", OWN },
    { "PMAX_MAP",                  KEY_LIST, "", OWN },
    { "USE_DYNAMIC_PFC_THRESHOLD", KEY_NAME, "", UNUSED },
    { "PAUSE_TIME",                KEY_REAL, "", "", AT(pause_us), 0, 1e9, .per = 1 },
    { "DATA_RATE",                 KEY_NAME, "", UNUSED },
    { "LINK_DELAY",                KEY_NAME, "", UNUSED },
    { "TRACE_FILE",                KEY_NAME, "", UNUSED },
    { "TRACE_OUTPUT_FILE",         KEY_NAME, "", UNUSED },
    { "FCT_OUTPUT_FILE",           KEY_NAME, "", UNUSED },
    { "PFC_OUTPUT_FILE",           KEY_NAME, "", UNUSED },
    { "MI_THRESH",                 KEY_COUNT, "", "", AT(mi_thresh) },
    { "FAST_REACT",                KEY_COUNT, "", "", AT(fast_react) },
    { "U_TARGET",                  KEY_REAL, "", "", AT(u_target), 0, 10 },
    { "INT_MULTI",                 KEY_COUNT, "", "", AT(int_multi) },
    { "RATE_BOUND",                KEY_COUNT, "", "", AT(rate_bound) },
    { "DCTCP_RATE_AI",             KEY_RATE, "", "", AT(dctcp_ai_bps) },
    { "ENABLE_TRACE",              KEY_NAME, "", UNUSED },
    { "QLEN_MON_FILE",             KEY_NAME, "", UNUSED },
    { "QLEN_MON_START",            KEY_NAME, "", UNUSED },
    { "QLEN_MON_END",              KEY_NAME, "", UNUSED },
    { "MULTI_RATE",                KEY_COUNT, "", "", AT(multi_rate) },
    { "SAMPLE_FEEDBACK",           KEY_COUNT, "", "", AT(sample_feedback) },
    { "PINT_LOG_BASE",             KEY_REAL, "", "", AT(pint_log_base), 0, 100 },
    { "PINT_PROB",                 KEY_REAL, "", "", AT(pint_prob), 0, 1 },

    /* keys of the ConWeave fork */
    { "FLOW_INPUT_FILE",           KEY_NAME, "", UNUSED },
    { "CNP_OUTPUT_FILE",           KEY_NAME, "", UNUSED },
    { "VOQ_MON_FILE",              KEY_NAME, "", UNUSED },
    { "VOQ_MON_DETAIL_FILE",       KEY_NAME, "", UNUSED },
    { "UPLINK_MON_FILE",           KEY_NAME, "", UNUSED },
    { "CONN_MON_FILE",             KEY_NAME, "", UNUSED },
    { "EST_ERROR_MON_FILE",        KEY_NAME, "", UNUSED },
    { "SW_MONITORING_INTERVAL",    KEY_NAME, "", UNUSED },
    { "FLOWGEN_START_TIME",        KEY_NAME, "", UNUSED },
    { "FLOWGEN_STOP_TIME",         KEY_NAME, "", UNUSED },
    { "LOAD",                      KEY_NAME, "", UNUSED },
    { "RANDOM_SEED",               KEY_COUNT, "", "", AT(random_seed), 1, INT32_MAX },
    { "CONWEAVE_TX_EXPIRY_TIME",           KEY_REAL, "", "", AT(weave.expiry_us), 0, 1e9, .per = 1 },
    { "CONWEAVE_REPLY_TIMEOUT_EXTRA",      KEY_REAL, "", "", AT(weave.reply_us), 0, 1e9, .per = 1 },
    { "CONWEAVE_PATH_PAUSE_TIME",          KEY_REAL, "", "", AT(weave.pause_us), 0, 1e9, .per = 1 },
    { "CONWEAVE_EXTRA_VOQ_FLUSH_TIME",     KEY_REAL, "", "", AT(weave.flush_us), 0, 1e9, .per = 1 },
    { "CONWEAVE_DEFAULT_VOQ_WAITING_TIME", KEY_REAL, "", "", AT(weave.wait_us), 0, 1e9, .per = 1 },
    { 0 },
};

#define KEYS (sizeof keys / sizeof *keys - 1)

/* Defaults of the fork's main program. It leaves rp_timer, the rates and the maps unset, and its integer
 * division makes the gain 0: these come from its sample config. */
static const struct hpcc_config defaults = {
    .enable_qcn = true, .has_win = true, .global_t = true, .enable_pfc = true,
    .payload_bytes = 1000, .cc_mode = 1, .fast_recovery_times = 5, .buffer_mib = 16,
    .alpha_resume_us = 55, .rp_timer_us = 900, .rate_decrease_us = 4, .ewma_gain = 1.0 / 256, .pause_us = 5,
    .ai_bps = 50000000, .hai_bps = 100000000, .min_rate_bps = 100000000,
    .stop_s = 3.01,
    .fast_react = true, .multi_rate = true, .rate_bound = true, .mi_thresh = 5, .int_multi = 1,
    .u_target = 0.95, .pint_log_base = 1.01, .pint_prob = 1, .dctcp_ai_bps = 1000000000,
    .weave = { .reply_us = 4, .pause_us = 8, .flush_us = 32, .wait_us = 500, .expiry_us = 1000 },
    .ecn = {
        { 25000000000, 100, 400, 0.2 },
        { 50000000000, 200, 800, 0.2 },
        { 100000000000, 400, 1600, 0.2 },
    },
    .ecn_count = 3,
};

struct rate_map { uint32_t line, count; uint64_t rate_bps[HPCC_MAP_MAX]; double value[HPCC_MAP_MAX]; };

struct hpcc_config_reader {
    struct tokens        words;
    struct hpcc_config *config;
    uint32_t            line[KEYS];              /* line of each key; 0: not given */
    struct rate_map     kmax, kmin, pmax;
};

static int read_path(struct tokens *w, const char *key, char *path)
{
    const char *word = tokens_next(w);
    size_t size;

    if (!word)
        return tokens_err(w, EINVAL, "nothing is given for %s", key);
    size = strlen(word) + 1;
    if (size > sizeof defaults.topology_file)
        return tokens_err(w, ENAMETOOLONG, "%s: a name of more than %zu characters", key,
                         sizeof defaults.topology_file - 1);
    memcpy(path, word, size);
    return 0;
}

static int read_link_down(struct tokens *w, struct hpcc_config *config)
{
    int rc = tokens_uint(w, "the time", (uint64_t)(HPCC_SECONDS_MAX * 1e6), &config->link_down.at_us);

    rc = rc ? rc : tokens_uint32(w, "the first node", UINT32_MAX, &config->link_down.a);
    return rc ? rc : tokens_uint32(w, "the second node", UINT32_MAX, &config->link_down.b);
}

static uint32_t map_find(const struct rate_map *map, uint64_t rate_bps)
{
    uint32_t i = 0;

    while (i < map->count && map->rate_bps[i] != rate_bps)
        i++;
    return i;
}

static int read_map_entry(struct tokens *w, struct rate_map *map, bool is_probability)
{
    uint32_t i = map->count, kb;
    int rc;

    rc = tokens_uint(w, "the link rate", UINT64_MAX, &map->rate_bps[i]);
    if (!rc && map_find(map, map->rate_bps[i]) < i)
        rc = tokens_err(w, EINVAL, "rate %s is given twice", w->word);
    if (rc)
        return rc;
    if (is_probability) {
        rc = tokens_real(w, "the probability", 0, 1, &map->value[i]);
    } else {
        rc = tokens_uint32(w, "the threshold", UINT32_MAX, &kb);
        map->value[i] = rc ? 0 : kb;
    }
    map->count += !rc;
    return rc;
}

static int read_map(struct tokens *w, struct rate_map *map, bool is_probability)
{
    uint32_t count = 0;
    int rc = tokens_uint32(w, "the number of rates", HPCC_MAP_MAX, &count);

    map->line = w->line;
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = read_map_entry(w, map, is_probability);
    return rc;
}

/* Reads keys with several values, and texts that are copied to a fixed size. */
static int read_own(struct hpcc_config_reader *r, const char *key)
{
    struct tokens *w = &r->words;

    if (strcmp(key, "TOPOLOGY_FILE") == 0)
        return read_path(w, key, r->config->topology_file);
    if (strcmp(key, "FLOW_FILE") == 0)
        return read_path(w, key, r->config->flow_file);
    if (strcmp(key, "LINK_DOWN") == 0)
        return read_link_down(w, r->config);
    if (strcmp(key, "KMAX_MAP") == 0)
        return read_map(w, &r->kmax, false);
    if (strcmp(key, "KMIN_MAP") == 0)
        return read_map(w, &r->kmin, false);
    if (strcmp(key, "PMAX_MAP") == 0)
        return read_map(w, &r->pmax, true);
    return tokens_next(w) ? 0 : tokens_err(w, EINVAL, "nothing is given for %s", key);
}

static int read_value(struct hpcc_config_reader *r, const struct key_row *row)
{
    struct tokens   *w = &r->words;
    struct key_value v;
    struct err       why;
    int              rc;

    if (row->at.type == KEY_NO_FIELD)
        return read_own(r, row->name);
    if (!tokens_next(w))
        return tokens_err(w, EINVAL, "nothing is given for %s", row->name);
    rc = key_parse(row, w->word, &v, &why);
    if (rc)
        return tokens_err(w, -rc, "%s", why.text);
    key_store(row, &v, r->config);
    return 0;
}

static int unknown_key(const struct tokens *w)
{
    const char *names[KEYS + 1] = { NULL };
    char        near[120];

    for (size_t i = 0; i < KEYS; i++)
        names[i] = keys[i].name;
    return tokens_err(w, EINVAL, "'%s' is not a key%s", w->word,
                      text_did_you_mean(near, sizeof near, w->word, names));
}

static int refuse_conweave(const struct hpcc_config_reader *r)
{
    uint32_t mode = r->config->lb_mode;

    if (mode != 0 && mode != 3 && mode != 6 && mode != 9)
        return tokens_err(&r->words, ENOTSUP,
                         "LB_MODE %u%s is not modelled; 0 (ECMP), 3 (CONGA), 6 (LetFlow) and 9 "
                         "(ConWeave) are", mode,
                         mode == 2 ? " (drill)" : "");
    if (r->config->enable_irn)
        return tokens_err(&r->words, ENOTSUP, "ENABLE_IRN is not modelled; go-back-N (0) is");
    if (!r->config->enable_pfc)
        return tokens_err(&r->words, ENOTSUP, "ENABLE_PFC 0 is not modelled without IRN; 1 is");
    return 0;
}

static bool is_given(const struct hpcc_config_reader *r, const char *name)
{
    return r->line[key_find(keys, name) - keys] != 0;
}

const char *hpcc_cc_of_mode(uint32_t mode)
{
    return mode == 1 ? "dcqcn_hpcc" : mode == 3 ? "hpcc" : mode == 7 ? "timely" : mode == 8 ? "dctcp" :
           mode == 10 ? "hpcc_pint" : NULL;
}

static int refuse_unmodelled(const struct hpcc_config_reader *r)
{
    if (!hpcc_cc_of_mode(r->config->cc_mode))
        return tokens_err(&r->words, ENOTSUP, "CC_MODE %u is not modelled; 1 (DCQCN), 3 (HPCC), 7 (TIMELY), "
                          "8 (DCTCP) and 10 (HPCC-PINT) are", r->config->cc_mode);
    if (is_given(r, "LB_MODE") && r->config->cc_mode != 1)
        return tokens_err(&r->words, ENOTSUP, "CC_MODE %u of the ConWeave fork is not modelled; 1 (DCQCN) is",
                          r->config->cc_mode);
    if (r->config->l2_back_to_zero != 0)
        return tokens_err(&r->words, ENOTSUP, "L2_BACK_TO_ZERO is not modelled; go-back-N (0) is");
    if (r->config->error_rate_per_link >= 1)
        return tokens_err(&r->words, EINVAL, "with an ERROR_RATE_PER_LINK of 1 nothing arrives");
    if (r->config->min_rate_bps == 0)
        return tokens_err(&r->words, EINVAL, "a MIN_RATE of 0 can stop a flow for ever");
    return refuse_conweave(r);
}

static int read_config_line(struct hpcc_config_reader *r)
{
    const char *word = tokens_next(&r->words);
    const struct key_row *row = key_find(keys, word);
    uint32_t *line;
    int rc;

    if (!row)
        return unknown_key(&r->words);
    line = &r->line[row - keys];
    if (*line)
        return tokens_err(&r->words, EINVAL, "line %u gives %s already", *line, word);
    *line = r->words.line;
    rc = read_value(r, row);
    rc = rc ? rc : tokens_end(&r->words);
    return rc ? rc : refuse_unmodelled(r);
}

static int join_entry(struct hpcc_config_reader *r, uint32_t i)
{
    uint64_t rate_bps = r->kmax.rate_bps[i];
    uint32_t kmin = map_find(&r->kmin, rate_bps), pmax = map_find(&r->pmax, rate_bps);

    r->words.line = r->kmax.line;
    if (kmin == r->kmin.count || pmax == r->pmax.count)
        return tokens_err(&r->words, EINVAL, "the rate %llu is in KMAX_MAP but not in %s",
                         (unsigned long long)rate_bps, kmin == r->kmin.count ? "KMIN_MAP" : "PMAX_MAP");
    if (r->kmin.value[kmin] > r->kmax.value[i])
        return tokens_err(&r->words, EINVAL, "at the rate %llu Kmin is %g KB, more than Kmax: %g KB",
                         (unsigned long long)rate_bps, r->kmin.value[kmin], r->kmax.value[i]);
    r->config->ecn[i] = (struct hpcc_ecn){
        .rate_bps = rate_bps,
        .kmin_kb = r->kmin.value[kmin], .kmax_kb = r->kmax.value[i], .pmax = r->pmax.value[pmax],
    };
    return 0;
}

/* Merges the three maps into one list. */
static int join_maps(struct hpcc_config_reader *r)
{
    int rc = 0;

    if (!r->kmax.line && !r->kmin.line && !r->pmax.line)
        return 0;
    if (r->kmin.count != r->kmax.count || r->pmax.count != r->kmax.count) {
        r->words.line = r->kmax.line ? r->kmax.line : r->kmin.line ? r->kmin.line : r->pmax.line;
        return tokens_err(&r->words, EINVAL, "KMAX_MAP, KMIN_MAP and PMAX_MAP must name the same rates, "
                         "but name %u, %u and %u", r->kmax.count, r->kmin.count, r->pmax.count);
    }
    memset(r->config->ecn, 0, sizeof r->config->ecn);
    r->config->ecn_count = r->kmax.count;
    for (uint32_t i = 0; i < r->kmax.count && !rc; i++)
        rc = join_entry(r, i);
    return rc;
}

/* The ConWeave fork has its own defaults, and no key for the priority of ACKs: PFC never pauses them. */
static void use_conweave_defaults(const struct hpcc_config_reader *r)
{
    struct hpcc_config *c = r->config;

    c->is_conweave = is_given(r, "LB_MODE");
    if (!c->is_conweave)
        return;
    c->ack_high_prio = true;
    if (!is_given(r, "RP_TIMER"))
        c->rp_timer_us = 300;
    if (!is_given(r, "FAST_RECOVERY_TIMES"))
        c->fast_recovery_times = 1;
}

int hpcc_read_config(const char *path, const char *text, struct hpcc_config *config, struct err *err)
{
    struct hpcc_config made = defaults;
    struct hpcc_config_reader r = { .config = &made };
    int rc = tokens_open(&r.words, path, text, CONFIG_BYTES_MAX, err);

    while (!rc && tokens_next_line(&r.words))
        rc = read_config_line(&r);
    rc = rc ? rc : join_maps(&r);
    use_conweave_defaults(&r);
    if (!rc)
        *config = made;
    tokens_close(&r.words);
    return rc;
}
