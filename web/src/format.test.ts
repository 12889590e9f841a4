/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import {
  digits,
  format,
  formatChange,
  formatSetting,
  formatSizes,
  plain,
  scaleFor,
  tickWithUnit,
  typeset,
} from "./format";
import figures from "../../tests/data/figures.csv?raw";

const nbsp = (text: string) => text.replaceAll(" ", "\u00a0");

describe("format", () => {
  // The terminal writes the same: src/base/text_test.c reads this file, too.
  const rows = figures.trim().split("\n").slice(1);
  test.each(rows.map((row) => /^(.*),(.*),"(.*)"$/.exec(row)!.slice(1) as [string, string, string]))("%s %s is %s", (value, unit, want) => {
    expect(format(Number(value), unit)).toBe(nbsp(want.replace(" us", " µs")).replace("\u00a0(", " ("));
  });
  test("a unit without scales follows its number", () => expect(format(7, "widgets")).toBe(nbsp("7 widgets")));

  test("what does not exist is a dash", () => {
    expect(format(null, "us")).toBe("–");
    expect(format(Number.NaN, "us")).toBe("–");
  });
});

test("rates below a thousand stand close to their unit", () => expect(format(12, "per_s")).toBe("12.0/s"));

test("digits: three that count, and all whole ones", () => {
  expect([0, 0.001234, 0.5, 12.34, 999.4, 123456].map(digits)).toEqual([
    "0",
    "0.00123",
    "0.500",
    "12.3",
    "999",
    "123,456",
  ]);
  expect(digits(0.00001234)).toBe("1.2e-5");
});

test("scaleFor takes the largest scale that is filled", () => {
  expect(scaleFor("bytes", 999).suffix).toBe("B");
  expect(scaleFor("bytes", 1000).suffix).toBe("KB");
  expect(scaleFor("us", 0).suffix).toBe("µs");
  expect(scaleFor("us", null).suffix).toBe("µs");
});

test("settings keep their unit and digits", () => {
  expect(formatSetting(131071, "us")).toBe(nbsp("131,071 µs"));
  expect(formatSetting(0.15, "")).toBe("0.15");
  expect(formatSetting(1019, "/1024")).toBe("1019/1024");
  expect(formatSetting(5, "Mbps")).toBe(nbsp("5 Mb/s"));
});

test("plain leaves out what comes from the binary fraction", () => {
  expect(plain(0.1 + 0.2)).toBe("0.3");
  expect(plain(null)).toBe("–");
});

test("changes carry their sign", () => {
  expect(formatChange(-0.18)).toBe(nbsp("−18.0 %"));
  expect(formatChange(1.68)).toBe(nbsp("+168 %"));
  expect(formatChange(0.00001)).toBe(nbsp("0 %"));
  expect(formatChange(null)).toBe("–");
});

test("buckets of sizes", () => {
  expect(formatSizes(0, 10000)).toBe("< 10\u00a0KB");
  expect(formatSizes(1000, 2000)).toBe(nbsp("1–2 KB"));
  expect(formatSizes(300e3, 1e6)).toBe(nbsp("300 KB–1 MB"));
  expect(formatSizes(1e6, null)).toBe("≥ 1\u00a0MB");
});

test("marks of logarithmic axes take their own scale", () => {
  expect([1, 10e3, 2e6].map((x) => tickWithUnit(x, "bytes"))).toEqual(["1 B", "10 KB", "2 MB"].map(nbsp));
});

test("bandwidths of collectives as nccl-tests print them, with bits in brackets", () => {
  expect(format(23.5e9, "bus")).toBe("2.94\u00a0GB/s (23.5\u00a0Gb/s)");
  expect(format(null, "bus")).toBe("–");
});

test("words of a terminal get the units, digits and signs of the page", () => {
  expect(typeset("Goodput 919 Gb/s, mean round trip 62.0 us (idle 8.38 us).")).toBe("Goodput 919\u00a0Gb/s, mean round trip 62.0\u00a0µs (idle 8.38\u00a0µs).");
  expect(typeset("p99 FCT +74 % (95 % interval +35.1 to +111 %)")).toBe("p99 FCT +74\u00a0% (95\u00a0% interval +35.1 to +111\u00a0%)");
  expect(typeset("-58.2 to -48.2 %")).toBe("−58.2 to −48.2\u00a0%");
  expect(typeset("10.04 instead of 5.14; 1.999MB, 383.1us")).toBe("10.0 instead of 5.14; 2.00\u00a0MB, 383\u00a0µs");
  expect(typeset("flows >=1MB, flows <120KB")).toBe("flows ≥\u00a01\u00a0MB, flows <120\u00a0KB");
  expect(typeset("341 GB/s bus bandwidth, from 3 ms to 6 ms; 5 seeds")).toBe("341\u00a0GB/s bus bandwidth, from 3\u00a0ms to 6\u00a0ms; 5 seeds");
  expect(typeset("link h1 -> leaf1")).toBe("link h1 → leaf1");
  expect(typeset("50000Mbps")).toBe("50000\u00a0Mb/s");
  // What people type, and names, stay.
  for (const text of ["Use kmin=50KB kmax=400KB: it", "1019/1024", "run scenarios/a-1.5.yaml", "FB_Hadoop, tor3 2 : 1", "seeds 21 to 25"]) expect(typeset(text)).toBe(text);
});
