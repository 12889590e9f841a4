// Data for pages as src/study/report/page.c writes it (web/src/data.ts): a small run with known numbers, a
// comparison, a large run, and an empty one.

// Reproducible random numbers.
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

const metric = (name, label, unit, value, better) => ({ name, label, unit, value, better });

function sizesOf(factor) {
  const ends = [1e3, 2e3, 5e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, null];
  return ends.map((end, i) => {
    const base = factor * (1.1 + 0.25 * i);
    return {
      bytes_min: i === 0 ? 0 : ends[i - 1],
      bytes_end: end,
      flows: Math.round(4000 / (i + 1)),
      mean: base * 1.2,
      p50: base,
      p95: base * 2.2,
      p99: base * 4.5,
      p999: base * 11,
    };
  });
}

function cdfOf(label, quantity, unit, low, high, points = 120) {
  const p = Array.from({ length: points }, (_, i) => (i + 1) / points);
  return {
    label,
    quantity,
    unit,
    p,
    x: p.map((share) => low * Math.pow(high / low, share * share * (3 - 2 * share))),
  };
}

const columnKinds = [
  ["goodput_bps", "goodput", "throughput", "bps", 8.2e11],
  ["sent_bps", "sent", "throughput", "bps", 9.1e11],
  ["rtt_us_p50", "p50", "rtt", "us", 11],
  ["rtt_us_p99", "p99", "rtt", "us", 48],
  ["rtt_us_max", "max", "rtt", "us", 95],
  ["pause_share", "time paused", "pause", "share", 0.04],
  ["pause_frames", "frames", "pause", "count", 120],
  ["queue_bytes_mean", "mean", "queue", "bytes", 42000],
  ["queue_bytes_max", "max", "queue", "bytes", 910000],
  ["marked_share", "marked packets", "ecn", "share", 0.12],
  ["flows_active", "active", "flows", "count", 260],
  ["flows_finished", "finished", "flows", "count", 75],
];

function seriesOf(points, interval_us, burst, random) {
  const at_us = Array.from({ length: points }, (_, i) => (i + 1) * interval_us);
  const isBurst = (at) => burst && at > burst.start_us && at <= burst.stop_us + 4 * interval_us;
  const columns = columnKinds.map(([name, label, group, unit, size], c) => ({
    name,
    label,
    group,
    unit,
    values: at_us.map((at) => {
      const value =
        size * ((isBurst(at) ? 0.95 : 0.45) + 0.12 * random() + 0.08 * Math.sin(at / interval_us / 9 + c));
      return unit === "count" ? Math.round(value) : value;
    }),
  }));
  return { at_us, interval_us, columns };
}

function closOf(spines, tors, hostsPerTor, random, heatRows, heatColumns, simulated_us) {
  const nodes = [];
  const links = [];
  const add = (name, kind, tier) => nodes.push({ name, kind, tier }) - 1;
  const link = (a, b, busy) => {
    const [ab, ba] = [busy * random(), busy * random()];
    const peak = (share) => Math.min(1, share * 1.7 + 0.1);
    links.push({
      a,
      b,
      rate_bps: 1e11,
      ab,
      ba,
      ab_max: peak(ab),
      ba_max: peak(ba),
      ab_paused: ab > 0.7 ? 0.03 : 0,
      ba_paused: 0,
    });
  };
  const hosts = Array.from({ length: tors * hostsPerTor }, (_, i) => add(`host${i}`, "host", 0));
  const torIds = Array.from({ length: tors }, (_, i) => add(`tor${i}`, "switch", 1));
  const spineIds = Array.from({ length: spines }, (_, i) => add(`spine${i}`, "switch", 2));
  hosts.forEach((host, i) => link(host, torIds[Math.floor(i / hostsPerTor)], 0.5));
  for (const tor of torIds) for (const spine of spineIds) link(tor, spine, 0.95);
  const heat = {
    at_us: Array.from({ length: heatColumns }, (_, i) => ((i + 1) * simulated_us) / heatColumns),
    rows: Array.from({ length: heatRows }, (_, r) => ({
      label: `tor${r % tors} > spine${r % spines}`,
      values: Array.from({ length: heatColumns }, (_, i) =>
        Math.min(1, (1 - r / heatRows) * (0.4 + 0.6 * Math.sin(i / 7 + r) ** 2) + 0.05 * random()),
      ),
    })),
  };
  return { nodes, links, heat };
}

