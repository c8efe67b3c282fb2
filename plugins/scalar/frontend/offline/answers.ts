/**
 * Answers queries of a series in a snapshot, from all of its points, as the host would (`answered` of
 * insight_scalar/derived.py). Answers that were recorded while the file is made would have no points between theirs:
 * zoom to any depth, both kinds of axes, smoothing of any weight and a metric as the axis need the points themselves.
 */
import { exactAt } from '@insight-host/kit';
import { picked, wholeOf } from '@insight-host/kit/lab';
import { axisCodec, isMetric, type Axis } from '../card/axis';
import { summary, tally, WHOLE, xColumn, type Series } from '../feed/series';
import { smoothed } from '../feed/smoothing';
import type { PackedSeries } from './packed_series';

interface PointsQuery {
  readonly x: Axis;
  readonly log: boolean;
  readonly from: number;
  readonly to: number;
  readonly isOpen: boolean;
  readonly width: number;
  readonly smoothing: number;
}

const NOT_HERE = 'only exponential smoothing (EMA) works in a snapshot';

export function queryOf(query: URLSearchParams): PointsQuery {
  const number = (key: string, none: number): number => (query.has(key) ? Number(query.get(key)) : none);
  const smoothing = number('smoothing', 0);
  if (smoothing > 0 && (query.get('smoother') ?? 'ema') !== 'ema') throw new Error(NOT_HERE);
  return {
    x: axisCodec.parse(query.get('x')),
    log: query.get('xscale') === 'log',
    from: number('from', -Infinity),
    to: number('to', Infinity),
    isOpen: !query.has('from') && !query.has('to'),
    width: number('width', Infinity),
    smoothing,
  };
}

/** `axis` is the series along whose values the points lie, where the query has a metric as x. */
export function answered(all: PackedSeries, query: PointsQuery, axis?: PackedSeries): Series {
  const whole = isMetric(query.x) ? along(all, axis) : all;
  const x = xColumn(whole, query.x);
  const isPath = isMetric(query.x) && x.some((at, i) => at < (x[i - 1] ?? -Infinity) && !whole.breaks.includes(i));
  const values = query.smoothing > 0 ? smoothed(whole, query.smoothing).values : whole.values;
  let [least, most] = [Infinity, -Infinity];
  const inside: number[] = [];
  const isIn = (at: number | undefined): boolean => at !== undefined && at >= query.from && at <= query.to;
  x.forEach((at, i) => {
    if (Number.isFinite(at)) [least, most] = [Math.min(least, at), Math.max(most, at)];
    // of a path, the points next to those inside, too
    if (!query.isOpen && !isIn(at) && !(isPath && (isIn(x[i - 1]) || isIn(x[i + 1])))) return;
    inside.push(i);
  });
  const extent = least <= most ? ([least, most] as const) : ([0, 0] as const);
  // as many points as the host sends for drawing: few come as they are
  const isShort = inside.length <= WHOLE * query.width;
  const gaps = isPath ? inside.filter((i, place) => place > 0 && i - (inside[place - 1] as number) > 1) : [];
  const breaks = [...new Set([...whole.breaks, ...gaps])].sort((a, b) => a - b);
  const kept = isShort
    ? inside
    : isPath
      ? envelopeOfPath(inside, values, breaks, query)
      : envelope(inside, x, values, breaks, extent, query);
  return {
    ...whole,
    steps: picked(whole.steps, kept),
    wallTimes: picked(whole.wallTimes, kept),
    values: picked(values, kept),
    ...(isMetric(query.x) ? { xs: picked(x, kept) } : {}),
    points: inside.length,
    decimated: kept.length < inside.length,
    extent,
    nonfinite: tally(picked(whole.values, inside)),
    breaks: breaks.map((edge) => placeOf(kept, edge)),
  };
}

