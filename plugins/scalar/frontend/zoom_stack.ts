import type { Range, Zoom } from './codecs';

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

export function sameRange(a: Range | null, b: Range | null): boolean {
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
