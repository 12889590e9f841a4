/* src/scenario/scenario_keys.c - the table of keys, and the reference that is printed from it. */
#include "scenario/scenario.h"

#include "traffic/cdf.h"
#include "traffic/job_storage.h"

#include <ctype.h>
#include <string.h>

const struct scenario_key scenario_keys[] = {
    { "", "model",    "name",  "nic",   "`nic`: frames and exact times of real NICs and switches; `hpcc`: as the HPCC ns-3 fork computes it; `conweave`: as the ConWeave ns-3 fork does" },
    { "", "order",    "name",  "model", "what comes first of two events at the same time. `node`: the older, then by node, so that no division of the work changes a result; `ns3`: the order of the fork, for equal results (`hpcc` and `conweave` only, and their default)" },
    { "", "seed",     "count", "1",     "of all random numbers; in order `ns3` the fork's RngRun (hpcc) or its RANDOM_SEED (conweave)" },
    { "", "interval", "time",  "1ms",   "of monitoring: what happened in each is a line of intervals.csv" },
    { "", "run",      "time",  "",      "end of the run; without it the run ends when the last flow is done, so traffic that goes on needs a `stop`" },
    { "", "cc",       "name",  "dcqcn", "congestion control: see `anole list cc`. In the models hpcc and conweave `dcqcn` means `dcqcn_hpcc`, the forks'" },
    { "", "lb",       "map",   "ecmp",  "load balancing: a name, see `anole list lb`, or the keys below; what a balancer can be told are knobs" },
    { "", "hpcc",     "file",  "",      "a config file of the HPCC or the ConWeave ns-3 fork, instead of `topology` and `traffic`" },
    { "", "topology", "map",   "",      "hosts, switches and links" },
    { "", "host",     "map",   "",      "NICs and their transport" },
    { "", "switch",   "map",   "",      "buffers, PFC, ECN and classes" },
    { "", "knobs",    "map",   "",      "what can be tuned, by name: see docs/knobs.md" },
    { "", "changes",  "list",  "",      "knobs that change during the run" },
    { "", "monitor",  "map",   "",      "how flow sizes are seen: the name of a monitor, a list of them, or the keys below; see `anole list monitor`. The first is the one that a tuner is shown. A tuner brings `paraleon` if there is none" },
    { "", "tuner",    "map",   "",      "what sets knobs while the run goes on: a name, or the keys below and options; see `anole list tuner`" },
    { "", "traffic",  "list",  "",      "who sends what to whom, and when" },

    { "lb", "kind",     "name",   "ecmp",  "which" },
    { "lb", "weighted", "yes/no", "model", "where links between switches differ in speed or are down, paths are taken in proportion to what they carry: `yes` (nic), `no` (hpcc)" },
    { "lb", "seed",     "count",  "0",     "other numbers, other paths for the same flows; with 0 the hash of a switch is salted by its number" },

    { "monitor", "kind",       "list",   "",        "names of monitors, or one" },
    { "monitor", "tau",        "bytes",  "1000000", "a flow that has sent so much is an elephant" },
    { "monitor", "delta",      "count",  "3",       "a smaller one that has sent something in so many intervals in a row may become one" },
    { "monitor", "share",      "name",   "size",    "how much of an elephant that is: `size`: what it has sent over tau; `sigmoid`: 1 / (1 + e^-n) after n intervals; `artifact`: the same, and a whole mouse besides" },
    { "monitor", "heavy",      "bytes",  "150KiB",  "of the sketch's buckets, at each ToR" },
    { "monitor", "light",      "bytes",  "450KiB",  "of its shared counters" },
    { "monitor", "heavy_only", "yes/no", "no",      "flows without an entry of their own are not counted, as in PARALEON" },
    { "monitor", "bins",       "yes/no", "no",      "flows are counted by sizes that double as well, which a tuner with `bins: log` asks for by itself" },
    { "monitor", "sample",     "count",  "100",     "netflow: packets, of which one is sampled" },
    { "monitor", "export",     "time",   "1s",      "netflow: how often it tells" },
    { "monitor", "requests",   "count",  "1024",    "host: places in each host's table of work requests" },

    { "tuner", "kind",   "name",   "",   "which; its options stand beside it" },
    { "tuner", "start",  "time",   "0",  "when it begins" },
    { "tuner", "record", "yes/no", "no", "what is seen and set at each egress queue is written to queues.csv; for tuners that set queues slot by slot, as acc" },

    { "topology", "kind",       "name",  "",  "which of the kinds below" },
    { "topology", "loss",       "share", "0", "of packets lost on each link that has no loss of its own" },
    { "topology", "ber",        "share", "0", "bit error rate of each link that has none of its own; a packet with a wrong bit is lost" },
    { "topology", "links_down", "list",  "",  "links that fail" },
    { "topology", "link_rates", "list",  "",  "links that are faster or slower than the others" },

    { "topology star", "hosts", "count", "",        "h0 .." },
    { "topology star", "rate",  "rate",  "100Gbps", "of each link" },
    { "topology star", "delay", "time",  "1us",     "of each link, one way" },

    { "topology clos", "tors",          "count", "",        "switches with hosts: tor0 .." },
    { "topology clos", "hosts",         "count", "",        "all hosts, instead of `tors`; a multiple of `hosts_per_tor`" },
    { "topology clos", "hosts_per_tor", "count", "",        "h0 .. are behind tor0, and so on" },
    { "topology clos", "spines",        "count", "",        "spine0 .." },
    { "topology clos", "links",         "count", "1",       "between each ToR and each spine" },
    { "topology clos", "rate",          "rate",  "100Gbps", "of host links" },
    { "topology clos", "delay",         "time",  "1us",     "of host links, one way" },
    { "topology clos", "fabric_rate",   "rate",  "",        "of links between switches; without it as `rate`" },
    { "topology clos", "fabric_delay",  "time",  "",        "of links between switches; without it as `delay`" },

    { "topology fat_tree", "k",     "count", "",        "ports of a switch: even, 2 .. 64" },
    { "topology fat_tree", "rate",  "rate",  "100Gbps", "of each link" },
    { "topology fat_tree", "delay", "time",  "1us",     "of each link, one way" },

    { "topology hpcc", "file", "file", "", "the topology; node i of the file is node i, called by its kind and its count among them: h0 .., s0 .." },

    { "topology htsim", "file", "file", "", "the topology (.topo)" },

    { "topology graph", "hosts",    "count", "", "h0 .." },
    { "topology graph", "switches", "list",  "", "names, or a count: s0 .." },
    { "topology graph", "links",    "list",  "", "each with the keys below" },

    { "topology graph links", "a",     "name",  "",        "one end" },
    { "topology graph links", "b",     "name",  "",        "the other end" },
    { "topology graph links", "rate",  "rate",  "100Gbps", "1Gbps .. 1.6Tbps" },
    { "topology graph links", "delay", "time",  "1us",     "one way, more than 0, up to 4ms" },
    { "topology graph links", "loss",  "share", "",        "of packets; without it as for all links" },
    { "topology graph links", "ber",   "share", "",        "bit error rate; without it as for all links" },

    { "topology links_down", "a",     "name",  "", "one end" },
    { "topology links_down", "b",     "name",  "", "the other end" },
    { "topology links_down", "down",  "time",  "", "when it fails: what is on the wire is lost, and routes change" },
    { "topology links_down", "up",    "time",  "", "when it works again; without it never" },
    { "topology links_down", "which", "count", "", "one of several parallel links, from 0; without it all of them" },

    { "topology link_rates", "a",     "name",  "", "one end" },
    { "topology link_rates", "b",     "name",  "", "the other end" },
    { "topology link_rates", "rate",  "rate",  "", "of both directions" },
    { "topology link_rates", "which", "count", "", "one of several parallel links, from 0; without it all of them" },

    { "host", "mtu",            "bytes",  "model", "payload of a full packet, 64 .. 9000: 1024 (nic), 1000 (hpcc, conweave)" },
    { "host", "ack_every",      "count",  "1",     "packets per ACK; the last of a flow is always acknowledged" },
    { "host", "ack_unpaused",   "yes/no", "model", "PFC does not stop a host's ACKs: no (nic), yes (hpcc, conweave)" },
    { "host", "ack_class",      "name",   "model", "class of ACKs and NACKs: a number, or `data`: that of the flow. data (nic, hpcc), 0 (conweave), which is before all others and not counted in buffers there" },
    { "host", "nack_gap",       "time",   "model", "least time between NACKs for the same byte: 100us (nic), 500us (hpcc), 4us (conweave)" },
    { "host", "nack_is_cnp",    "yes/no", "model", "a sender takes a NACK for a CNP as well, and cuts its rate: yes (nic, conweave), no (hpcc)" },
    { "host", "retransmit",     "name",   "go_back_n", "what is sent again: `go_back_n`: all from the packet that is missing on; `selective`: what is missing" },
    { "host", "reorder",        "time",   "100us", "selective: a packet that others have overtaken is taken for lost, and a NACK sent, after it has been missing for one to two of these; 0: at once" },
    { "host", "rto",            "time",   "model", "silence after which a sender starts again from the last acknowledged byte; 0: never. 4ms (nic, conweave); 0, but 4ms where links fail or lose packets (hpcc)" },
    { "host", "window",         "bytes",  "none",  "of bytes a flow may have unacknowledged; `none`, or `bdp`: rate x round-trip time of the longest path" },
    { "host", "window_by_rate", "yes/no", "no",    "the window shrinks with the flow's rate" },
    { "host", "record_gaps",    "yes/no", "no",    "times between two packets of a flow are written to gaps.csv, those of queue pairs and of tcp" },

    { "switch", "buffer",        "bytes",  "model",   "shared by all ports: 32MB (nic), 32MiB (hpcc), 9MiB (conweave)" },
    { "switch", "reserve",       "bytes",  "4096",    "of each port, before it takes from the shared part; 2096 (conweave)" },
    { "switch", "resume_offset", "bytes",  "3072",    "how far a queue must fall below the pause threshold before the sender may resume; has no effect in model conweave" },
    { "switch", "pause_time",    "time",   "model",   "after which a pause ends by itself if it is not sent again, as it is after half of it; `none`: it lasts until it is taken back. none (nic, hpcc), 5us, and never sent again but for a packet that arrives (conweave)" },
    { "switch", "headroom",      "bytes",  "auto",    "of each port, for what arrives after a pause was sent. `auto`: what fits on the wire both ways and four packets (nic), three times rate x delay (hpcc), what fits on the wire both ways and two packets (conweave)" },
    { "switch", "alpha",         "share",  "0.125",   "of the free buffer that one class of one ingress port may take before it pauses; a power of 1/2. Doubles with each doubling of speed over the hosts'. 1/16 at any speed (conweave)" },
    { "switch", "lossless",      "yes/no", "yes",     "PFC; without it packets are dropped" },
    { "switch", "lossy",         "list",   "",        "classes that PFC does not protect, beside lossless ones; without it those that only tcp uses" },
    { "switch", "lossy_alpha",   "share",  "1",       "lossy: of the free buffer that one queue may take" },
    { "switch", "lossy_queue",   "bytes",  "none",    "lossy: that one queue may take, if `lossy_alpha` does not say less; `none`: no such limit" },
    { "switch", "ecn",           "yes/no", "yes",     "packets are marked" },
    { "switch", "ecn_at",        "name",   "dequeue", "`dequeue` or `enqueue`: which queue decides on a packet's mark, the one behind it or the one before it" },
    { "switch", "strict",        "list",   "model",   "classes that go before all others: [6] (nic: CNPs), [0] (hpcc, conweave)" },
    { "switch", "weights",       "list",   "",        "of the eight classes, 1 .. 255, where they are not strict; without it all 1" },
    { "switch", "ecn_by_rate",   "list",   "",        "thresholds of ports of a certain speed; other ports use the knobs" },

    { "switch", "ecn_by_class",  "list",   "",        "thresholds of certain classes at all ports; they stay when knobs change" },

    { "switch ecn_by_class", "class", "count", "", "0 .. 7" },
    { "switch ecn_by_class", "kmin",  "bytes", "", "as the knob; a plain number is KB" },
    { "switch ecn_by_class", "kmax",  "bytes", "", "as the knob; the same as `kmin`, as DCTCP has it: all that meets a longer queue is marked" },
    { "switch ecn_by_class", "pmax",  "share", "", "as the knob" },

    { "switch ecn_by_rate", "rate", "rate",  "", "of the ports" },
    { "switch ecn_by_rate", "kmin", "bytes", "", "as the knob; a plain number is KB" },
    { "switch ecn_by_rate", "kmax", "bytes", "", "as the knob" },
    { "switch ecn_by_rate", "pmax", "share", "", "as the knob" },

    { "changes", "at",    "time", "", "when; later than the change before" },
    { "changes", "knobs", "map",  "", "those that change; the others stay" },

    { "traffic htsim", "file",  "file", "", "the connection matrix (.cm)" },
    { "traffic htsim", "delay", "time", "", "from the end of a connection to the start of one that waits for it; without it the shortest delay of a link" },

    { "traffic tcp", "prio", "count", "1", "class of its packets, 0 .. 7" },      /* goes before the key of all kinds */

    { "traffic", "kind",  "name",  "",  "which of the kinds below" },
    { "traffic", "name",  "name",  "",  "for results; without it the kind and a number: `poisson 1`" },
    { "traffic", "start", "time",  "0", "of the first flow" },
    { "traffic", "stop",  "time",  "",  "no flow starts at or after it; without it the end of the run" },
    { "traffic", "for",   "time",  "",  "instead of `stop`: how long after `start` that is" },
    { "traffic", "influx", "yes/no", "no", "this comes upon the rest and goes again: results are told before, during and after it" },
    { "traffic", "prio",  "count", "3", "class of its packets, 0 .. 7" },

    { "traffic flows", "kind", "name", "", "`flows`" },
    { "traffic flows", "name", "name", "", "as above" },
    { "traffic flows", "file", "file", "", "the list; it has times and classes of its own" },

    { "traffic poisson", "sizes", "name",  "",      "of flows: a built-in table (below), or a file of `bytes probability` lines" },
    { "traffic poisson", "load",  "share", "0.3",   "of what `of` names" },
    { "traffic poisson", "of",    "name",  "hosts", "`hosts`: of the sum of host links; `bisection`: of the links from switches with hosts to other switches, as used by traffic between racks" },
    { "traffic poisson", "hosts", "list",  "",      "which; a count means the first, without it all" },

    { "traffic incast", "senders",  "list",  "",  "which; a count means the first that are not the receiver" },
    { "traffic incast", "receiver", "name",  "",  "without it the last host" },
    { "traffic incast", "size",     "bytes", "",  "of each flow" },
    { "traffic incast", "flows",    "count", "1", "of each sender, at once" },
    { "traffic incast", "period",   "time",  "0", "from one burst to the next; 0: only one" },

    { "traffic permutation", "size",  "bytes", "",  "of each flow" },
    { "traffic permutation", "shift", "count", "0", "host i sends to host i + shift; 0: a random permutation in which nobody sends to himself" },
    { "traffic permutation", "hosts", "list",  "",  "which; a count means the first, without it all" },

    { "traffic all_to_all", "size",  "bytes", "", "of each flow" },
    { "traffic all_to_all", "hosts", "list",  "", "which; a count means the first, without it all" },

    { "traffic many_to_one", "hosts",    "list",  "",    "which send; a count means the first that are not the receiver, without it all" },
    { "traffic many_to_one", "qps",      "count", "1",   "flows of each host; 8192 in all at most" },
    { "traffic many_to_one", "receiver", "name",  "",    "without it the last host" },
    { "traffic many_to_one", "size",     "bytes", "",    "of each flow; without it they send until the run is over" },
    { "traffic many_to_one", "spread",   "time",  "1ms", "each flow starts at a random moment within so much of `start`" },

    { "traffic long_short", "long",       "list",  "",      "which send a long flow, from `start` on; a count means the first that are not the receiver, without it one" },
    { "traffic long_short", "long_size",  "bytes", "",      "of each; without it they send until the run is over" },
    { "traffic long_short", "receiver",   "name",  "",      "of all flows; without it the last host" },
    { "traffic long_short", "from",       "list",  "",      "which send short flows, in turn; a count means the first that are not the receiver, without it all that do not send long ones" },
    { "traffic long_short", "shorts",     "count", "6",     "short flows in a burst" },
    { "traffic long_short", "short_size", "bytes", "200KB", "of each" },
    { "traffic long_short", "after",      "time",  "1ms",   "from `start` to the first period" },
    { "traffic long_short", "period",     "time",  "10ms",  "in which there is one burst" },
    { "traffic long_short", "jitter",     "time",  "",      "a burst comes at a random moment within so much of its period's start; without it `period` less `spread`; 0: strictly periodic" },
    { "traffic long_short", "spread",     "time",  "10us",  "each flow of a burst starts at a random moment within so much of the burst's" },

    { "traffic storage", "preset",    "name",  "oltp", "the mix of reads and writes and the sizes of blocks, by ACC's table 1: see below" },
    { "traffic storage", "hosts",     "list",  "",     "which take part; a count means the first, without it all" },
    { "traffic storage", "storage",   "list",  "",     "the storage nodes; a count means so many, evenly spread over the hosts: hosts 3, 7, 11, .. if it is one in four, as it is without it; beside a list of compute nodes it is the rest" },
    { "traffic storage", "compute",   "list",  "",     "the compute nodes; a count means the first that do not store, without it all of them" },
    { "traffic storage", "reads",     "share", "",     "of reads; without it as the preset says" },
    { "traffic storage", "block_min", "bytes", "",     "the smallest block. All multiples of it up to `block_max` are equally frequent, as in fio's bsrange. Without it as the preset says" },
    { "traffic storage", "block_max", "bytes", "",     "the largest block; without it as the preset says" },
    { "traffic storage", "depth",     "count", "16",   "reads and writes that each compute node has under way, 1 .. 4096" },
    { "traffic storage", "replicas",  "count", "3",    "of a block that is written, 1 .. 16: the first node sends it to random others and answers when all have it" },
    { "traffic storage", "request",   "bytes", "64",   "of a request to read, and of the answer to a write" },

    { "traffic rpc", "sizes",   "name",  "SolarRPC", "of requests: a built-in table (below), or a file of `bytes probability` lines" },
    { "traffic rpc", "load",    "share", "0.3",      "by requests, of what `of` names" },
    { "traffic rpc", "of",      "name",  "hosts",    "`hosts`: of the sum of the clients' links; `bisection`: of the links from switches with hosts to other switches, as used by requests between racks" },
    { "traffic rpc", "clients", "list",  "",         "which call; a count means the first, without it all" },
    { "traffic rpc", "servers", "list",  "",         "which are called, each other host equally often; a count means the last, without it all" },
    { "traffic rpc", "answer",  "bytes", "64",       "of each answer" },

    { "traffic training", "workers",    "list",  "",           "which, worker 0 first; a count means so many, where `placement` says, without it all hosts" },
    { "traffic training", "placement",  "name",  "packed",     "of a count of workers. `packed`: racks are filled one after the other; `spread`: the next worker is in the next rack. A rack is a switch with its hosts" },
    { "traffic training", "collective", "name",  "all_to_all", "`all_to_all` (pairwise), `ring_all_reduce`, `tree_all_reduce` (double binary tree), `halving_doubling_all_reduce`, `all_gather` or `reduce_scatter` (ring)" },
    { "traffic training", "size",       "bytes", "",           "all_to_all: from each worker to each other; otherwise of the whole buffer" },
    { "traffic training", "chunk",      "bytes", "512KB",      "tree_all_reduce: of what goes up and down the trees at a time. Each waits for the one before it to be acknowledged, so small ones cost round-trip times; large ones keep lower workers waiting" },
    { "traffic training", "compute",    "time",  "0",          "from the end of a collective, when all workers know of it, to the next" },
    { "traffic training", "iterations", "count", "",           "how many; without it until `stop`" },
    { "traffic training", "delay",      "time",  "",           "after which all workers know that the last one is through; without it that of the longest link, and never less than a link's" },

    { "traffic tcp", "algorithm", "name",   "cubic",  "of the window: `newreno`, `cubic` or `dctcp`" },
    { "traffic tcp", "ecn",       "yes/no", "",       "switches mark its packets rather than drop them only; without it yes for dctcp, which needs it, and no for others" },
    { "traffic tcp", "mss",       "bytes",  "1448",   "payload of a full packet, 64 .. 9000; headers of 70 come on top" },
    { "traffic tcp", "burst",     "bytes",  "64KB",   "that a flow sends back to back at most, as with segmentation offload; a packet at least" },
    { "traffic tcp", "min_rto",   "time",   "1ms",    "least time after which silence is taken for a loss. Linux has 200ms, for the Internet" },
    { "traffic tcp", "wake",      "time",   "2us",    "from an ACK to the sender's answer, at most: a random time, as interrupts and schedulers take; 0: none" },
    { "traffic tcp", "senders",   "list",   "",       "which; a count means the first that are not the receiver" },
    { "traffic tcp", "receiver",  "name",   "",       "without it the last host" },
    { "traffic tcp", "size",      "bytes",  "",       "of each flow" },
    { "traffic tcp", "flows",     "count",  "1",      "of each sender, at once" },
    { "traffic tcp", "period",    "time",   "0",      "from one burst of flows to the next; 0: only one" },
    { "traffic tcp", "sizes",     "name",   "",       "instead of `senders`, as for poisson: a table of sizes, at the load that follows" },
    { "traffic tcp", "load",      "share",  "0.3",    "as for poisson" },
    { "traffic tcp", "of",        "name",   "hosts",  "as for poisson" },
    { "traffic tcp", "hosts",     "list",   "",       "as for poisson" },

    { NULL, NULL, NULL, NULL, NULL },
};

