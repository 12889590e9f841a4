/* tests/export/doca/doca_pcc_dev_algo_access.h - see doca_pcc_dev.h. */
#ifndef TESTS_EXPORT_DOCA_PCC_DEV_ALGO_ACCESS_H
#define TESTS_EXPORT_DOCA_PCC_DEV_ALGO_ACCESS_H

#include <stdint.h>

struct doca_pcc_dev_algo_meta_data {
    uint32_t algo_id, algo_major_version, algo_minor_version, algo_desc_size;
    uint64_t algo_desc_addr;
};

void      doca_pcc_dev_algo_init_metadata(uint32_t algo_idx, struct doca_pcc_dev_algo_meta_data *,
                                          uint32_t total_param_num, uint32_t total_counter_num);
void      doca_pcc_dev_algo_init_param(uint32_t algo_idx, uint32_t param_id, uint32_t default_value,
                                       uint32_t max_value, uint32_t min_value, uint32_t permission,
                                       uint32_t desc_size, uint64_t desc_addr);
void      doca_pcc_dev_init_algo_slot(uint32_t port_num, uint32_t algo_slot, uint32_t algo_idx, uint32_t algo_en);
uint32_t  doca_pcc_dev_get_algo_index(uint32_t port_num, uint32_t algo_slot);
uint32_t *doca_pcc_dev_get_algo_params(uint32_t port_num, uint32_t algo_slot);

#endif
