// Number formats: three significant digits in a readable unit.
import type { Num } from "./data";

export const NONE = "–";

export interface Scale {
  factor: number; // the displayed number is value / factor
  suffix: string;
}

// From small to large. A value uses the largest scale in which it is at least 1.
const scales: Record<string, Scale[]> = {
  us: [
    { factor: 1e-3, suffix: "ns" },
    { factor: 1, suffix: "µs" },
    { factor: 1e3, suffix: "ms" },
    { factor: 1e6, suffix: "s" },
  ],
  bytes: [
    { factor: 1, suffix: "B" },
    { factor: 1e3, suffix: "KB" },
    { factor: 1e6, suffix: "MB" },
    { factor: 1e9, suffix: "GB" },
    { factor: 1e12, suffix: "TB" },
  ],
  bps: [
    { factor: 1, suffix: "b/s" },
    { factor: 1e3, suffix: "Kb/s" },
    { factor: 1e6, suffix: "Mb/s" },
    { factor: 1e9, suffix: "Gb/s" },
    { factor: 1e12, suffix: "Tb/s" },
  ],
  per_s: [
    { factor: 1, suffix: "/s" },
    { factor: 1e3, suffix: "K/s" },
    { factor: 1e6, suffix: "M/s" },
    { factor: 1e9, suffix: "G/s" },
  ],
  share: [{ factor: 0.01, suffix: "%" }],
  count: [{ factor: 1, suffix: "" }],
  "": [{ factor: 1, suffix: "" }],
};

const spelled: Record<string, string> = { us: "µs", Mbps: "Mb/s", mbps: "Mb/s", kb: "KB" };

// Returns the best scale for 'value'. 0 uses the natural one.
export function scaleFor(unit: string, value: Num): Scale {
  const list = scales[unit];
  if (!list) return { factor: 1, suffix: spelled[unit] ?? unit };
  const rounded = Math.abs(Number((value ?? 0).toPrecision(3)));
  const natural = list.find((scale) => scale.factor >= 1) ?? list[0]!;
  if (rounded === 0) return natural;
  return list.filter((scale) => rounded >= scale.factor).at(-1) ?? list[0]!;
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

// Three significant digits; large numbers keep all their whole digits, grouped.
export function digits(x: number): string {
  const size = Math.abs(Number(x.toPrecision(3)));
  if (size === 0) return "0";
  if (size >= 1000) return grouped.format(x);
  if (size < 1e-3) return x.toExponential(1);
  return x.toPrecision(3);
}

// Joins with a non-breaking space, or without one for suffixes close to the number.
function join(number: string, suffix: string): string {
  return suffix === "" ? number : suffix.startsWith("/") ? number + suffix : `${number}\u00a0${suffix}`;
}

export function format(value: Num, unit: string): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  if (unit === "count" && Number.isInteger(value)) return grouped.format(value);
  if (unit === "bytes" && Number.isInteger(value) && Math.abs(value) < 1000) return join(String(value), "B");
  // Bits per second as nccl-tests print them.
  if (unit === "bus") return `${join(digits(value / 8e9), "GB/s")} (${format(value, "bps")})`;
  if (!(unit in scales)) return formatSetting(value, unit);
  const scale = scaleFor(unit, value);
  return join(digits(value / scale.factor), scale.suffix);
}

// Converts terminal text ("383 us", "-51.9 %") for a page: non-breaking spaces, the letter µ and a real
// minus. Settings ("kmin=50KB") stay as typed.
export function typeset(text: string): string {
  return text.replace(/->/g, "→").replace(/>= ?(?=\d)/g, "≥\u00a0").replace(/(?<![\w.=/+-])([-+]?)(\d+(?:\.\d+)?)(?: ?(ns|us|ms|s|[KMGT]?b(?:ps|\/s)|[KMGT]?B(?:\/s)?|%))?(?![\w/.]*\w)/g, (_all, sign: string, number: string, unit?: string) => {
    const short = number.includes(".") && number.replace(/^0?\./, "").length > 4 ? Number(Number(number).toPrecision(3)) : null;
    const shown = short === null ? number : short >= 100 ? String(short) : Number(number).toPrecision(3);
    const spelt = (unit ?? "").replace("us", "µs").replace("bps", "b/s");
    return `${sign === "-" ? "−" : sign}${shown}${spelt ? `\u00a0${spelt}` : ""}`;
  });
}

// Live values that a device does not report: a word, because a dash could be read as zero.
export function known(value: Num, unit: string): string {
  return value === null || !Number.isFinite(value) ? "unknown" : format(value, unit);
}

// All significant digits, without artifacts of binary fractions; grouped if there are many.
export function plain(value: Num): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const short = Number(value.toPrecision(12));
  return Math.abs(short) >= 10000 && Number.isInteger(short) ? grouped.format(short) : String(short);
}

// Settings in their own unit, with all their digits.
export function formatSetting(value: Num, unit: string): string {
  return value === null ? NONE : join(plain(value), spelled[unit] ?? unit);
}

// A mark on an axis, with as few digits as possible.
export function tick(value: number, scale: Scale): string {
  const shown = Number((value / scale.factor).toPrecision(6));
  return Math.abs(shown) >= 10000 ? grouped.format(shown) : String(shown);
}

// A mark on a logarithmic axis has its own scale: "10 KB", "1 MB".
export function tickWithUnit(value: number, unit: string): string {
  const scale = scaleFor(unit, value);
  return join(tick(value, scale), scale.suffix);
}

export function formatChange(share: Num): string {
  if (share === null || !Number.isFinite(share)) return NONE;
  const percent = share * 100;
  if (Math.abs(percent) < 0.005) return "0\u00a0%";
  const sign = percent > 0 ? "+" : "−";
  return `${sign}${digits(Math.abs(percent))}\u00a0%`;
}

// "1–10 KB", "< 1 KB", "≥ 1 MB"
export function formatSizes(bytesMin: number, bytesEnd: Num): string {
  if (bytesEnd === null) return `≥ ${tickWithUnit(bytesMin, "bytes")}`;
  if (bytesMin <= 1) return `< ${tickWithUnit(bytesEnd, "bytes")}`;
  const from = scaleFor("bytes", bytesMin);
  const to = scaleFor("bytes", bytesEnd);
  const start = from.suffix === to.suffix ? tick(bytesMin, from) : tickWithUnit(bytesMin, "bytes");
  return `${start}–${tickWithUnit(bytesEnd, "bytes")}`;
}

export function countOf(n: number, one: string, many = `${one}s`): string {
  return `${grouped.format(n)} ${n === 1 ? one : many}`;
}
