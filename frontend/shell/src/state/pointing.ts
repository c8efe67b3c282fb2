/** What the user points at in all tabs: a step or time, and runs. */
import { batch, computed, signal } from '@preact/signals';
import type { Codec, CursorAt, CursorPlace } from '@insight-host/api';
import type { ViewUrl } from './url';

const NUMBER = /^(t?)(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** `120` is a step, `t1700000000.5` a wall time, `120;t1700000000.5` both. */
export const placeCodec: Codec<CursorPlace | null> = {
  parse(text) {
    const found: { step?: number; wallTime?: number } = {};
    for (const part of text?.split(';') ?? []) {
      const [, time, number] = NUMBER.exec(part) ?? [];
      if (number !== undefined) found[time ? 'wallTime' : 'step'] = Number(number);
    }
    return found.step === undefined && found.wallTime === undefined ? null : found;
  },
  format(place) {
    const { step, wallTime } = place ?? {};
    const parts = [...(isNumber(step) ? [String(step)] : []), ...(isNumber(wallTime) ? [`t${wallTime}`] : [])];
    return parts.join(';') || null;
  },
};

const isNumber = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);

/** The step or time that all tabs share. */
export class Cursor {
  private readonly pointed = signal<CursorAt | null>(null);
  /** Who pinned the cursor that the URL has, and where. */
  private readonly pinnedBy = signal<{ readonly text: string | null; readonly from: string }>({ text: null, from: '' });

  constructor(private readonly url: ViewUrl) {}

  readonly pinned = computed<CursorAt | null>(() => {
    const text = this.url.text('cursor').value;
    const place = placeCodec.parse(text);
    const { text: known, from } = this.pinnedBy.value;
    return place && { ...place, pinned: true, from: text === known ? from : '' };
  });
  readonly now = computed<CursorAt | null>(() => this.pointed.value ?? this.pinned.value);

  point(place: CursorPlace | null, from: string): void {
    if (place) this.pointed.value = { ...place, pinned: false, from };
    else if (this.pointed.peek()?.from === from) this.pointed.value = null;
  }

  pin(place: CursorPlace | null, from: string): void {
    const text = placeCodec.format(place);
    batch(() => {
      this.pinnedBy.value = { text, from };
      this.url.set('cursor', text);
    });
  }
}

/** The runs that stand out in every tab. */
export class Hovered {
  readonly runs = signal<readonly string[]>([]);
  private next: readonly string[] = [];
  private from = '';
  private frame = 0;

  /** `from` is the plugin, "" the page: what one hovers, no other ends. Shown with the next frame. */
  set(names: readonly string[], from = ''): void {
    if (names.length === 0 && from !== this.from) return;
    this.next = names;
    this.from = from;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.next.join('\n') !== this.runs.peek().join('\n')) this.runs.value = this.next;
    });
  }
}