/** The points at whose steps the axis has a finite value; none without an axis (insight_scalar/along.py). */
function along(whole: PackedSeries, axis: PackedSeries | undefined): PackedSeries {
  const values = new Map<number, number>();
  axis?.steps.forEach((step, i) => values.set(step, axis.values[i] as number));
  const kept = [...whole.steps.keys()].filter((i) => Number.isFinite(values.get(whole.steps[i] as number)));
  const steps = picked(whole.steps, kept);
  return {
    ...whole,
    ...{ steps, wallTimes: picked(whole.wallTimes, kept), values: picked(whole.values, kept) },
    ...{ total: kept.length, kept: kept.length },
    hidden: 0,
    xs: steps.map((step) => values.get(step) as number),
    breaks: whole.breaks.map((edge) => placeOf(kept, edge)),
  };
}

/** A line that goes back is decimated in columns of points, not of x. */
function envelopeOfPath(
  inside: readonly number[],
  values: ArrayLike<number>,
  breaks: readonly number[],
  query: PointsQuery,
): number[] {
  const places = new Float64Array(values.length);
  inside.forEach((i, place) => (places[i] = place));
  const last = inside.length - 1;
  return envelope(inside, places, values, breaks, [0, last], { ...query, from: 0, to: last, log: false });
}

/**
 * Of each column of each attempt the first, smallest, largest and last point, and the first of each kind that is not
 * finite.
 */
function envelope(
  inside: readonly number[],
  x: Float64Array,
  values: ArrayLike<number>,
  breaks: readonly number[],
  extent: readonly [number, number],
  { from, to, width, log }: PointsQuery,
): number[] {
  const low = Number.isFinite(from) ? from : extent[0];
  const columnOf = columns(
    log && low <= 0 ? smallestPositive(x) : low,
    Number.isFinite(to) ? to : extent[1],
    width,
    log,
  );
  const out: number[] = [];
  for (let begin = 0; begin < inside.length;) {
    const start = inside[begin] as number;
    const column = columnOf(x[start] as number);
    const edge = breaks.find((each) => each > start) ?? Infinity;
    let end = begin;
    let [smallest, largest] = [-1, -1];
    const kept = new Set<number>([start]);
    const seen = new Set<string>();
    for (; end < inside.length; end++) {
      const i = inside[end] as number;
      if (i >= edge || columnOf(x[i] as number) !== column) break;
      const value = values[i] as number;
      const kind = oddOf(value);
      if (kind) {
        if (!seen.has(kind)) kept.add(i);
        seen.add(kind);
        continue;
      }
      if (smallest < 0 || value < (values[smallest] as number)) smallest = i;
      if (largest < 0 || value > (values[largest] as number)) largest = i;
    }
    kept.add(inside[end - 1] as number);
    if (smallest >= 0) kept.add(smallest).add(largest);
    out.push(...[...kept].sort((a, b) => a - b));
    begin = end;
  }
  return out;
}

/** In which of `width` equal columns an x lies, by the borders that the host has (`column_borders` of insight_core). */
function columns(low: number, high: number, width: number, log: boolean): (x: number) => number {
  const [first, span] = log ? [Math.log(low), Math.log(high) - Math.log(low)] : [low, high - low];
  if (!(span > 0 && span < Infinity)) return () => 0;
  const border = (column: number): number => {
    const place = first + span * (column / width);
    return log ? Math.exp(place) : place;
  };
  return (x) => {
    let column = Math.floor((((log ? Math.log(x) : x) - first) / span) * width);
    column = Math.max(0, Math.min(width - 1, column)) || 0;
    if (column + 1 < width && x >= border(column + 1)) column++;
    else if (column > 0 && x < border(column)) column--;
    return column;
  };
}

function smallestPositive(x: Float64Array): number {
  let least = Infinity;
  for (const place of x) if (place > 0 && place < least) least = place;
  return least;
}

function oddOf(value: number): 'nan' | 'inf' | 'neg_inf' | null {
  if (Number.isFinite(value)) return null;
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : 'neg_inf';
}

/** How many of the ascending indices are smaller. */
function placeOf(indices: readonly number[], edge: number): number {
  const found = indices.findIndex((index) => index >= edge);
  return found < 0 ? indices.length : found;
}

