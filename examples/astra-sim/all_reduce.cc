// examples/astra-sim/all_reduce.cc - a ring all-reduce through ASTRA-sim's interface, with Anole behind it.
//
//     c++ -std=c++17 examples/astra-sim/all_reduce.cc $(pkg-config --cflags --libs anole) -o all_reduce
//     ./all_reduce [BYTES]
//
// What ASTRA-sim's system layer does for a collective, in small: every rank computes for 10 us (sim_schedule), then sends an n-th to the next
// rank and receives one from the rank before, 2 (n - 1) times.
#include "AnoleNetwork.hh"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

struct Rank {
    std::unique_ptr<AnoleNetwork> net;
    int                           number, ranks, steps = 0;
    uint64_t                      bytes;
    long double                   end_ns = 0;
    bool                          is_sent = false, is_received = false;
};

static void step(void *arg);

static void go_on(Rank *r)
{
    if (!r->is_sent || !r->is_received)
        return;
    if (++r->steps < 2 * (r->ranks - 1))
        step(r);
    else
        r->end_ns = r->net->sim_get_time().time_val;
}

static void on_sent(void *arg)
{
    Rank *r = static_cast<Rank *>(arg);

    r->is_sent = true;
    go_on(r);
}

static void on_received(void *arg)
{
    Rank *r = static_cast<Rank *>(arg);

    r->is_received = true;
    go_on(r);
}

static void step(void *arg)
{
    Rank *r = static_cast<Rank *>(arg);

    r->is_sent = r->is_received = false;
    r->net->sim_send(nullptr, r->bytes, 0, (r->number + 1) % r->ranks, 500000000, nullptr, on_sent, r);
    // In two halves: bytes are a stream.
    r->net->sim_recv(nullptr, r->bytes / 2, 0, (r->number + r->ranks - 1) % r->ranks, 500000000, nullptr, nullptr, nullptr);
    r->net->sim_recv(nullptr, r->bytes - r->bytes / 2, 0, (r->number + r->ranks - 1) % r->ranks, 500000000, nullptr, on_received, r);
}

int main(int count, char **arg)
try {
    AnoleWorld        world("topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}");
    uint64_t          bytes = count > 1 ? std::strtoull(arg[1], nullptr, 10) : 8 << 20;
    int               ranks = static_cast<int>(world.hosts());
    std::vector<Rank> rank(static_cast<size_t>(ranks));

    for (int i = 0; i < ranks; i++) {
        Rank &r = rank[static_cast<size_t>(i)];

        r.net = std::make_unique<AnoleNetwork>(i, world);
        r.number = i;
        r.ranks = ranks;
        r.bytes = bytes / static_cast<uint64_t>(ranks);
        r.net->sim_schedule({ AstraSim::US, 10 }, step, &r);
    }
    world.run();
    for (const Rank &r : rank)
        std::printf("rank %d: %.3Lf us\n", r.number, r.end_ns / 1000);
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
