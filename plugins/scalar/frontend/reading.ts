import type { Cursor } from '@insight-host/kit/lines';

/** What the pointer reads in a chart. */
export interface Reading {
  readonly cursor: Cursor;
  readonly clientX: number;
  readonly clientY: number;
  /** It stays until it is closed. */
  readonly pinned: boolean;
  /** It is not shown until the pointer moves. */
  readonly dismissed?: boolean;
}

/**
 * The reading after the chart reports `next`. A chart also reports when its lines change below a pointer that rests.
 */
export function followed(now: Reading | null, next: Reading | null): Reading | null {
  if (now?.pinned) return now;
  const rests = now?.dismissed && next?.cursor.px === now.cursor.px && next.cursor.py === now.cursor.py;
  return rests ? now : next;
}
