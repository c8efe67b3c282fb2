import type { Stretch } from '../answers/steps';

export interface PlacedStretch extends Stretch {
  readonly lane: number;
}

const MOST = 16; // lanes that are drawn

/** Work in parallel to a step, by stream; overlapping work of one stream gets separate lanes. */
export function lanesOf(stretches: readonly Stretch[]): {
  readonly lanes: readonly string[];
  readonly more: number;
  readonly placed: readonly PlacedStretch[];
} {
  const byStream = new Map<string, Stretch[]>();
  for (const stretch of stretches) {
    const [, number] = /^stream_(\d+)_/.exec(stretch.name) ?? [];
    const key = number === undefined ? stretch.name : `stream ${number}`;
    byStream.set(key, [...(byStream.get(key) ?? []), stretch]);
  }
  const lanes: string[] = [];
  const placed: PlacedStretch[] = [];
  for (const [key, own] of [...byStream].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }))) {
    const ends: number[] = [];
    const first = lanes.length;
    for (const stretch of [...own].sort((a, b) => a.start - b.start)) {
      const free = ends.findIndex((end) => end <= stretch.start);
      const at = free < 0 ? ends.length : free;
      ends[at] = stretch.start + stretch.duration;
      placed.push({ ...stretch, lane: first + at });
    }
    ends.forEach((_, i) => lanes.push(i === 0 ? key : ''));
  }
  return {
    lanes: lanes.slice(0, MOST),
    more: Math.max(0, lanes.length - MOST),
    placed: placed.filter(({ lane }) => lane < MOST),
  };
}
