/* tests/export/doca/doca_pcc_dev.h - the declarations of DOCA PCC that our export needs, with our own types,
 * to compile and drive it without the SDK.
 */
#ifndef TESTS_EXPORT_DOCA_PCC_DEV_H
#define TESTS_EXPORT_DOCA_PCC_DEV_H

#include <stdint.h>

#define DOCA_PCC_DEV_MAX_NUM_PORTS       4
#define DOCA_PCC_DEV_EVNT_ROCE_ACK_MASK  (1u << DOCA_PCC_DEV_EVNT_ROCE_ACK)

enum {
    DOCA_PCC_DEV_EVNT_ROCE_CNP = 2, DOCA_PCC_DEV_EVNT_ROCE_TX, DOCA_PCC_DEV_EVNT_ROCE_ACK,
    DOCA_PCC_DEV_EVNT_ROCE_NACK, DOCA_PCC_DEV_EVNT_RTT,
};

typedef enum { DOCA_PCC_DEV_STATUS_OK = 0, DOCA_PCC_DEV_STATUS_FAIL = 1 } doca_pcc_dev_error_t;
typedef struct { uint32_t word[12]; } doca_pcc_dev_algo_ctxt_t;
typedef struct { uint32_t ev_type, port_num; } doca_pcc_dev_event_general_attr_t;
typedef struct {
    doca_pcc_dev_event_general_attr_t attr;
    uint32_t                          timestamp, rtt_sent;
} doca_pcc_dev_event_t;
typedef struct { uint32_t algo_slot; } doca_pcc_dev_attr_t;
typedef struct { uint32_t rate, rtt_req; } doca_pcc_dev_results_t;

void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask);
void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *, doca_pcc_dev_event_t *, const doca_pcc_dev_attr_t *,
                            doca_pcc_dev_results_t *);
doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,
                                                       uint32_t param_id_base, uint32_t param_num,
                                                       const uint32_t *new_param_values, uint32_t *params);
void doca_pcc_dev_default_internal_algo(doca_pcc_dev_algo_ctxt_t *, doca_pcc_dev_event_t *,
                                        const doca_pcc_dev_attr_t *, doca_pcc_dev_results_t *);

#endif