/* ---- the reference ---- */

static void print_rows(FILE *out, const char *section)
{
    fprintf(out, "\n| key | value | initially | |\n|---|---|---|---|\n");
    for (const struct scenario_key *k = scenario_keys; k->name; k++) {
        const char *tick = *k->initial ? "`" : "";
        bool        by_model = strcmp(k->initial, "model") == 0;

        if (strcmp(k->section, section) == 0)
            fprintf(out, "| `%s` | %s | %s%s%s | %s |\n", k->name, k->unit, by_model ? "" : tick,
                    by_model ? "by model" : k->initial, by_model ? "" : tick, k->about);
    }
}

static void print_section(FILE *out, int level, const char *title, const char *section)
{
    fprintf(out, "\n%.*s %s\n", level, "####", title);
    print_rows(out, section);
}

/* The one line of a kind, as a sentence. */
static void print_about(FILE *out, const char *about)
{
    fprintf(out, "%c%s.\n", toupper((unsigned char)*about), about + 1);
}

static void print_kinds(FILE *out, const char *folder, const struct scenario_kind *kind)
{
    char section[64];

    for (; kind->name; kind++) {
        snprintf(section, sizeof section, "%s %s", folder, kind->name);
        fprintf(out, "\n### %s: %s\n\n", folder, kind->name);
        print_about(out, kind->about);
        print_rows(out, section);
    }
}

