// Server-sent events over fetch(), which can send a token; EventSource cannot. It resumes after a loss.
import { ask } from "./access";

const RETRY_MS = 2000;

export interface ServerEvent {
  kind: string;
  data: string;
  id: string;
}

// Text arrives in arbitrary pieces; an event ends with an empty line.
export class Events {
  private rest = "";

  take(piece: string): ServerEvent[] {
    this.rest += piece.replaceAll("\r", "");
    const blocks = this.rest.split("\n\n");
    this.rest = blocks.pop()!;
    return blocks.map(eventOf).filter((event) => event.data !== "");
  }
}

function eventOf(block: string): ServerEvent {
  const event: ServerEvent = { kind: "message", data: "", id: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.startsWith("event:")) event.kind = value;
    else if (line.startsWith("id:")) event.id = value;
    else if (line.startsWith("data:")) event.data += (event.data ? "\n" : "") + value;
  }
  return event;
}

export class Stream {
  private last = "";

  constructor(
    private readonly path: string,
    private readonly heard: (event: ServerEvent) => void,
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
      for (const event of events.take(piece.value)) {
        if (event.id) this.last = event.id;
        this.heard(event);
      }
    return reply.status;
  }
}
