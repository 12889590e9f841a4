// examples/astra-sim/AnoleNetwork.hh - Anole as a network backend of ASTRA-sim: libanole behind AstraNetworkAPI.
//
// A world is one network; each rank has an AnoleNetwork of it, rank i on host i. Bytes are a stream for each (source, destination, tag): a
// receive may be satisfied by several sends, and the other way round, as with ASTRA-sim's other backends. Handlers are called at the time at which
// things happen, from inside of run(); there they may send, receive and schedule.
#ifndef ANOLE_NETWORK_HH
#define ANOLE_NETWORK_HH

#include "AstraNetworkAPI.hh"

#include <anole.h>

#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

class AnoleWorld {
  public:
    explicit AnoleWorld(const std::string &scenario)
    {
        char error[512] = "";

        world = anole_open(scenario.c_str(), error, sizeof error);
        if (!world)
            throw std::runtime_error(error);
        anole_on_message(world, told, this);
    }

    ~AnoleWorld() { anole_close(world); }
    AnoleWorld(const AnoleWorld &) = delete;
    AnoleWorld &operator=(const AnoleWorld &) = delete;

    uint32_t hosts() const { return anole_hosts(world); }
    uint64_t now_ps() const { return anole_now_ps(world); }

    // Until nothing is left to happen.
    void run()
    {
        int64_t open;

        while ((open = anole_run(world, now_ps() + step_ps)) > 0)
            ;
        if (open < 0)
            throw std::runtime_error(anole_failure(world));
    }

    void send(int src, int dst, int tag, uint64_t count, void (*handler)(void *), void *arg)
    {
        uint64_t id = next++;

        sends[id] = { { src, dst, tag }, count, handler, arg };
        if (src == dst || !count)                // nothing for a network
            call_at(now_ps(), id);
        else if (anole_post(world, static_cast<uint32_t>(src), static_cast<uint32_t>(dst), count, id))
            throw std::runtime_error("there is no such host");
    }

    void receive(int src, int dst, int tag, uint64_t count, void (*handler)(void *), void *arg)
    {
        Stream &s = streams[{ src, dst, tag }];

        s.waiting.push_back({ count, handler, arg });
        serve(s);
    }

    void schedule(uint64_t delta_ps, void (*function)(void *), void *arg)
    {
        uint64_t id = next++;

        timers[id] = { function, arg };
        call_at(now_ps() + delta_ps, id);
    }

  private:
    static constexpr uint64_t step_ps = 1000000000;          // 1 ms; what is told comes at its own time all the same

    using Key = std::tuple<int, int, int>;                   // source, destination, tag
    struct Send { Key key; uint64_t count; void (*handler)(void *); void *arg; };
    struct Receive { uint64_t count; void (*handler)(void *); void *arg; };
    struct Stream { uint64_t there = 0; std::deque<Receive> waiting; };
    struct Timer { void (*function)(void *); void *arg; };

    void call_at(uint64_t at_ps, uint64_t id)
    {
        if (anole_wake(world, at_ps, id))
            throw std::runtime_error("a time that is over");
    }

    void serve(Stream &s)
    {
        while (!s.waiting.empty() && s.there >= s.waiting.front().count) {
            Receive r = s.waiting.front();

            s.there -= r.count;
            s.waiting.pop_front();
            if (r.handler)
                r.handler(r.arg);
        }
    }

    void arrive(const Send &m)
    {
        Stream &s = streams[m.key];

        s.there += m.count;
        serve(s);
    }

    void sent(uint64_t id)
    {
        Send m = sends.at(id);

        sends.erase(id);
        if (m.handler)
            m.handler(m.arg);
    }

    void wake(uint64_t id)
    {
        auto timer = timers.find(id);

        if (timer == timers.end()) {             // a message that stayed at its host
            arrive(Send(sends.at(id)));
            sent(id);
            return;
        }
        Timer t = timer->second;

        timers.erase(timer);
        t.function(t.arg);
    }

    static void told(void *arg, enum anole_event event, uint64_t, const struct anole_message *m)
    {
        AnoleWorld *w = static_cast<AnoleWorld *>(arg);

        if (event == ANOLE_ARRIVED)
            w->arrive(Send(w->sends.at(m->tag)));
        else if (event == ANOLE_SENT)
            w->sent(m->tag);
        else
            w->wake(m->tag);
    }

    struct anole_world                *world;
    uint64_t                           next = 1;
    std::unordered_map<uint64_t, Send> sends;
    std::map<Key, Stream>              streams;
    std::unordered_map<uint64_t, Timer> timers;
};

class AnoleNetwork : public AstraSim::AstraNetworkAPI {
  public:
    AnoleNetwork(int rank, AnoleWorld &world) : AstraNetworkAPI(rank), world(world) {}

    int sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *, void (*handler)(void *), void *arg) override
    {
        world.send(rank, dst, tag, count, handler, arg);
        return 0;
    }

    int sim_recv(void *, uint64_t count, int, int src, int tag, AstraSim::sim_request *, void (*handler)(void *), void *arg) override
    {
        world.receive(src, rank, tag, count, handler, arg);
        return 0;
    }

    void sim_schedule(AstraSim::timespec_t delta, void (*function)(void *), void *arg) override
    {
        static const long double ps[] = { 1e12L, 1e9L, 1e6L, 1e3L, 1e-3L };      // SE, MS, US, NS, FS

        world.schedule(static_cast<uint64_t>(delta.time_val * ps[delta.time_res] + 0.5L), function, arg);
    }

    AstraSim::timespec_t sim_get_time() override { return { AstraSim::NS, static_cast<long double>(world.now_ps()) / 1000 }; }

  private:
    AnoleWorld &world;
};

#endif