const scenario = `# 128 hosts under a steady mix, and at 2 ms 32 of them send to one at once.
# <script>alert(1)</script>
topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, name: background, sizes: FB_Hadoop, load: 30%, of: bisection, stop: 5ms}
  - {kind: incast, name: burst, senders: 32, size: 256KB, start: 2ms}
`;

const headline = [
  metric("flows", "flows finished", "count", 11904, "neither"),
  metric("slowdown_p50", "p50 slowdown", "", 1.2345, "lower"),
  metric("slowdown_p99", "p99 slowdown", "", 12.789, "lower"),
  metric("fct_us_p99", "p99 FCT", "us", 1234.5, "lower"),
  metric("goodput_bps", "goodput", "bps", 812.4e9, "higher"),
  metric("rtt_us_p99", "p99 RTT", "us", 48.25, "lower"),
  metric("queue_bytes_max", "longest queue", "bytes", 912345, "lower"),
  metric("pause_share", "time paused", "share", 0.0153, "lower"),
  metric("marked_share", "marked packets", "share", 0.1, "neither"),
  metric("pause_per_s", "PFC frames", "per_s", 15300, "lower"),
  metric("dropped", "dropped packets", "count", 0, "lower"),
  metric("read_us_p99", "p99 read latency", "us", null, "lower"),
];

function baseRun() {
  const burst = { name: "burst", start_us: 2000, stop_us: 3100 };
  const random = randomFrom(7);
  const series = seriesOf(140, 50, burst, random);
  for (let i = 60; i < 70; i++) series.columns[2].values[i] = null; // a gap
  series.columns[0].values[20] = 500e9; // the test expects this value
  const phase = (name, start_us, stop_us, p99, goodput) => ({
    name,
    start_us,
    stop_us,
    metrics: [
      metric("slowdown_p99", "p99 slowdown", "", p99, "lower"),
      metric("goodput_bps", "goodput", "bps", goodput, "higher"),
      metric("rtt_us_p99", "p99 RTT", "us", p99 * 9, "lower"),
    ],
  });
  return {
    name: "",
    scenario,
    set: ["kmin=200KB", "kmax=800KB"],
    seeds: ["1"],
    model: "nic",
    cc: "dcqcn",
    lb: "ecmp",
    simulated_us: 7000,
    network: { hosts: 128, switches: 12, links: 160, base_rtt_us: 8.4 },
    summary: { version: "0.2.0", seed: 1, metrics: [...headline, metric("background.fct_us_p99", "p99 FCT, background", "us", 861.25, "lower")] },
    metrics: headline,
    deciding: ["slowdown_p99", "fct_us_p99", "goodput_bps"],
    sizes: sizesOf(1),
    cdfs: [
      cdfOf("FCT, all flows", "FCT", "us", 8, 9000),
      cdfOf("FCT, background", "FCT", "us", 8, 4000),
      cdfOf("FCT, burst", "FCT", "us", 600, 9000),
      cdfOf("slowdown, all flows", "slowdown", "", 1, 60),
    ],
    series,
    windows: [burst],
    phases: [
      phase("before", 0, 2000, 4.2, 610e9),
      phase("during", 2000, 3100, 21.5, 905e9),
      phase("after", 3100, 7000, 5.05, 598e9),
    ],
    knobs: [
      { name: "kmin", unit: "KB", at_us: [0, 2200, 2800, 4000], values: [200, 300, 150, 200] },
      { name: "rpg_time_reset", unit: "us", at_us: [0, 2500], values: [300, 250] },
      { name: "pmax", unit: "", at_us: [0, 1000, 3000], values: [0.2, 0.25, 0.15] },
      { name: "kmax", unit: "KB", at_us: [0], values: [800] },
      { name: "rpg_byte_reset", unit: "blocks", at_us: [0], values: [32767] },
      { name: "dce_tcp_g", unit: "/1024", at_us: [0], values: [1019] },
    ],
    topology: closOf(4, 8, 16, randomFrom(3), 16, 140, 7000),
    traffic: [
      {
        name: "background",
        kind: "poisson",
        rows: [
          { label: "flows", value: 11872, unit: "count" },
          { label: "bytes", value: 1.25e9, unit: "bytes" },
          { label: "load", value: 0.298, unit: "share" },
          { label: "p99 slowdown", value: 4.4, unit: "" },
        ],
      },
      {
        name: "burst",
        kind: "incast",
        rows: [
          { label: "flows", value: 32, unit: "count" },
          { label: "bytes", value: 8192000, unit: "bytes" },
          { label: "p99 FCT", value: 701.5, unit: "us" },
        ],
      },
    ],
    files: ["flows.csv", "intervals.csv", "links.csv", "summary.json"],
  };
}

