/** Arithmetic of one scroll direction, also for tables that are longer than a browser can scroll. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** Browsers stop at some ten million pixels: a longer table scrolls on a shorter track. */
export const LONGEST = 4_000_000;

/** One direction of a table: `total` pixels of cells seen through a window of `view` pixels. */
export interface Track {
  readonly total: number;
  readonly view: number;
  /** Pixels that the browser scrolls over. */
  readonly length: number;
  /** The track is shorter than the cells. */
  readonly scaled: boolean;
}

export function trackOf(total: number, view: number): Track {
  return { total, view, length: Math.min(total, LONGEST), scaled: total > LONGEST };
}

/** The offset of the window over the cells when the browser has scrolled to `place`. */
export function offsetAt({ total, view, length, scaled }: Track, place: number): number {
  return scaled ? (place / Math.max(1, length - view)) * (total - view) : place;
}

/** The scroll position of the browser for an offset. */
export function placeOf({ total, view, length, scaled }: Track, offset: number): number {
  return scaled ? (offset / Math.max(1, total - view)) * (length - view) : offset;
}

export function within({ total, view }: Track, offset: number): number {
  return Math.max(0, Math.min(total - view, offset));
}

/** The nearest offset at which the cells `[begin, end)` are in sight. */
export function showing(track: Track, offset: number, begin: number, end: number): number {
  if (begin < offset) return within(track, begin);
  return end > offset + track.view ? within(track, end - track.view) : offset;
}

/** The lines in sight, and `more` before and after them: `[first, end)`. */
export function linesInSight(
  offset: number,
  view: number,
  height: number,
  count: number,
  more = 0,
): readonly [number, number] {
  const end = Math.min(count, Math.ceil((offset + view) / height) + more);
  return [Math.max(0, Math.min(Math.floor(offset / height) - more, end - 1)), end];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The inner size of an element in CSS pixels, without its scroll bars. */
export function useSize(place: { readonly current: HTMLElement | null }): ReadonlySignal<Size> {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height) size.value = { width, height };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}
