/* peers/hpcc_config.c - the config of the HPCC and ConWeave ns-3 forks. */
#include "peers/hpcc.h"

#include "base/key.h"
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

static void read_path(struct tokens *w, const char *key, char *path)
{
    const char *word = tokens_need(w, key);

    if (word && strlen(word) >= sizeof defaults.topology_file)
        tokens_err(w, ENAMETOOLONG, "%s: a name of more than %zu characters", key,
                   sizeof defaults.topology_file - 1);
    else if (word)
        memcpy(path, word, strlen(word) + 1);
}

static void read_link_down(struct tokens *w, struct hpcc_config *config)
{
    tokens_uint(w, "the time", (uint64_t)(HPCC_SECONDS_MAX * 1e6), &config->link_down.at_us);
    tokens_uint32(w, "the first node", UINT32_MAX, &config->link_down.a);
    tokens_uint32(w, "the second node", UINT32_MAX, &config->link_down.b);
}

static uint32_t map_find(const struct rate_map *map, uint64_t rate_bps)
{
    uint32_t i = 0;

    while (i < map->count && map->rate_bps[i] != rate_bps)
        i++;
    return i;
}

static void read_map(struct tokens *w, struct rate_map *map, bool is_probability)
{
    uint32_t count = 0, kb = 0;

    tokens_uint32(w, "the number of rates", HPCC_MAP_MAX, &count);
    map->line = w->line;
    for (uint32_t i = 0; i < count && !w->rc; i++) {
        tokens_uint(w, "the link rate", UINT64_MAX, &map->rate_bps[i]);
        if (map_find(map, map->rate_bps[i]) < i)
            tokens_err(w, EINVAL, "rate %s is given twice", w->word);
        if (is_probability)
            tokens_real(w, "the probability", 0, 1, &map->value[i]);
        else if (!tokens_uint32(w, "the threshold", UINT32_MAX, &kb))
            map->value[i] = kb;
        map->count++;
    }
}

/* Reads keys with several values, and texts that are copied to a fixed size. */
static void read_own(struct hpcc_config_reader *r, const char *key)
{
    struct tokens *w = &r->words;

    if (strcmp(key, "TOPOLOGY_FILE") == 0)
        read_path(w, key, r->config->topology_file);
    else if (strcmp(key, "FLOW_FILE") == 0)
        read_path(w, key, r->config->flow_file);
    else if (strcmp(key, "LINK_DOWN") == 0)
        read_link_down(w, r->config);
    else if (strcmp(key, "KMAX_MAP") == 0)
        read_map(w, &r->kmax, false);
    else if (strcmp(key, "KMIN_MAP") == 0)
        read_map(w, &r->kmin, false);
    else if (strcmp(key, "PMAX_MAP") == 0)
        read_map(w, &r->pmax, true);
    else
        tokens_need(w, key);
}