// Descriptions of names, as the program puts them into every page.
const help = {
  slowdown: "how many times longer a flow takes than alone in the network",
  fct_us: "time from a flow's start to the acknowledgement of its last byte",
  goodput_bps: "payload that arrived in order, over time",
  kmin: "queue above which packets may be marked",
  kmax: "queue above which every packet is marked",
};

export function smallRun() {
  const answer = {
    finding: "Flows take 5.47 times as long as in an empty network.",
    detail: null,
    cost: "No packet was dropped. Longest queue: 2.00 MB.",
    certainty: "One run, seed 1: other seeds differ.",
    network: "128 hosts at 100 Gb/s, idle round trip 8.38 us.",
    traffic: "background: FB_Hadoop sizes, load 30 % of bisection.",
    settings: null,
    next: "get a recommended setting",
    command: "anole advise demo.yaml",
  };
  return { kind: "run", version: "0.2.0", title: "demo.yaml", answer, help, repeat: "anole run demo.yaml --seed 1", runs: [baseRun()] };
}

// ---- a tuner

const tuningColumns = [
  "utility",
  "utility_throughput",
  "utility_rtt",
  "utility_pfc",
  "divergence",
  "elephants",
  "temperature",
];

function tuningOf(count, interval_us) {
  const nulls = () => new Array(count).fill(null);
  return {
    tuner: "paraleon",
    about: "simulated annealing with guided randomness",
    options: [
      { name: "preset", value: "corrected", is_given: false, about: "which constants" },
      { name: "trigger", value: "change", is_given: false, about: "when a search begins" },
      { name: "theta", value: 0.01, is_given: true, about: "divergence of flow sizes that is a change" },
    ],
    phases: ["watch", "search", "confirm", "hold"],
    knobs: [
      { name: "kmin", unit: "KB" },
      { name: "rpg_time_reset", unit: "us" },
      { name: "pmax", unit: "" },
    ],
    totals: { steps: count, searches: 0, accepted: 0, rejected: 0 },
    steps: {
      start_us: Array.from({ length: count }, (_, i) => i * interval_us),
      end_us: Array.from({ length: count }, (_, i) => (i + 1) * interval_us),
      phase: new Array(count).fill(0),
      ...Object.fromEntries(tuningColumns.map((name) => [name, nulls()])),
      verdict: new Array(count).fill(0),
      why: new Array(count).fill("flow sizes are as before"),
      set: Array.from({ length: count }, () => []),
    },
  };
}

// 140 steps of 50 us: watch until a change at 2 ms, search until 5 ms, confirm until 5.3 ms, then hold.
// During the search every third setting is accepted; the step that ends at 4 ms is the best.
export function tunedRun() {
  const page = smallRun();
  const run = page.runs[0];
  const random = randomFrom(5);
  const tuning = tuningOf(140, 50);
  const { steps } = tuning;
  const put = (i, values) => Object.entries(values).forEach(([name, value]) => (steps[name][i] = value));
  for (let i = 0; i < 140; i++) {
    const phase = i < 40 ? 0 : i < 100 ? 1 : i < 106 ? 2 : 3;
    const throughput = 0.75 + 0.2 * random();
    const rtt = 0.3 + 0.2 * random() + (phase >= 2 ? 0.2 : 0);
    put(i, {
      phase,
      utility: 0.2 * throughput + 0.5 * rtt + 0.3,
      utility_throughput: throughput,
      utility_rtt: rtt,
      utility_pfc: 1,
      divergence: i === 0 ? null : i === 39 ? 0.034 : i % 7 === 0 ? 0 : 0.0005 + 0.002 * random(),
      elephants: i < 39 ? 0.12 : 0.31,
    });
    if (phase === 1)
      put(i, {
        temperature: 90 * Math.pow(0.9, i - 40),
        verdict: i % 3 === 0 ? 1 : 2,
        why: i % 3 === 0 ? "better than before: kept" : "worse than before: put back",
        set: [
          [0, 100 + 10 * (i % 30), 100 + 10 * ((i - 1) % 30)],
          [2, 0.05 * (1 + (i % 10)), 0.05 * (1 + ((i - 1) % 10))],
        ],
      });
  }
  put(39, { why: "flow sizes changed (divergence 0.034 > 0.01): search begins at the running setting" });
  put(39, { utility: 0.7051, set: [[0, 390, 400]] });
  put(79, { verdict: 3, why: "the best so far <b>of all</b>", temperature: 1.4784 });
  put(79, { utility: 0.9132, utility_throughput: 0.8973, utility_rtt: 0.4328 });
  put(105, { why: "the best setting is kept: 0.71 against 0.64", set: [[1, 250, 300]] });
  tuning.totals = { steps: 140, searches: 1, accepted: 21, rejected: 39 };
  run.tuning = tuning;
  return page;
}

