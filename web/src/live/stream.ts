// Server-sent events over fetch(), which can send a token; EventSource cannot. It resumes after a loss.
import { ask } from "./access";

const RETRY_MS = 2000;

export interface Told {
  kind: string;
  data: string;
  id: string;
}

// Text arrives in arbitrary pieces; an event ends with an empty line.
export class Events {
  private rest = "";

  take(piece: string): Told[] {
    this.rest += piece.replaceAll("\r", "");
    const blocks = this.rest.split("\n\n");
    this.rest = blocks.pop()!;
    return blocks.map(eventOf).filter((told) => told.data !== "");
  }
}

function eventOf(block: string): Told {
  const told: Told = { kind: "message", data: "", id: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.startsWith("event:")) told.kind = value;
    else if (line.startsWith("id:")) told.id = value;
    else if (line.startsWith("data:")) told.data += (told.data ? "\n" : "") + value;
  }
  return told;
}

export class Stream {
  private last = "";

  constructor(
    private readonly path: string,
    private readonly heard: (told: Told) => void,
    private readonly lost: (status: number | null) => void,
  ) {}

  async follow(): Promise<never> {
    for (;;) {
      this.lost(await this.once().catch(() => null));
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  // Runs until the stream ends; returns its status.
  private async once(): Promise<number> {
    const reply = await ask(this.path, this.last ? { headers: { "Last-Event-ID": this.last } } : {});
    if (!reply.ok || !reply.body) return reply.status;
    const events = new Events();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      for (const told of events.take(piece.value)) {
        if (told.id) this.last = told.id;
        this.heard(told);
      }
    return reply.status;
  }
}
