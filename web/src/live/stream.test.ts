import { expect, test } from "vitest";
import { Events } from "./stream";

const text = ': hello\n\nevent: state\ndata: {"a":1}\n\nevent: audit\nid: 7\ndata: one\ndata: two\n\ndata:x\n\n';
const all = [
  { kind: "state", data: '{"a":1}', id: "" },
  { kind: "audit", data: "one\ntwo", id: "7" },
  { kind: "message", data: "x", id: "" },
];

test("events are the same wherever the text is cut", () => {
  for (let cut = 0; cut <= text.length; cut++) {
    const events = new Events();
    expect([...events.take(text.slice(0, cut)), ...events.take(text.slice(cut))]).toEqual(all);
  }
});

test("an event that has not ended is not delivered", () => {
  const events = new Events();
  expect(events.take("event: state\ndata: 1\n")).toEqual([]);
  expect(events.take("\n")).toEqual([{ kind: "state", data: "1", id: "" }]);
});

test("lines may end as in other systems", () => {
  expect(new Events().take("data: 1\r\n\r\n")).toEqual([{ kind: "message", data: "1", id: "" }]);
});