static const char intro[] =
    "# Scenario files\n"
    "\n"
    "<!-- Printed by `anole list scenario --markdown`. -->\n"
    "\n"
    "A scenario is a YAML file: a network, its settings and its traffic. Values carry their units. Whatever is wrong is\n"
    "refused before anything runs, with `file:line:column` and the nearest name that would have been right. Anchors,\n"
    "aliases and tags of YAML are not used. The files in `scenarios/` are examples.\n"
    "\n"
    "```yaml\n"
    "topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps, delay: 1us}\n"
    "knobs: {kmin: 400KB, kmax: 1600KB, pmax: 20%}\n"
    "traffic:\n"
    "  - {kind: poisson, sizes: FB_Hadoop, load: 0.3, of: bisection, stop: 5ms}\n"
    "  - {kind: incast, senders: 32, size: 256KB, start: 2ms}\n"
    "```\n"
    "\n"
    "| value | how it is written |\n"
    "|---|---|\n"
    "| time | `5us`, `1.5ms`, `200ns`: ps, ns, us, ms, s |\n"
    "| rate | `100Gbps`, `25G`: bps, Kbps, Mbps, Gbps, Tbps |\n"
    "| bytes | `1500`, `64KB`, `32MiB`: B, KB, MB, GB, TB (1000), KiB, MiB, GiB, TiB (1024) |\n"
    "| count | a whole number |\n"
    "| share | `0.3` or `30%` |\n"
    "| yes/no | `yes`, `no`, `true`, `false`, `on`, `off` |\n"
    "| file | a path, relative to the folder of the scenario |\n"
    "\n"
    "Hosts are called `h0`, `h1`, ...; where a host is asked for, the number of its node does as well.\n"
    "\n"
    "`--set KEY=VALUE` on the command line is as if written in the file: a knob (`--set kmin=200KB`), a key\n"
    "(`--set run=5ms`), or a path of keys and list entries, which count from 0 (`--set topology.delay=2us`,\n"
    "`--set traffic.0.load=50%`).\n";

