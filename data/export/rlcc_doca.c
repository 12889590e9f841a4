
/* ---- entry points of a programmable congestion control */

#include <doca_pcc_dev.h>
#include <doca_pcc_dev_event.h>
#include <doca_pcc_dev_algo_access.h>

#define RLCC_SLOT 0
#define RLCC_ALGO 0

/* The first are those of struct rlcc_params, in its order. */
enum { RLCC_RATE_NEW = 5, RLCC_PROBE_NS, RLCC_PARAMS };

struct rlcc_param { uint32_t at_first, least, most; };

/* What a flow has of the 12 words that hardware keeps for it. */
struct rlcc_context {
    struct rlcc_flow flow;                   /* rate 0: it is new */
    uint32_t         asked_ns;               /* when the last RTT was asked for */
};
_Static_assert(sizeof(struct rlcc_context) <= 48, "a flow has 12 words");

static const char rlcc_name[] = "RL-CC, trees";
static const char rlcc_param_name[RLCC_PARAMS][16] = {
    "BETA_NS", "TARGET_NS_256", "GAIN_Q24", "RATE_MIN_Q28", "RTT_NS_MAX", "RATE_NEW_Q28", "PROBE_NS",
};

static inline struct rlcc_param rlcc_param_of(uint32_t id)
{
    const struct rlcc_params *p = &rlcc_params_default;

    switch (id) {
    case 0:             return (struct rlcc_param){ p->beta_ns, 0, 1u << 30 };
    case 1:             return (struct rlcc_param){ p->target_ns, 0, 1u << 30 };
    case 2:             return (struct rlcc_param){ p->gain, 1, 1u << 26 };
    case 3:             return (struct rlcc_param){ p->rate_min, 1u << RLCC_RATE_SHIFT, RLCC_RATE_ONE };
    case 4:             return (struct rlcc_param){ p->rtt_ns_max, 0, UINT32_MAX };
    case RLCC_RATE_NEW: return (struct rlcc_param){ RLCC_RATE_ONE, 1u << RLCC_RATE_SHIFT, RLCC_RATE_ONE };
    default:            return (struct rlcc_param){ 2000000, 1000, UINT32_MAX };
    }
}

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)
{
    struct doca_pcc_dev_algo_meta_data about = { 0 };

    about.algo_id = 0xA401;
    about.algo_major_version = 1;
    about.algo_desc_size = sizeof(rlcc_name);
    about.algo_desc_addr = (uint64_t)(uintptr_t)rlcc_name;
    doca_pcc_dev_algo_init_metadata(RLCC_ALGO, &about, RLCC_PARAMS, 0);
    for (uint32_t i = 0; i < RLCC_PARAMS; i++) {
        struct rlcc_param p = rlcc_param_of(i);

        doca_pcc_dev_algo_init_param(RLCC_ALGO, i, p.at_first, p.most, p.least, 1, sizeof(rlcc_param_name[i]),
                                     (uint64_t)(uintptr_t)rlcc_param_name[i]);
    }
    for (uint32_t port = 0; port < DOCA_PCC_DEV_MAX_NUM_PORTS; port++)
        doca_pcc_dev_init_algo_slot(port, RLCC_SLOT, RLCC_ALGO, 1);
    *disable_event_bitmask = DOCA_PCC_DEV_EVNT_ROCE_ACK_MASK;
}

/* A new flow asks for an RTT; each RTT is a decision and asks for the next; one that got lost is asked again. */
static void rlcc_on_event(struct rlcc_context *c, doca_pcc_dev_event_t *event, const uint32_t *param,
                          doca_pcc_dev_results_t *results)
{
    uint32_t now_ns = doca_pcc_dev_get_timestamp(event), ask = 0;

    if (c->flow.rate == 0) {
        rlcc_start(&c->flow, param[RLCC_RATE_NEW]);
        ask = 1;
    } else if (doca_pcc_dev_get_ev_attr(event).ev_type == DOCA_PCC_DEV_EVNT_RTT) {
        uint32_t rtt_ns = now_ns - doca_pcc_dev_get_rtt_req_send_timestamp(event);
        struct rlcc_params p = { param[0], param[1], param[2], param[3], param[4] };

        rlcc_decide(&c->flow, &p, rtt_ns);
        ask = 1;
    } else if (now_ns - c->asked_ns > param[RLCC_PROBE_NS]) {
        ask = 1;
    }
    if (ask)
        c->asked_ns = now_ns;
    results->rate = c->flow.rate >> RLCC_RATE_SHIFT;
    results->rtt_req = ask;
}

void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *context, doca_pcc_dev_event_t *event,
                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)
{
    uint32_t port = doca_pcc_dev_get_ev_attr(event).port_num;

    if (attr->algo_slot != RLCC_SLOT) {
        doca_pcc_dev_default_internal_algo(context, event, attr, results);
        return;
    }
    rlcc_on_event((struct rlcc_context *)context, event, doca_pcc_dev_get_algo_params(port, RLCC_SLOT), results);
}

/* All or none. */
doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values, uint32_t *params)
{
    if (algo_slot != RLCC_SLOT || doca_pcc_dev_get_algo_index(port_num, algo_slot) != RLCC_ALGO
        || param_id_base > RLCC_PARAMS || param_num > RLCC_PARAMS - param_id_base)
        return DOCA_PCC_DEV_STATUS_FAIL;
    for (uint32_t i = 0; i < param_num; i++) {
        struct rlcc_param p = rlcc_param_of(param_id_base + i);

        if (new_param_values[i] < p.least || new_param_values[i] > p.most)
            return DOCA_PCC_DEV_STATUS_FAIL;
    }
    for (uint32_t i = 0; i < param_num; i++)
        params[i] = new_param_values[i];
    return DOCA_PCC_DEV_STATUS_OK;
}
