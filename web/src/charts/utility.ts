// Utility over time: the value of each step and the verdict on its setting, above the phases of the tuner.
import uPlot from "uplot";
import type { Tuning } from "../data";
import { phaseBands, writeUtility } from "../tuning";
import { colour } from "../theme";
import { LineChart, type Band, type Curve } from "./chart";
import type { ZoomGroup } from "./zoom";

const KNOWN_PHASES = ["watch", "search", "confirm", "hold"];

export function phaseColour(name: string): string {
  return KNOWN_PHASES.includes(name) ? `phase-${name}` : "shade";
}

function bandsOf(tuning: Tuning): Band[] {
  return phaseBands(tuning).map((band) => ({ ...band, colour: phaseColour(band.name) }));
}

function curvesOf({ steps }: Tuning): Curve[] {
  const thin = { width: 0.75 };
  return [
    { label: "utility", values: steps.utility, width: 2 },
    { label: "throughput", values: steps.utility_throughput, hue: 2, ...thin },
    { label: "RTT", values: steps.utility_rtt, hue: 3, ...thin },
    { label: "PFC", values: steps.utility_pfc, hue: 6, ...thin },
  ];
}

export interface StepListener {
  point(i: number | null): void; // the cursor is on a step; null: on none
  pick(i: number, isKey: boolean): void; // clicked, or selected with a key
}

export class UtilityChart extends LineChart {
  constructor(
    private readonly tuning: Tuning,
    private readonly listener: StepListener,
    group: ZoomGroup,
  ) {
    super({
      title: "Utility and its terms",
      isWide: true,
      height: 250,
      group,
      windows: bandsOf(tuning),
      x: { label: "time", unit: "us", values: tuning.steps.end_us },
      y: { unit: "", max: 1.12, write: writeUtility },
      curves: curvesOf(tuning),
    });
    this.place.addEventListener("click", () => this.pick(false));
  }

  // Moves the cursor of all charts over time there.
  show(i: number): void {
    const at = this.tuning.steps.end_us[i]!;
    const [from, to] = this.group.range;
    if (at < from || at > to) this.group.set(null);
    if (this.u) this.putCursor(this.u.valToPos(at, "x"), this.cursorTop());
  }

  private pick(isKey: boolean): void {
    const i = this.u?.cursor.idx ?? null;
    if (i !== null) this.listener.pick(i, isKey);
  }

  protected override onKey(event: KeyboardEvent): void {
    if (event.key !== "Enter") return super.onKey(event);
    event.preventDefault();
    this.pick(true);
  }

  protected override showValues(i: number | null): void {
    super.showValues(i);
    this.listener.point(i);
  }

  protected override options(width: number, height: number): uPlot.Options {
    const made = super.options(width, height);
    made.hooks!.draw = [...(made.hooks!.draw ?? []), (u) => this.paintMarks(u)];
    return made;
  }

  // More important marks are drawn last, above the others. They are hidden with the curve.
  private paintMarks(u: uPlot): void {
    const { steps } = this.tuning;
    if (!u.series[1]!.show) return;
    const { ctx, bbox } = u;
    const shown = u.scales["x"]!;
    const share = (shown.max! - shown.min!) / (this.group.full[1] - this.group.full[0]);
    const room = bbox.width / uPlot.pxRatio / Math.max(1, steps.end_us.length * share);
    const size = Math.min(Math.max(room * 0.45, 2), 4.5) * uPlot.pxRatio;
    ctx.save();
    for (const verdict of [2, 1, 3])
      steps.end_us.forEach((at, i) => {
        const utility = steps.utility[i] ?? null;
        if (steps.verdict[i] !== verdict || utility === null || at < shown.min! || at > shown.max!) return;
        paintMark(ctx, verdict, u.valToPos(at, "x", true), u.valToPos(utility, "y", true), size);
      });
    ctx.restore();
  }
}

export const markColours = ["", "better", "worse", "best"];

// A dot, a cross or a diamond, which can be distinguished without color.
function paintMark(ctx: CanvasRenderingContext2D, verdict: number, x: number, y: number, size: number): void {
  ctx.lineWidth = 1.3 * uPlot.pxRatio;
  ctx.strokeStyle = ctx.fillStyle = colour(markColours[verdict]!);
  ctx.beginPath();
  if (verdict === 1) ctx.arc(x, y, size * 0.8, 0, 2 * Math.PI);
  else if (verdict === 2) {
    for (const slope of [1, -1]) {
      ctx.moveTo(x - size * 0.8, y - slope * size * 0.8);
      ctx.lineTo(x + size * 0.8, y + slope * size * 0.8);
    }
    return ctx.stroke();
  } else {
    const reach = Math.max(size * 1.5, 4 * uPlot.pxRatio);
    ctx.moveTo(x, y - reach);
    ctx.lineTo(x + reach, y);
    ctx.lineTo(x, y + reach);
    ctx.lineTo(x - reach, y);
    ctx.closePath();
    ctx.strokeStyle = colour("panel");
  }
  ctx.fill();
  if (verdict === 3) ctx.stroke();
}