static const char hpcc_text[] =
    "\n"
    "## hpcc: a config of a fork\n"
    "\n"
    "`hpcc: config.txt` takes the network, the flows, the ECN maps, the buffer and the DCQCN parameters from a config file\n"
    "of the HPCC ns-3 fork; `TOPOLOGY_FILE` and `FLOW_FILE` are relative to that file. The model is hpcc; for a config of the\n"
    "ConWeave ns-3 fork, told by `LB_MODE`, it is conweave, and the balancer and the seed are those of the config unless the\n"
    "scenario names its own. `topology` and `traffic` must not be given; what `host`, `switch`, `knobs` and the general keys say comes on top. `LINK_DOWN` becomes\n"
    "a link that fails; `SIMULATOR_STOP_TIME` is not used, because a run ends when its flows are done.\n";

static const char models_text[] =
    "\n"
    "## What the models bring with them\n"
    "\n"
    "Sizes of frames, in bytes:\n"
    "\n"
    "| | nic | hpcc, conweave |\n"
    "|---|---|---|\n"
    "| headers of a data packet | 62: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 | 48: Ethernet 14, IPv4 20, UDP 8, sequence and class 6 |\n"
    "| ACK, NACK | 66: the same with AETH 4 | 60 |\n"
    "| CNP | 78: the same with 16 reserved bytes | none: a flag in the ACK |\n"
    "| PFC | 64 | 43 |\n"
    "| between frames | 20: preamble 8, gap 12 | 0 |\n"
    "\n"
    "In model nic knobs start at the values of docs/knobs.md. In model hpcc they are the fork's profile for the speed of\n"
    "the first host link: `rpg_ai_rate` 5 Mbps and `rpg_hai_rate` 50 Mbps per 25 Gbps, `rpg_min_rate` 1000 Mbps, `dce_tcp_g`\n"
    "1020 (g = 1/256); in model conweave 10 Mbps, 25 Mbps, 100 Mbps and the same g. ECN thresholds of model hpcc go by the speed of the port: `kmin` 100 KB and `kmax` 400 KB per 25 Gbps,\n"
    "`pmax` 0.2, those of model conweave are 100 KB, 400 KB and 0.2 at any speed; if `knobs` names one of the three, the knobs\n"
    "count for all ports instead.\n"
    "\n"
    "With model hpcc and order ns3 a switch may drop ACKs that overrun the headroom, as the fork does; otherwise a lossless\n"
    "network loses none.\n";