static void read_value(struct hpcc_config_reader *r, const struct key_row *row)
{
    struct tokens   *w = &r->words;
    struct key_value v;
    struct err       why;
    int              rc;

    if (row->at.type == KEY_NO_FIELD) {
        read_own(r, row->name);
    } else if (tokens_need(w, row->name)) {
        rc = key_parse(row, w->word, &v, &why);
        if (rc)
            tokens_err(w, -rc, "%s", why.text);
        else
            key_store(row, &v, r->config);
    }
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

static void refuse_unmodelled(struct hpcc_config_reader *r)
{
    const struct hpcc_config *c = r->config;
    struct tokens            *w = &r->words;
    uint32_t                  lb = c->lb_mode;

    if (!hpcc_cc_of_mode(c->cc_mode))
        tokens_err(w, ENOTSUP, "CC_MODE %u is not modelled; 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) and "
                   "10 (HPCC-PINT) are", c->cc_mode);
    if (is_given(r, "LB_MODE") && c->cc_mode != 1)
        tokens_err(w, ENOTSUP, "CC_MODE %u of the ConWeave fork is not modelled; 1 (DCQCN) is", c->cc_mode);
    if (c->l2_back_to_zero != 0)
        tokens_err(w, ENOTSUP, "L2_BACK_TO_ZERO is not modelled; go-back-N (0) is");
    if (c->error_rate_per_link >= 1)
        tokens_err(w, EINVAL, "with an ERROR_RATE_PER_LINK of 1 nothing arrives");
    if (c->min_rate_bps == 0)
        tokens_err(w, EINVAL, "a MIN_RATE of 0 can stop a flow forever");
    if (lb != 0 && lb != 3 && lb != 6 && lb != 9)
        tokens_err(w, ENOTSUP, "LB_MODE %u%s is not modelled; 0 (ECMP), 3 (CONGA), 6 (LetFlow) and 9 "
                   "(ConWeave) are", lb, lb == 2 ? " (drill)" : "");
    if (c->enable_irn)
        tokens_err(w, ENOTSUP, "ENABLE_IRN is not modelled; go-back-N (0) is");
    if (!c->enable_pfc)
        tokens_err(w, ENOTSUP, "ENABLE_PFC 0 is not modelled without IRN; 1 is");
}

static void read_config_line(struct hpcc_config_reader *r)
{
    const char           *names[KEYS + 1] = { NULL }, *word = tokens_next(&r->words);
    const struct key_row *row = key_find(keys, word);

    if (!row) {
        for (size_t i = 0; i < KEYS; i++)
            names[i] = keys[i].name;
        tokens_refuse_name(&r->words, "a key", names);
        return;
    }
    uint32_t *line = &r->line[row - keys];
    if (*line)
        tokens_err(&r->words, EINVAL, "line %u gives %s already", *line, word);
    *line = r->words.line;
    read_value(r, row);
    tokens_end(&r->words);
    refuse_unmodelled(r);
}

/* Merges the three maps into one list. */
static void join_maps(struct hpcc_config_reader *r)
{
    const struct rate_map *low = &r->kmin, *high = &r->kmax, *share = &r->pmax;
    struct tokens         *w = &r->words;

    if (!high->line && !low->line && !share->line)
        return;
    if (low->count != high->count || share->count != high->count)
        tokens_err_at(w, high->line ? high->line : low->line ? low->line : share->line, EINVAL,
                      "KMAX_MAP, KMIN_MAP and PMAX_MAP must name the same rates, but name %u, %u and %u",
                      high->count, low->count, share->count);
    memset(r->config->ecn, 0, sizeof r->config->ecn);
    r->config->ecn_count = high->count;
    for (uint32_t i = 0; i < high->count && !w->rc; i++) {
        unsigned long long rate = high->rate_bps[i];
        uint32_t           kmin = map_find(low, rate), pmax = map_find(share, rate);

        if (kmin == low->count || pmax == share->count)
            tokens_err_at(w, high->line, EINVAL, "the rate %llu is in KMAX_MAP but not in %s", rate,
                          kmin == low->count ? "KMIN_MAP" : "PMAX_MAP");
        else if (low->value[kmin] > high->value[i])
            tokens_err_at(w, high->line, EINVAL, "at the rate %llu Kmin is %g KB, more than Kmax: %g KB",
                          rate, low->value[kmin], high->value[i]);
        else
            r->config->ecn[i] = (struct hpcc_ecn){ rate, low->value[kmin], high->value[i],
                                                   share->value[pmax] };
    }
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
    struct hpcc_config        made = defaults;
    struct hpcc_config_reader r = { .config = &made };

    tokens_open(&r.words, path, text, CONFIG_BYTES_MAX, err);
    while (tokens_next_line(&r.words))
        read_config_line(&r);
    join_maps(&r);
    use_conweave_defaults(&r);
    if (!r.words.rc)
        *config = made;
    return tokens_close(&r.words);
}
