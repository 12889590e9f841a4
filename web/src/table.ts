// Tables: numbers are aligned right, words left.
import { h, scrollBox } from "./dom";

export interface TableColumn {
  head: string;
  isNumber?: boolean;
}

export type Cell = string | Node;

// 'kind' is a class of the table. "stack": on a phone a row is a block, and each cell has its header in
// front.
export function table(columns: TableColumn[], rows: Cell[][], caption?: string, kind?: string): HTMLElement {
  const classOf = (i: number) => (columns[i]?.isNumber ? "number" : null);
  const head = h(
    "tr",
    {},
    // An empty header is not a header cell.
    ...columns.map((column, i) => (column.head ? h("th", { scope: "col", class: classOf(i) }, column.head) : h("td"))),
  );
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, i) =>
        i === 0
          ? h("th", { scope: "row", class: classOf(i) }, cell)
          : h("td", { class: classOf(i), "data-head": columns[i]?.head }, cell),
      ),
    ),
  );
  return scrollBox(
    h(
      "table",
      { class: kind },
      caption && h("caption", { class: "unseen" }, caption),
      h("thead", {}, head),
      h("tbody", {}, ...body),
    ),
  );
}
