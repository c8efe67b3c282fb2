/** Browsers end at some ten million pixels: a longer table is scrolled on a shorter track. */
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

/** Where the window begins over the cells when the browser has scrolled to `place`. */
export function offsetAt({ total, view, length, scaled }: Track, place: number): number {
  return scaled ? (place / Math.max(1, length - view)) * (total - view) : place;
}

/** Where the browser must have scrolled to. */
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
