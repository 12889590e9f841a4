/* tests/export/main_doca.c - drives the entry points of an exported file as a NIC would. Prints the number of
 * failed checks and a digest of the rates of FLOWS flows.
 */
#include EXPORTED

#include "freestanding.h"
#include "states.h"

static uint32_t param[RLCC_PARAMS], param_least[RLCC_PARAMS], param_most[RLCC_PARAMS];
static uint32_t slots, defaults;

/* ---- functions of the NIC */

void doca_pcc_dev_algo_init_metadata(uint32_t algo, struct doca_pcc_dev_algo_meta_data *about,
                                     uint32_t params, uint32_t counters)
{
    (void)algo, (void)about, (void)params, (void)counters;
}

void doca_pcc_dev_algo_init_param(uint32_t algo, uint32_t id, uint32_t value, uint32_t most, uint32_t least,
                                  uint32_t permission, uint32_t name_size, uint64_t name)
{
    (void)algo, (void)permission, (void)name_size, (void)name;
    param[id] = value;
    param_least[id] = least;
    param_most[id] = most;
}

void doca_pcc_dev_init_algo_slot(uint32_t port, uint32_t slot, uint32_t algo, uint32_t is_enabled)
{
    slots += port < DOCA_PCC_DEV_MAX_NUM_PORTS && slot == 0 && algo == 0 && is_enabled;
}

uint32_t doca_pcc_dev_get_algo_index(uint32_t port, uint32_t slot)
{
    (void)port;
    return slot;
}

uint32_t *doca_pcc_dev_get_algo_params(uint32_t port, uint32_t slot)
{
    (void)port, (void)slot;
    return param;
}

void doca_pcc_dev_default_internal_algo(doca_pcc_dev_algo_ctxt_t *c, doca_pcc_dev_event_t *e,
                                        const doca_pcc_dev_attr_t *a, doca_pcc_dev_results_t *r)
{
    (void)c, (void)e, (void)a, (void)r;
    defaults++;
}

/* ---- events */

static doca_pcc_dev_results_t raise(doca_pcc_dev_algo_ctxt_t *c, uint32_t type, uint32_t now_ns,
                                    uint32_t sent_ns, uint32_t slot)
{
    doca_pcc_dev_event_t event = { .attr = { .ev_type = type }, .timestamp = now_ns, .rtt_sent = sent_ns };
    doca_pcc_dev_attr_t attr = { .algo_slot = slot };
    doca_pcc_dev_results_t results = { 0 };

    doca_pcc_dev_user_algo(c, &event, &attr, &results);
    return results;
}

static uint32_t check_events(void)
{
    doca_pcc_dev_algo_ctxt_t c = { { 0 } };
    doca_pcc_dev_results_t r;
    uint32_t wrong = 0;

    r = raise(&c, DOCA_PCC_DEV_EVNT_ROCE_TX, 100, 0, 0);     /* new: at line rate, and requests a probe */
    wrong += r.rate != 1u << 20 || r.rtt_req != 1;
    r = raise(&c, DOCA_PCC_DEV_EVNT_ROCE_CNP, 200, 0, 0);    /* only an RTT decides */
    wrong += r.rate != 1u << 20 || r.rtt_req != 0;
    r = raise(&c, DOCA_PCC_DEV_EVNT_ROCE_TX, 200 + 2000000, 0, 0);   /* the probe was lost */
    wrong += r.rtt_req != 1;
    r = raise(&c, DOCA_PCC_DEV_EVNT_RTT, 5, (uint32_t)-300000, 0);   /* 300 us, across the
                                                                      * wrap-around of the clock */
    wrong += r.rate != 1u << 19 || r.rtt_req != 1;
    raise(&c, DOCA_PCC_DEV_EVNT_RTT, 5, 0, 1);
    wrong += defaults != 1;
    return wrong;
}

static uint32_t check_params(void)
{
    uint32_t two[2] = { 20000, 7 }, none[1] = { 0 }, kept = param[3], wrong = 0;

    wrong += doca_pcc_dev_user_set_algo_params(0, 0, 0, 2, two, param) != DOCA_PCC_DEV_STATUS_OK;
    wrong += param[0] != 20000 || param[1] != 7;
    wrong += doca_pcc_dev_user_set_algo_params(0, 0, 3, 1, none, param + 3) != DOCA_PCC_DEV_STATUS_FAIL;
    wrong += param[3] != kept;
    wrong += doca_pcc_dev_user_set_algo_params(0, 0, RLCC_PARAMS, 1, two, param) != DOCA_PCC_DEV_STATUS_FAIL;
    wrong += doca_pcc_dev_user_set_algo_params(0, 0, 1, 0xffffffff, two, param) != DOCA_PCC_DEV_STATUS_FAIL;
    wrong += doca_pcc_dev_user_set_algo_params(0, 1, 0, 1, two, param) != DOCA_PCC_DEV_STATUS_FAIL;
    for (uint32_t i = 0; i < RLCC_PARAMS; i++)
        wrong += param_least[i] > param[i] || param[i] > param_most[i];
    return wrong;
}

static uint64_t digest_flows(void)
{
    uint64_t x = STATES_BEGIN, digest = DIGEST_BEGIN;

    for (uint64_t i = 0; i < FLOWS; i++) {
        doca_pcc_dev_algo_ctxt_t c = { { 0 } };

        raise(&c, DOCA_PCC_DEV_EVNT_ROCE_TX, 0, 0, 0);
        for (int j = 0; j < 100; j++)
            digest =
                digest_add_value(digest, raise(&c, DOCA_PCC_DEV_EVNT_RTT, 0, -states_rtt_ns(&x), 0).rate);
    }
    return digest;
}

void _start(void)
{
    uint32_t disabled = 0, wrong;
    uint64_t digest;

    doca_pcc_dev_user_init(&disabled);
    wrong = slots != DOCA_PCC_DEV_MAX_NUM_PORTS || disabled != DOCA_PCC_DEV_EVNT_ROCE_ACK_MASK;
    digest = digest_flows();
    wrong += check_events();
    wrong += check_params();
    print_hex(wrong);
    print_hex(digest);
    end(wrong != 0);
}
