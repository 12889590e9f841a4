import { expect, test } from "vitest";
import { outageBands } from "./shades";

test("outages that overlap become one shade, single ones have their name", () => {
  const outage = (a: string, start_us: number, stop_us: number) => ({ a, b: "spine0", start_us, stop_us });
  expect(outageBands([outage("tor3", 90, 95), outage("tor0", 10, 30), outage("tor1", 20, 40)])).toEqual([
    { name: "2 links down", start_us: 10, stop_us: 40, colour: "outage" },
    { name: "tor3–spine0 down", start_us: 90, stop_us: 95, colour: "outage" },
  ]);
});
