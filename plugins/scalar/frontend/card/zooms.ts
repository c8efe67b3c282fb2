/** What part of their curves cards show: windows in the URL, the way back from each, and logarithmic axes. */
import type { Codec } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { signal, type ReadonlySignal as Live } from '@preact/signals';

export type Range = readonly [number, number];
export interface Zoom {
  readonly x: Range | null;
  readonly y: Range | null;
}

const range = (from: string | undefined, to: string | undefined): Range | null => {
  const [a, b] = [Number(from), Number(to)];
  return from && to && Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null;
};

function parseZoom(t: string): Zoom | null {
  const parts = t.split(',');
  const zoom = { x: range(parts[0], parts[1]), y: range(parts[2], parts[3]) };
  return zoom.x || zoom.y ? zoom : null;
}

function formatZoom({ x, y }: Zoom): string {
  return [...(x ?? ['', '']), ...(y ?? ['', ''])].join(',').replace(/,+$/, '');
}

/** A window with as many digits as a screen can show, so that URLs stay short. */
export function rounded(window: Range | null): Range | null {
  if (!window) return null;
  const digits = Math.max(0, Math.min(15, 5 - Math.floor(Math.log10(window[1] - window[0]))));
  const [from, to] = [Number(window[0].toFixed(digits)), Number(window[1].toFixed(digits))];
  return from < to ? [from, to] : window;
}

export const zoomsCodec = codecs.byTag(parseZoom, formatZoom);
export const linkedZoom: Codec<Range | null> = {
  parse: (t) => (t ? range(t.split(',')[0], t.split(',')[1]) : null),
  format: (value) => (value ? value.join(',') : null),
};

export interface LogFlags {
  readonly x: boolean;
  readonly y: boolean;
}

/** Cards whose axes differ from the toolbar's: `x`, `y`, `xy`, or `-` for both linear. */
export const logFlags = codecs.byTag<LogFlags>(
  (t) => (/^(-|x?y?)$/.test(t) && t !== '' ? { x: t.includes('x'), y: t.includes('y') } : null),
  (value) => `${value.x ? 'x' : ''}${value.y ? 'y' : ''}` || '-',
);

/** The windows that a card was zoomed to, oldest first; empty: everything is shown. */
export type ZoomStack = readonly Zoom[];

const DEEPEST = 50;

export function top(stack: ZoomStack): Zoom | null {
  return stack.at(-1) ?? null;
}

/**
 * A zoom adds a step; panning and turning the wheel move the last one, so that one step back undoes a whole gesture.
 */
export function look(stack: ZoomStack, zoom: Zoom, how: 'zoom' | 'pan' | 'reset', continues = false): ZoomStack {
  if (how === 'reset' || (!zoom.x && !zoom.y)) return [];
  const last = top(stack);
  if (last && sameRange(last.x, zoom.x) && sameRange(last.y, zoom.y)) return stack;
  const below = continues ? stack.slice(0, -1) : stack;
  return [...below, zoom].slice(-DEEPEST);
}

export function stepBack(stack: ZoomStack): ZoomStack {
  return stack.slice(0, -1);
}

function sameRange(a: Range | null, b: Range | null): boolean {
  return a === b || (!!a && !!b && a[0] === b[0] && a[1] === b[1]);
}

/** Twice the window, so that lines go on beyond its edges and a short pan shows what is there. */
export function widened([from, to]: Range, log: boolean): Range {
  if (log && from > 0) {
    const factor = Math.sqrt(to / from);
    return [from / factor, to * factor];
  }
  const half = (to - from) / 2;
  return [from - half, to + half];
}

const CONTINUES = 350; // ms; a wheel's notches and a pan's moves closer than this are one gesture

/** What part of their curves cards show, and the way back. */
export class Zooms {
  private readonly own: Setting<ReadonlyMap<string, Zoom>>;
  private readonly linkedX: Setting<Range | null>;
  private readonly stacks = signal<ReadonlyMap<string, ZoomStack>>(new Map());
  private lastLook = { tag: '', time: 0 };

  /** `linked`: all cards show the same x. */
  constructor(
    page: Page,
    private readonly linked: Live<boolean>,
  ) {
    this.own = page.setting('zoom', zoomsCodec);
    this.linkedX = page.setting('range', linkedZoom);
  }

  of(tag: string): Zoom {
    const zoom = this.own.value.get(tag) ?? { x: null, y: null };
    return this.linked.value ? { x: this.linkedX.value, y: zoom.y } : zoom;
  }

  canStepBack(tag: string): boolean {
    const { x, y } = this.of(tag);
    return x !== null || y !== null;
  }

  look(tag: string, zoom: Zoom, how: 'zoom' | 'pan' | 'reset'): void {
    const now = Date.now();
    const continues = how !== 'reset' && this.lastLook.tag === tag && now - this.lastLook.time < CONTINUES;
    this.lastLook = { tag, time: now };
    const window = { x: rounded(zoom.x), y: rounded(zoom.y) };
    this.keep(tag, look(this.stackOf(tag), window, how, continues));
  }

  /** A press of the pointer begins a gesture of its own, however soon after the last. */
  beginGesture(): void {
    this.lastLook = { tag: '', time: 0 };
  }

  stepBack(tag: string): void {
    this.keep(tag, stepBack(this.stackOf(tag)));
  }

  reset(tag: string): void {
    this.keep(tag, []);
  }

  /** Places on one axis mean nothing on another. */
  clear(): void {
    this.stacks.value = new Map();
    this.linkedX.set(null);
    this.own.set(new Map());
  }

  /** The stack as remembered, or, after the URL changed by itself, the one step that the URL says. */
  private stackOf(tag: string): ZoomStack {
    const zoom = this.of(tag);
    const stack = this.stacks.value.get(tag) ?? [];
    const last = top(stack);
    if (sameRange(last?.x ?? null, zoom.x) && sameRange(last?.y ?? null, zoom.y)) return stack;
    return zoom.x || zoom.y ? [zoom] : [];
  }

  private keep(tag: string, stack: ZoomStack): void {
    const zoom = top(stack);
    this.stacks.value = changed(this.stacks.value, tag, stack.length > 0 ? stack : null);
    if (this.linked.value) this.linkedX.set(zoom?.x ?? null);
    const kept: Zoom | null = zoom && this.linked.value ? (zoom.y ? { x: null, y: zoom.y } : null) : zoom;
    this.own.set(changed(this.own.value, tag, kept));
  }
}

/** Logarithmic axes: of all cards, and of those that have their own. */
export class Logs {
  readonly x: Setting<boolean>;
  readonly y: Setting<boolean>;
  private readonly own: Setting<ReadonlyMap<string, LogFlags>>;

  constructor(
    page: Page,
    private readonly zooms: Zooms,
  ) {
    this.x = page.setting('logx', codecs.flag(false));
    this.y = page.setting('logy', codecs.flag(false));
    this.own = page.setting('log', logFlags);
  }

  of(tag: string): LogFlags {
    return this.own.value.get(tag) ?? { x: this.x.value, y: this.y.value };
  }

  set(tag: string, flags: LogFlags): void {
    const same = flags.x === this.x.value && flags.y === this.y.value;
    this.own.set(changed(this.own.value, tag, same ? null : flags));
    if (flags.x && this.zooms.of(tag).x) this.zooms.reset(tag);
  }
}
