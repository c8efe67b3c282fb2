/** Slices without a host, for tests. */
import type { Slices, TrackInfo, TracksAnswer } from './answers';

export interface Made {
  readonly track: number;
  readonly depth: number;
  readonly start: number;
  readonly duration: number;
}

/** An answer for the stretch from `from` to `to`; slices are called after their places. */
export function slices(
  from: number,
  to: number,
  width: number,
  made: readonly Made[],
  tracks: readonly number[] = [...new Set(made.map(({ track }) => track))],
): Slices {
  const lanes = new Map<number, { track: number; depth: number; low: number; high: number }[]>();
  made.forEach(({ track, depth }, i) => {
    const known = lanes.get(track) ?? [];
    const last = known.at(-1);
    if (last && last.depth === depth) last.high = i + 1;
    else known.push({ track, depth, low: i, high: i + 1 });
    lanes.set(track, known);
  });
  return {
    ...{ from, to, column: (to - from) / width, version: 1, count: made.length },
    start: Float64Array.from(made, ({ start }) => start),
    duration: Float64Array.from(made, ({ duration }) => duration),
    name: Int32Array.from(made, (_, i) => i),
    category: new Uint8Array(made.length),
    categories: 1,
    id: Int32Array.from(made, (_, i) => i),
    merged: new Int32Array(made.length).fill(1),
    names: new Map(made.map((_, i) => [i, `slice ${i}`])),
    lanes,
    tracks: new Set(tracks),
  };
}

export function track(id: number, parent: number | null, more: Partial<TrackInfo> = {}): TrackInfo {
  return { id, kind: 'thread', label: `track ${id}`, parent, device: null, order: id, slices: 1, levels: 1, ...more };
}

export function tracksAnswer(tracks: readonly TrackInfo[], more: Partial<TracksAnswer> = {}): TracksAnswer {
  return {
    tracks,
    counters: [],
    steps: [],
    track_count: tracks.length,
    counter_count: 0,
    duration: 1000,
    start_ns: '0',
    version: 1,
    complete: true,
    ...more,
  };
}
