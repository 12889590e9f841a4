/* tests/export/doca/doca_pcc_dev_event.h - see doca_pcc_dev.h. */
#ifndef TESTS_EXPORT_DOCA_PCC_DEV_EVENT_H
#define TESTS_EXPORT_DOCA_PCC_DEV_EVENT_H

#include "doca_pcc_dev.h"

static inline doca_pcc_dev_event_general_attr_t doca_pcc_dev_get_ev_attr(doca_pcc_dev_event_t *e)
{
    return e->attr;
}

static inline uint32_t doca_pcc_dev_get_timestamp(doca_pcc_dev_event_t *e)
{
    return e->timestamp;
}

static inline uint32_t doca_pcc_dev_get_rtt_req_send_timestamp(doca_pcc_dev_event_t *e)
{
    return e->rtt_sent;
}

#endif
