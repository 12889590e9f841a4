/* src/traffic/kinds.c - the list of all kinds of traffic, in the order in which they are printed. */
#include "traffic/kind.h"

extern const struct traffic_kind traffic_flows, traffic_poisson, traffic_incast, traffic_permutation,
    traffic_all_to_all, traffic_many_to_one, traffic_long_short, traffic_posted, traffic_storage, traffic_rpc,
    traffic_kv_cache, traffic_training, traffic_htsim, traffic_tcp, traffic_goal, traffic_chakra,
    traffic_simai, traffic_external;

const struct traffic_kind *const traffic_all[] = {
    &traffic_flows,
    &traffic_poisson,
    &traffic_incast,
    &traffic_permutation,
    &traffic_all_to_all,
    &traffic_many_to_one,
    &traffic_long_short,
    &traffic_posted,
    &traffic_storage,
    &traffic_rpc,
    &traffic_kv_cache,
    &traffic_training,
    &traffic_htsim,
    &traffic_tcp,
    &traffic_goal,
    &traffic_chakra,
    &traffic_simai,
    &traffic_external,
    NULL,
};
