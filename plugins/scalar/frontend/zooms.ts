import { signal, type ReadonlySignal as Live } from '@preact/signals';
import type { Page, Setting } from '@insight-host/kit';
import { changed } from '@insight-host/kit/lab';
import { linkedZoom, rounded, zooms, type Range, type Zoom } from './codecs';
import { look, sameRange, stepBack, top, type ZoomStack } from './zoom_stack';

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
    this.own = page.setting('zoom', zooms);
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
