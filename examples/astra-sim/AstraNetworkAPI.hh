// examples/astra-sim/AstraNetworkAPI.hh - as much of ASTRA-sim's interface for network backends as AnoleNetwork.hh needs.
//
// Written from the description of that interface, so that the backend compiles without ASTRA-sim. Inside of ASTRA-sim its own
// astra-sim/common/AstraNetworkAPI.hh is included in place of this file, which has more and the same names.
#ifndef ASTRA_NETWORK_API_STUB_HH
#define ASTRA_NETWORK_API_STUB_HH

#include <cstdint>

namespace AstraSim {

enum time_type_e { SE = 0, MS, US, NS, FS };

struct timespec_t {
    time_type_e time_res;
    long double time_val;
};

struct sim_request {
    uint32_t srcRank, dstRank, tag, reqType;
    uint64_t reqCount;
    uint32_t vnet, layerNum;
};

class AstraNetworkAPI {
  public:
    explicit AstraNetworkAPI(int rank) : rank(rank) {}
    virtual ~AstraNetworkAPI() = default;

    // 'count' bytes to 'dst'; the handler is called when they have been acknowledged.
    virtual int sim_send(void *buffer, uint64_t count, int type, int dst, int tag, sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;

    // 'count' bytes from 'src'; the handler is called when so many have come that no other receive has taken.
    virtual int sim_recv(void *buffer, uint64_t count, int type, int src, int tag, sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;

    // 'delta' from now.
    virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) = 0;

    virtual timespec_t sim_get_time() = 0;
    virtual double     get_BW_at_dimension(int) { return -1; }
    virtual void       sim_notify_finished() {}

    int sim_comm_get_rank() { return rank; }

  protected:
    int rank;
};

}  // namespace AstraSim

#endif