static const char load_text[] =
    "\n"
    "A load counts payload; headers come on top. With `of: hosts` each host sends load x the mean rate of the links of these\n"
    "hosts. With `of: bisection` it sends load x U / (n x f): U is the sum of the rates of links from switches with hosts to\n"
    "other switches, n the number of hosts, f the mean share of a host's possible destinations that are not behind its own\n"
    "switch. For rpc the hosts are the clients, the possible destinations the servers. A host that would have to send more\n"
    "than its link carries, all poisson and rpc traffic of the moment added up, is refused.\n"
    "\n"
    "Built-in tables of sizes:";

static void print_presets(FILE *out)
{
    fprintf(out, "\n### traffic: presets of storage\n\n"
                 "From table 1 of ACC (SIGCOMM 2021), which gives shares and ranges; how often each size occurs is ours.\n"
                 "\n| preset | reads | blocks | |\n|---|---|---|---|\n");
    for (const struct storage_preset *p = storage_presets; p->name; p++)
        fprintf(out, "| `%s` | %.0f%% | %.15g .. %.15g KiB | %s |\n", p->name, p->reads * 100,
                (double)p->block_min / 1024, (double)p->block_max / 1024, p->about);
}

void scenario_print_reference(FILE *out)
{
    fputs(intro, out);
    print_section(out, 2, "General keys", "");
    fputs(hpcc_text, out);
    print_section(out, 2, "lb", "lb");
    print_section(out, 2, "topology", "topology");
    print_kinds(out, "topology", scenario_topologies);
    print_section(out, 4, "links of a graph", "topology graph links");
    print_section(out, 3, "topology: links_down", "topology links_down");
    print_section(out, 3, "topology: link_rates", "topology link_rates");
    print_section(out, 2, "host", "host");
    print_section(out, 2, "switch", "switch");
    print_section(out, 3, "switch: ecn_by_rate", "switch ecn_by_rate");
    print_section(out, 3, "switch: ecn_by_class", "switch ecn_by_class");
    print_section(out, 2, "changes", "changes");
    fprintf(out, "\nA change of kmin, kmax or pmax is for all ports, those of `ecn_by_rate` included.\n");
    print_section(out, 2, "monitor", "monitor");
    print_section(out, 2, "tuner", "tuner");
    print_section(out, 2, "traffic", "traffic");
    print_kinds(out, "traffic", scenario_traffics);
    print_presets(out);
    fprintf(out, "\n### traffic: loads and sizes\n");
    fputs(load_text, out);
    for (int i = 0; cdf_names[i]; i++)
        fprintf(out, "%s `%s`", i ? "," : "", cdf_names[i]);
    fprintf(out, ".\n");
    fputs(models_text, out);
}
