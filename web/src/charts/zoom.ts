// Charts with a shared range of the x axis. Zooming one zooms all.

type Range = [number, number];

export interface Zoomable {
  applyRange(): void;
  isConnected(): boolean;
}

let groups = 0;

export class ZoomGroup {
  readonly key = `zoom-${++groups}`;
  private zoom: Range | null = null;
  private members: Zoomable[] = [];

  constructor(
    private whole: Range,
    readonly isLog = false,
  ) {}

  add(member: Zoomable): void {
    this.members.push(member);
  }

  get full(): Range {
    return this.whole;
  }

  // More data is available. The zoomed range stays.
  grow(full: Range): void {
    this.whole = full;
  }

  get range(): Range {
    return this.zoom ?? this.whole;
  }

  get isZoomed(): boolean {
    return this.zoom !== null;
  }

  // null: all of it.
  set(zoom: Range | null): void {
    if (zoom && !(zoom[1] > zoom[0])) return;
    this.zoom = zoom;
    this.members = this.members.filter((member) => member.isConnected());
    for (const member of this.members) member.applyRange();
  }
}
