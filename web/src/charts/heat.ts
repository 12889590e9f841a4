// Utilization over time: one row per direction of a link, one column per period.
import uPlot from "uplot";
import type { Heat } from "../data";
import { format } from "../format";
import { heatColour } from "../theme";
import { LineChart, type ChartSpec } from "./chart";
import { scaleLegend } from "./network";
import type { ZoomGroup } from "./zoom";

const ROW_MAX = 15;
const ALL_ROWS = 600; // total height of many rows

export function heatChart(heat: Heat, group: ZoomGroup): HTMLElement {
  const made = new HeatChart(heat, group);
  made.figure.append(scaleLegend());
  return made.figure;
}

class HeatChart extends LineChart {
  private readonly rowHeight: number;
  private row = 0; // selected with the keyboard

  constructor(
    private readonly heat: Heat,
    group: ZoomGroup,
  ) {
    const rowHeight = Math.min(ROW_MAX, Math.max(4, Math.floor(ALL_ROWS / heat.rows.length)));
    const spec: ChartSpec = {
      title: "Busiest links over time",
      group,
      isWide: true,
      height: heat.rows.length * rowHeight + 46,
      x: { label: "time", unit: "us", values: heat.at_us },
      y: { unit: "share" },
      curves: heat.rows.map((row) => ({ label: arrow(row.label), values: row.values })),
      paint: (u) => this.paintCells(u),
    };
    super(spec);
    this.rowHeight = rowHeight;
    this.figure.classList.add("heat");
  }

  protected override options(width: number, height: number): uPlot.Options {
    const made = super.options(width, height);
    const longest = Math.max(...this.spec.curves.map((curve) => curve.label.length));
    const count = this.spec.curves.length;
    const every = Math.ceil(11 / this.rowHeight);
    made.scales!.y = { range: () => [0, count] };
    made.series.forEach((series, i) => {
      if (i > 0) {
        series.paths = () => null;
        series.points = { show: false };
      }
    });
    made.cursor = { ...made.cursor, points: { show: false }, y: true };
    made.axes![0]!.grid = { show: false };
    made.axes![1] = {
      ...made.axes![1],
      size: Math.min(220, 14 + longest * 6),
      grid: { show: false },
      splits: () => this.spec.curves.map((_curve, i) => count - i - 0.5).filter((_y, i) => i % every === 0),
      values: (_u, splits) => splits.map((y) => this.spec.curves[this.rowAt(y)]?.label ?? ""),
    };
    return made;
  }

  // The first row is the uppermost.
  private rowAt(y: number): number {
    const count = this.heat.rows.length;
    return Math.min(Math.max(count - 1 - Math.floor(y), 0), count - 1);
  }

  private paintCells(u: uPlot): void {
    const { ctx, bbox } = u;
    const { at_us, rows } = this.heat;
    const height = bbox.height / rows.length;
    const edges = [this.startOf(0), ...at_us].map((at) => u.valToPos(at, "x", true));
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    rows.forEach((row, r) =>
      row.values.forEach((value, i) => {
        const left = edges[i]!;
        const right = edges[i + 1]!;
        if (right < bbox.left || left > bbox.left + bbox.width) return;
        ctx.fillStyle = heatColour(value);
        // Half a pixel more, otherwise a fine grid of background appears between cells.
        ctx.fillRect(left, bbox.top + r * height, right - left + 0.5, height - 1);
      }),
    );
    ctx.restore();
  }

  private startOf(i: number): number {
    const { at_us } = this.heat;
    if (i > 0) return at_us[i - 1]!;
    return Math.max(0, at_us.length > 1 ? 2 * at_us[0]! - at_us[1]! : 0);
  }

  // A cell ends at its time, so the cell under the mouse is the next one to end.
  protected override showValues(_i: number | null): void {
    const { u } = this;
    if (!u || u.cursor.left === undefined || u.cursor.left < 0) return this.legend.clear();
    const x = u.posToVal(u.cursor.left, "x");
    const i = this.heat.at_us.findIndex((at) => at >= x - 1e-9);
    if (i < 0) return this.legend.clear();
    if (u.cursor.event) this.row = this.rowAt(u.posToVal(u.cursor.top ?? 0, "y"));
    this.legend.show(this.textAt(i), []);
  }

  protected override textAt(i: number): string {
    const row = this.heat.rows[this.row]!;
    return (
      `${arrow(row.label)}, ${format(this.startOf(i), "us")} – ${format(this.heat.at_us[i]!, "us")}: ` +
      format(row.values[i] ?? null, "share")
    );
  }

  protected override cursorTop(): number {
    return this.u!.valToPos(this.heat.rows.length - this.row - 0.5, "y");
  }

  protected override onKey(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      this.row = Math.min(Math.max(this.row + step, 0), this.heat.rows.length - 1);
      this.moveTo(this.u?.cursor.idx ?? this.firstShown());
      return;
    }
    super.onKey(event);
  }
}

function arrow(label: string): string {
  return label.replace(" > ", " → ");
}
