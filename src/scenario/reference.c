/* src/scenario/reference.c - docs/scenario.md, printed from the tables of keys. */
#include "scenario/reference.h"

#include "scenario/keys.h"
#include "scenario/topology.h"
#include "traffic/cdf.h"
#include "traffic/kind.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- one by one ---- */

struct shower {
    void (*show)(void *arg, const char *section, const struct section_key *);
    void  *arg;
};

static void show_rows(const struct shower *to, const char *section, const char *kind, const struct section_key *row)
{
    char title[64];

    snprintf(title, sizeof title, "%s%s%s", section, *kind ? " " : "", kind);
    for (; row->name; row++)
        to->show(to->arg, title, row);
}

void scenario_each_key(void (*show)(void *arg, const char *section, const struct section_key *), void *arg)
{
    const struct shower to = { show, arg };

    for (const struct scenario_section *s = scenario_sections; s->name; s++) {
        show_rows(&to, s->name, "", s->keys);
        if (strcmp(s->name, "topology") == 0)
            for (const struct topology_kind *k = topology_kinds; k->name; k++)
                show_rows(&to, "topology", k->name, k->keys);
    }
    for (int i = 0; traffic_all[i]; i++)
        show_rows(&to, "traffic", traffic_all[i]->name, traffic_all[i]->keys);
}

/* ---- docs/scenario.md ---- */

static void print_rows(FILE *out, const struct section_key *k)
{
    fprintf(out, "\n| key | value | initially | |\n|---|---|---|---|\n");
    for (; k->name; k++) {
        const char *tick = *k->initial ? "`" : "";
        bool        by_model = strcmp(k->initial, "model") == 0;

        fprintf(out, "| `%s` | %s | %s%s%s | %s |\n", k->name, k->unit, by_model ? "" : tick,
                by_model ? "by model" : k->initial, by_model ? "" : tick, k->about);
    }
}

static void print_section(FILE *out, int level, const char *title, const char *section)
{
    fprintf(out, "\n%.*s %s\n", level, "####", title);
    print_rows(out, scenario_keys(section));
}

/* The one line of a kind becomes a sentence. */
static void print_kind(FILE *out, const char *section, const char *name, const char *about, const struct section_key *keys)
{
    fprintf(out, "\n### %s: %s\n\n%c%s.\n", section, name, toupper((unsigned char)*about), about + 1);
    print_rows(out, keys);
}

static void print_topologies(FILE *out)
{
    for (const struct topology_kind *k = topology_kinds; k->name; k++)
        print_kind(out, "topology", k->name, k->about, k->keys);
}

static void print_traffic(FILE *out)
{
    for (int i = 0; traffic_all[i]; i++)
        print_kind(out, "traffic", traffic_all[i]->name, traffic_all[i]->about, traffic_all[i]->keys);
    for (int i = 0; traffic_all[i]; i++)
        if (traffic_all[i]->print_more)
            traffic_all[i]->print_more(out);
}

static const char intro[] =
    "# Scenario files\n"
    "\n"
    "<!-- Printed by `anole list key --markdown`. -->\n"
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

void scenario_print_reference(FILE *out)
{
    fputs(intro, out);
    print_section(out, 2, "General keys", "");
    fputs(hpcc_text, out);
    print_section(out, 2, "cc", "cc");
    print_section(out, 3, "cc: others", "cc others");
    print_section(out, 2, "rlcc", "rlcc");
    print_section(out, 2, "lb", "lb");
    print_section(out, 2, "fidelity", "fidelity");
    print_section(out, 2, "topology", "topology");
    print_topologies(out);
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
    print_traffic(out);
    fprintf(out, "\n### traffic: loads and sizes\n");
    fputs(load_text, out);
    for (int i = 0; cdf_names[i]; i++)
        fprintf(out, "%s `%s`", i ? "," : "", cdf_names[i]);
    fprintf(out, ".\n");
    fputs(models_text, out);
}