/** A safetensors file for drawing, with exact values; wall times are always there. */
export function frameOf(found: readonly Series[], metadata: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const isWhole = found.some(({ steps }) => wholeOf(steps));
  const columns = {
    steps: found.map(({ steps }) => (isWhole ? (wholeOf(steps) ?? BigInt64Array.from(steps, BigInt)) : steps)),
    doubles: found.map(({ values }) => Float64Array.from(values)),
    wall_times: found.map(({ wallTimes }) => wallTimes),
    ...(found.some(({ xs }) => xs) ? { xs: found.map(({ xs }) => xs ?? new Float64Array(0)) } : {}),
  };
  const described = found.map((one, place) => ({
    ...describedOf(one),
    steps: place,
    values: 'doubles',
    ...(one.xs ? { along: true } : {}),
  }));
  const steps = found.map(({ steps: { length } }) => (length > 0 ? { count: length, column: 'steps' } : { count: 0 }));
  const header: Record<string, unknown> = {
    __metadata__: {
      ...metadata,
      codes: JSON.stringify({ top: 4095, log: false, times: true }),
      steps: JSON.stringify(steps),
      series: JSON.stringify(described),
    },
  };
  let size = 0;
  for (const [name, parts] of Object.entries(columns)) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    header[name] = {
      dtype: parts[0] instanceof BigInt64Array ? 'I64' : 'F64',
      shape: [length],
      data_offsets: [size, (size += 8 * length)],
    };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + 8 * Math.ceil(bytes.length / 8);
  const out = new Uint8Array(start + size).fill(32, 8, start);
  out.set(bytes, 8);
  new DataView(out.buffer).setBigUint64(0, BigInt(start - 8), true);
  let at = start;
  for (const part of Object.values(columns).flat()) {
    if (part instanceof BigInt64Array) new BigInt64Array(out.buffer, at, part.length).set(part);
    else new Float64Array(out.buffer, at, part.length).set(part);
    at += part.byteLength;
  }
  return out;
}

function describedOf(series: Series) {
  const { run, tag, origin, extent, points, total, kept, hidden, purged, restarts, breaks } = series;
  const { nan, inf, neg_inf: negative } = series.nonfinite;
  return {
    ...{ run, tag, origin, extent, points, total, kept, hidden, restarts, breaks },
    ...(purged ? { purged } : {}),
    nonfinite: [nan, inf, negative],
  };
}

const text = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** `of`: `last`, `min` or `max`; of series with every point. */
export function summariesOf(found: readonly Series[], of: string): Response {
  const which = of === 'min' || of === 'max' ? of : 'last';
  const summaries = [...new Set(found.map(({ tag }) => tag))].map((tag) => {
    const own = found.filter((one) => one.tag === tag);
    return { tag, runs: own.map(({ run }) => run), values: own.map((one) => text(summary(one)[which])) };
  });
  return Response.json({ summaries });
}

export function jsonOf(found: readonly Series[]): Response {
  const series = found.map((one) => ({
    ...describedOf(one),
    nonfinite: one.nonfinite,
    decimated: one.decimated,
    steps: [...one.steps],
    wall_times: Array.from(one.wallTimes, text),
    values: Array.from(one.values, text),
    ...(one.xs ? { xs: Array.from(one.xs) } : {}),
  }));
  return Response.json({ series });
}

/** `x` is that of the query; along a metric its values are a column. */
export function csvOf(found: readonly Series[], x: string | null): Response {
  const lines = found.flatMap(({ run, tag, steps, wallTimes, values, xs }) =>
    Array.from(values, (value, i) =>
      [field(run), field(tag), exactAt(steps, i), wallTimes[i], value, ...(xs ? [xs[i]] : [])].join(),
    ),
  );
  const head = `run,tag,step,wall_time,value${x?.startsWith('=') ? `,${field(x.slice(1))}` : ''}`;
  const content = [head, ...lines, ''].join('\r\n');
  return new Response(content, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
}

/** Quoted where it has to be; what a spreadsheet would read as a formula begins with an apostrophe. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
