import type { Disposer } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { batch, effect } from '@preact/signals';
import { cameraCodec, type Camera } from './drawing/camera';
import { opened, type Records } from './records';

export const TRACES = ['near', 'ancestors', 'descendants', 'both'] as const;
export type Trace = (typeof TRACES)[number];

/** What of a graph is opened, chosen and seen. */
interface Look {
  readonly expanded: readonly string[] | null;
  readonly selected: string | null;
  readonly camera: Camera | null;
}
const UNTOUCHED: Look = { expanded: null, selected: null, camera: null };
const SETTLE = 300; // ms without a move before the URL says where the camera is

/** What of the graph in front is opened, chosen and seen; each graph keeps its own. */
export class Looks {
  readonly expanded: Setting<readonly string[] | null>;
  readonly selected: Setting<string | null>;
  readonly camera: Setting<Camera | null>;
  /** Which paths from the chosen node stand out. */
  readonly trace: Setting<Trace>;

  constructor(
    private readonly page: Page,
    private readonly records: Records,
  ) {
    this.expanded = page.setting('open', opened);
    this.selected = page.setting('node', codecs.name);
    this.camera = page.setting('view', cameraCodec, SETTLE);
    this.trace = page.setting('trace', codecs.choice<Trace>(TRACES, 'near'));
    page.until(this.followSubject());
  }

  select(id: string | null): void {
    this.selected.set(id);
    if (id === null) this.trace.set('near');
  }

  /** Each graph keeps what was opened, chosen and looked at in it; an address that says both has the last word. */
  private followSubject(): Disposer {
    const looks = new Map<string, Look>();
    let last: string | null = null;
    let before = '';
    let isWaiting = false;
    const settle = (): void => {
      isWaiting = false;
      const subject = this.records.subject.peek();
      if (subject === null || this.page.ctx.signal.aborted) return;
      const look: Look = { expanded: this.expanded.peek(), selected: this.selected.peek(), camera: this.camera.peek() };
      const now = JSON.stringify(look);
      if (last !== null && subject !== last && now === before) this.look(looks.get(subject) ?? UNTOUCHED);
      else {
        looks.set(subject, look);
        if (now !== JSON.stringify(UNTOUCHED)) this.records.keep();
        before = now;
      }
      last = subject;
    };
    return effect(() => {
      for (const part of [this.records.subject, this.expanded, this.selected, this.camera]) void part.value;
      if (!isWaiting) queueMicrotask(settle); // an address changes one key after the other
      isWaiting = true;
    });
  }

  private look({ expanded, selected, camera }: Look): void {
    batch(() => {
      this.expanded.set(expanded);
      this.select(selected);
      this.camera.set(camera);
    });
  }
}