// The maximum: 2000 steps, each with a verdict and a dozen knobs.
export function longTunedRun() {
  const page = smallRun();
  const run = page.runs[0];
  const random = randomFrom(9);
  const tuning = tuningOf(2000, 3.5);
  tuning.knobs = Array.from({ length: 12 }, (_, k) => ({ name: `some_knob_${k}`, unit: "us" }));
  for (const name of tuningColumns) tuning.steps[name] = tuning.steps[name].map(() => random());
  tuning.steps.phase = tuning.steps.phase.map((_, i) => (i % 100 < 80 ? 1 : 2));
  tuning.steps.verdict = tuning.steps.verdict.map((_, i) => 1 + (i % 3));
  const things = `${"many ".repeat(20)}things`;
  tuning.steps.why = tuning.steps.why.map((_, i) => `step ${i} was judged so because of ${things}`);
  tuning.steps.set = tuning.steps.set.map(() => tuning.knobs.map((_knob, k) => [k, random() * 100, 17.25]));
  tuning.totals = { steps: 9000, searches: 90, accepted: 6000, rejected: 3000 };
  run.tuning = tuning;
  return page;
}

// A tuner that does nothing, and one that had no time.
export function idleTunedRun(count) {
  const page = smallRun();
  page.runs[0].tuning = { ...tuningOf(count, 50), tuner: "fixed", options: [] };
  return page;
}

function variantOf(name, set, factor) {
  const run = baseRun();
  Object.assign(run, { name, set, seeds: ["1", "2", "3", "4", "5"], summary: null, sizes: sizesOf(factor) });
  for (const cdf of run.cdfs) cdf.x = cdf.x.map((x) => x * factor);
  for (const column of run.series.columns)
    column.values = column.values.map((v) => (v === null ? null : v * factor));
  run.traffic[0].name = `background of ${name}`;
  if (factor > 1) run.series.at_us = run.series.at_us.map((at) => at + 25); // differs from the baseline's times
  return run;
}

