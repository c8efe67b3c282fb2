/** Answers of the routes of the timeline (docs/http_api.md, “Profiler”), ready to be drawn. */
import type { Columns } from '@insight-host/api';
import type { Values } from '../answers/profile';
import type { Span } from './span';

export interface TrackInfo {
  readonly id: number;
  readonly kind: string;
  readonly label: string;
  readonly parent: number | null;
  readonly device: string | null;
  readonly order: number;
  readonly slices: number;
  readonly levels: number;
}
export interface CounterInfo {
  readonly id: number;
  readonly label: string;
  readonly group: string;
  readonly unit: string;
  readonly device: string | null;
  readonly points: number;
  readonly minimum: number | null;
  readonly maximum: number | null;
}
export interface StepInfo {
  readonly number: number;
  readonly start: number;
  readonly duration: number;
}
export interface TracksAnswer {
  readonly tracks: readonly TrackInfo[];
  readonly counters: readonly CounterInfo[];
  readonly steps: readonly StepInfo[];
  /** Of all, where only the first are listed. */
  readonly track_count: number;
  readonly counter_count: number;
  readonly duration: number;
  readonly start_ns: string;
  readonly version: number;
  readonly complete: boolean;
}

export interface BriefSlice {
  readonly id: number;
  readonly name: string;
  readonly track: number;
  readonly start: number;
  readonly duration: number;
  readonly depth: number;
  readonly category: string;
}
export interface OperatorOfSlice {
  readonly name: string | null;
  readonly type: string | null;
  readonly scope: string | null;
  readonly shapes: string | null;
  readonly side: 'host' | 'device';
}
export interface Flow {
  readonly direction: 'in' | 'out';
  readonly kind: string;
  readonly slice: BriefSlice;
}
export interface SliceAnswer extends BriefSlice {
  readonly self: number;
  readonly step: number | null;
  readonly operator: OperatorOfSlice | null;
  readonly kernel: {
    readonly name: string | null;
    readonly stream: string | null;
    readonly grid: string | null;
    readonly block: string | null;
    readonly core: string | null;
    readonly operator: OperatorOfSlice | null;
  } | null;
  readonly parents: readonly { readonly id: number; readonly name: string }[];
  readonly flows: readonly Flow[];
  readonly arguments: Values | null;
  readonly version: number;
}
export interface SearchAnswer {
  readonly total: number;
  readonly offset: number;
  readonly rows: readonly BriefSlice[];
  readonly names: readonly { readonly name: string; readonly count: number; readonly total: number }[];
  readonly version: number;
}

/** As the numbers of categories go. */
export const CATEGORY_NAMES = [
  'kernel',
  'memcpy',
  'memset',
  'communication',
  'runtime',
  'data',
  'operator',
  'other',
] as const;

/** Rows `low` to `high` are of one depth of a track, in the order of time, and none begins before the last ended. */
export interface Lane {
  readonly track: number;
  readonly depth: number;
  readonly low: number;
  readonly high: number;
}

/** What is drawn of a stretch; where `merged` is more than 1 a row stands for so many. */
export interface Slices extends Span {
  /** ns of a column of the screen that they were made for. */
  readonly column: number;
  readonly version: number;
  readonly count: number;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly name: Int32Array;
  readonly category: Uint8Array;
  readonly id: Int32Array;
  readonly merged: Int32Array;
  readonly names: ReadonlyMap<number, string>;
  readonly lanes: ReadonlyMap<number, readonly Lane[]>;
  /** Those that were asked for. */
  readonly tracks: ReadonlySet<number>;
  /** Categories that occur, a bit for each. */
  readonly categories: number;
}

export function slicesOf(columns: Columns, tracks: ReadonlySet<number>, width: number): Slices {
  const said = JSON.parse(columns.metadata['slices'] ?? '{}') as {
    from: number;
    to: number;
    version: number;
    of: number;
    names: Record<string, string>;
  };
  const [track, depth] = [columns.column('track') as Int32Array, columns.column('depth') as Int32Array];
  const lanes = new Map<number, Lane[]>();
  for (let low = 0, i = 1; i <= track.length; i++) {
    if (i < track.length && track[i] === track[low] && depth[i] === depth[low]) continue;
    const lane = { track: track[low] as number, depth: depth[low] as number, low, high: i };
    const known = lanes.get(lane.track);
    if (known) known.push(lane);
    else lanes.set(lane.track, [lane]);
    low = i;
  }
  const category = columns.column('category') as Uint8Array;
  return {
    from: said.from,
    to: said.to,
    column: (said.to - said.from) / width,
    version: said.version,
    count: said.of,
    start: columns.column('start') as Float64Array,
    duration: columns.column('duration') as Float64Array,
    name: columns.column('name') as Int32Array,
    category,
    categories: category.reduce((bits, one) => bits | (1 << one), 0),
    id: columns.column('id') as Int32Array,
    merged: columns.column('merged') as Int32Array,
    names: new Map(Object.entries(said.names).map(([place, text]) => [Number(place), text])),
    lanes,
    tracks,
  };
}

/** The first row of a lane that ends at `time` or later. */
export function firstFrom({ start, duration }: Slices, { low, high }: Lane, time: number): number {
  let [first, last] = [low, high];
  while (first < last) {
    const middle = (first + last) >> 1;
    if ((start[middle] as number) + (duration[middle] as number) < time) first = middle + 1;
    else last = middle;
  }
  return first;
}

export interface Points {
  readonly time: Float64Array;
  readonly minimum: Float64Array;
  readonly maximum: Float64Array;
  readonly last: Float64Array;
}
export interface Curves extends Span {
  readonly version: number;
  readonly column: number;
  readonly counters: ReadonlyMap<number, Points>;
}

export function curvesOf(columns: Columns, width: number): Curves {
  const said = JSON.parse(columns.metadata['counters'] ?? '{}') as { from: number; to: number; version: number };
  const counter = columns.column('counter') as Int32Array;
  const [time, minimum, maximum, last] = ['time', 'minimum', 'maximum', 'last'].map((name) => columns.column(name)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const counters = new Map<number, Points>();
  for (let low = 0, i = 1; i <= counter.length; i++) {
    if (i < counter.length && counter[i] === counter[low]) continue;
    const part = (values: Float64Array): Float64Array => values.subarray(low, i);
    counters.set(counter[low] as number, {
      time: part(time),
      minimum: part(minimum),
      maximum: part(maximum),
      last: part(last),
    });
    low = i;
  }
  return { ...said, column: (said.to - said.from) / width, counters };
}