export function comparison() {
  const names = ["default", "small queues", "hpcc model"];
  const row = (name, mean, half, change, changeHalf, is_significant, is_better) => ({
    name,
    mean,
    low: mean === null ? null : mean - half,
    high: mean === null ? null : mean + half,
    change,
    change_low: change === null ? null : change - changeHalf,
    change_high: change === null ? null : change + changeHalf,
    is_significant,
    is_better,
  });
  let compared_count = 0; // the terminal shows the first ones
  const compared = (name, label, unit, better, ...variants) => ({
    name,
    label,
    unit,
    better,
    is_shown: compared_count++ < 15,
    variants,
  });
  return {
    kind: "compare",
    version: "0.2.0",
    title: "demo.yaml",
    runs: [
      variantOf(names[0], [], 1),
      {
        ...variantOf(names[1], ["kmin=50KB", "kmax=200KB"], 0.8),
        partial: ["In 2 of 5 runs. With seed 3: it is stuck."],
      },
      variantOf(names[2], ["model=hpcc"], 1.3),
    ],
    comparison: {
      baseline: "default",
      seeds: 5,
      confidence: 0.95,
      answer: {
        finding: `Use ${names[1]}: it is better than default in p99 slowdown, and no main figure is clearly worse.`,
        detail: "With it the p99 slowdown is 10.2 instead of 12.5.",
        cost: "No main figure is clearly worse.",
        certainty: "p99 slowdown −18 % (95 % interval −20.5 to −15.5 %), the same direction in 5 of 5 seeds.",
        network: "32 hosts at 100 Gb/s, 8 switches.",
        traffic: "background: FB_Hadoop sizes, load 35 % of bisection.",
        settings: null,
        next: "look for a setting that is better still",
        command: "anole advise demo.yaml --report advice.html",
      },
      deciding: ["slowdown_p99", "goodput_bps"],
      tested: 70,
      false_discovery_rate: 0.05,
      verdicts: [
        { name: "default", text: "default is the baseline." },
        { name: names[1], text: `${names[1]} is better in p99 slowdown -18 %; no figure is clearly worse.` },
        { name: names[2], text: `${names[2]} is worse in p99 slowdown +32 %.` },
      ],
      metrics: [
        compared(
          "slowdown_p99",
          "p99 slowdown",
          "",
          "lower",
          row(names[0], 12.5, 0.4, 0, 0, false, false),
          row(names[1], 10.25, 0.3, -0.18, 0.025, true, true),
          row(names[2], 16.5, 0.9, 0.32, 0.07, true, false),
        ),
        compared(
          "goodput_bps",
          "goodput",
          "bps",
          "higher",
          row(names[0], 812e9, 4e9, 0, 0, false, false),
          row(names[1], 806e9, 5e9, -0.0074, 0.009, false, false),
          row(names[2], 790e9, 6e9, -0.027, 0.008, true, false),
        ),
        compared(
          "pause_share",
          "time paused",
          "share",
          "lower",
          row(names[0], 0.0153, 0.002, 0, 0, false, false),
          row(names[1], 0.0041, 0.001, -0.73, 0.06, true, true),
          row(names[2], 0.041, 0.02, 1.68, 1.1, true, false),
        ),
        compared(
          "marked_share",
          "marked packets",
          "share",
          "neither",
          row(names[0], 0.1, 0.004, 0, 0, false, false),
          row(names[1], 0.14, 0.006, 0.4, 0.07, true, false),
          row(names[2], 0.101, 0.005, 0.01, 0.06, false, false),
        ),
        compared(
          "dropped",
          "dropped packets",
          "count",
          "lower",
          row(names[0], 0, 0, null, 0, false, false),
          row(names[1], 0, 0, null, 0, false, false),
          row(names[2], null, 0, null, 0, false, false),
        ),
        ...Array.from({ length: 30 }, (_, i) =>
          compared(
            `entry${i}.fct_us_p99`,
            `p99 FCT, entry ${i}`,
            "us",
            "lower",
            row(names[0], 100 + i, 5, 0, 0, false, false),
            row(names[1], 99 + i, 5, -0.01, 0.05, false, false),
            row(names[2], 150 + i, 5, 0.4, 0.05, i === 29, false),
          ),
        ),
      ],
    },
  };
}

export function largeRun() {
  const page = smallRun();
  const run = page.runs[0];
  const random = randomFrom(11);
  run.series = seriesOf(1000, 10, { start_us: 2000, stop_us: 3100 }, random);
  run.simulated_us = 10000;
  run.cdfs = ["all flows", "background", "burst", "storage", "training"].flatMap((name, i) => [
    cdfOf(`FCT, ${name}`, "FCT", "us", 8 + i, 9000 * (i + 1), 200),
    cdfOf(`slowdown, ${name}`, "slowdown", "", 1 + i / 10, 60 + i, 200),
  ]);
  run.topology = closOf(32, 64, 16, random, 40, 500, 10000); // 1024 + 2048 links
  run.network = { hosts: 1024, switches: 96, links: 3072, base_rtt_us: 8.4 };
  run.summary = null;
  run.metrics = [
    ...run.metrics,
    ...Array.from({ length: 100 }, (_, i) =>
      metric(`entry${i}.fct_us_p99`, `p99 FCT, entry ${i}`, "us", 10 + i, "lower"),
    ),
  ];
  run.knobs = Array.from({ length: 12 }, (_, k) => ({
    name: `knob_${k}`,
    unit: k % 2 ? "KB" : "us",
    at_us: Array.from({ length: 200 }, (_, i) => i * 50),
    values: Array.from({ length: 200 }, () => Math.round(random() * 500)),
  }));
  return page;
}

export function emptyRun() {
  return {
    kind: "run",
    version: "0.2.0",
    title: "nothing.yaml",
    runs: [
      {
        name: "",
        scenario: "",
        set: [],
        seeds: ["1"],
        model: "nic",
        cc: "none",
        lb: "ecmp",
        simulated_us: 0,
        network: { hosts: 0, switches: 0, links: 0, base_rtt_us: 0 },
        summary: null,
        metrics: headline.map((one) => ({ ...one, value: null })),
        sizes: [],
        cdfs: [],
        series: null,
        windows: [],
        phases: [],
        knobs: [],
        topology: null,
        traffic: [],
        files: [],
      },
    ],
  };
}

// A link fails at 1 ms. Packets are lost and retransmitted; there are no pauses and no timeouts.
export function brokenRun() {
  const run = baseRun();
  const { columns, at_us } = run.series;
  const zeros = at_us.map(() => 0);
  columns.push({ name: "paused_share", label: "share of time", group: "pause", unit: "share", values: zeros });
  const loss = (name, label, values) => columns.push({ name, label, group: "loss", unit: "count", values });
  loss(
    "dropped_packets",
    "packets dropped",
    at_us.map((at) => (at === 1000 ? 7 : 0)),
  );
  loss(
    "nacks",
    "NACKs",
    at_us.map((at) => (at === 1050 ? 3 : 0)),
  );
  loss("timeouts", "time-outs", zeros);
  run.outages = [{ a: "tor1", b: "spine2", start_us: 1000, stop_us: 2750 }];
  run.topology.links.at(-1).down = 0.987;
  return { kind: "run", version: "0.2.0", title: "link_failure.yaml", runs: [run] };
}

// All fields are present without values: a run without finished flows and with one interval.
export function nullRun() {
  const page = emptyRun();
  Object.assign(page.runs[0], {
    cdfs: [
      { label: "FCT, all flows", quantity: "FCT", unit: "us", x: [], p: [] },
      { label: "slowdown, all flows", quantity: "slowdown", unit: "", x: [1], p: [1] },
    ],
    series: {
      at_us: [100],
      interval_us: 100,
      columns: columnKinds.map(([name, label, group, unit], i) => ({
        name,
        label,
        group,
        unit,
        values: [i % 2 ? null : 0],
      })),
    },
    topology: {
      nodes: [
        { name: "a", kind: "host", tier: 0 },
        { name: "b", kind: "host", tier: 0 },
      ],
      links: [{ a: 0, b: 1, rate_bps: 1e11, ab: 0, ba: 0, ab_max: 0, ba_max: 0, ab_paused: 0, ba_paused: 0 }],
      heat: null,
    },
    traffic: [{ name: "flows", kind: "flows", rows: [{ label: "flows", value: null, unit: "count" }] }],
    knobs: [{ name: "kmin", unit: "KB", at_us: [0], values: [400] }],
  });
  return page;
}

// A comparison with the settings from which its variants were chosen: 60 of four keys, one of them a text.
// Metric 0 is the product of the keys' effects, so the best is known. Metrics 0 and 1 are in conflict.
export function sweepPage() {
  const page = comparison();
  const points = Array.from({ length: 60 }, (_, i) => {
    const [kmin, pmax, rate, lb] = [50 * 2 ** (i % 6), 0.01 * (1 + (i % 7)), 5 * (1 + (i % 9)), i % 2 ? "spray" : "ecmp"];
    const slow = 2 + 100 / kmin + pmax * 10 + rate / 50;
    return { name: `kmin=${kmin}KB pmax=${pmax} rpg_ai_rate=${rate} lb=${lb}`, values: [kmin, pmax, rate, lb], figures: [slow, 9e10 - 1e9 * kmin + 1e8 * rate, 3] };
  }).sort((a, b) => a.figures[0] - b.figures[0]);
  page.sweep = {
    best: "slowdown_p99",
    settings: 60,
    seeds: 3,
    keys: [
      { name: "kmin", unit: "kb", is_number: true },
      { name: "pmax", unit: "", is_number: true },
      { name: "rpg_ai_rate", unit: "mbps", is_number: true },
      { name: "lb", unit: "", is_number: false },
    ],
    figures: [
      { name: "slowdown_p99", label: "p99 slowdown", unit: "", better: "lower" },
      { name: "goodput_bps", label: "goodput", unit: "bps", better: "higher" },
      { name: "flows", label: "flows", unit: "count", better: "neither" },
    ],
    points,
    own: { name: "as in the scenario", values: [400, 0.2, 5, null], figures: [points[3].figures[0] + 1e-6, 8.5e10, 3] },
    advised: points[0].name,
  };
  return page;
}

// The page of a search, with or without a check.
export function tunePage(isChecked = true) {
  const page = { ...comparison(), kind: "tune" };
  const { tuning } = tunedRun().runs[0];
  page.answer = { ...page.comparison.answer, finding: isChecked ? "Use the setting found: it is better in p99 slowdown." : "It was not checked on other seeds." };
  page.help = help;
  if (!isChecked) Object.assign(page, { runs: [], comparison: undefined });
  page.search = {
    is_kept: true,
    is_over: isChecked,
    rounds: 3,
    seeds: "seeds 1 to 3",
    changes: [{ name: "kmin", from: "400KB", to: "36KB", change: "-91%" }],
    tuning,
  };
  return page;
}
