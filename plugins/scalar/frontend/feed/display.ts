/** Decodes answers for drawing: `series` with `format=display`, and the frames of `cards`. */
import type { Columns } from '@insight-host/api';
import { floats } from '@insight-host/kit';
import type { Series } from './series';

interface Steps {
  readonly count: number;
  readonly first?: number;
  readonly stride?: number;
  readonly column?: 'deltas8' | 'deltas16' | 'steps';
}

interface Codes {
  readonly top: number;
  readonly log: boolean;
  readonly times: boolean;
}

/** What follows from the rest is left out. Numbers that JSON cannot carry come as text. */
interface Header {
  readonly run: string;
  readonly tag: string;
  readonly steps: number;
  readonly values?: 'singles' | 'doubles';
  readonly range?: readonly [number, number];
  readonly origin: number | string;
  readonly extent: readonly [number | string, number | string];
  readonly points?: number;
  readonly total?: number;
  readonly kept?: number;
  readonly hidden?: number;
  readonly purged?: number;
  /** Whether a metric is x. */
  readonly along?: boolean;
  readonly restarts?: readonly number[];
  readonly breaks?: readonly number[];
  readonly nonfinite?: readonly [number, number, number];
}

const NONE = new Float64Array(0);

export function decodeDisplay(columns: Columns): Series[] {
  const part = <T>(name: string): T => JSON.parse(columns.metadata[name] ?? '[]') as T;
  const codes = part<Codes>('codes');
  const taken = new Map<string, number>();
  /** The next numbers of a column, in which those of all series follow each other. */
  const take = (name: string, count: number): Float64Array => {
    if (count === 0) return NONE;
    const from = taken.get(name) ?? 0;
    taken.set(name, from + count);
    const column = columns.column(name);
    return floats(
      column instanceof BigInt64Array
        ? column.slice(from, from + count)
        : new Float64Array(column.subarray(from, from + count)),
    );
  };
  const steps = part<readonly Steps[]>('steps').map((written) => stepsOf(written, take));
  return part<readonly Header[]>('series').map((header): Series => {
    const own = steps[header.steps] as Float64Array;
    const count = own.length;
    const range = header.range ?? null;
    const values = range
      ? valuesOf(take('high', count), take('low', count), range, codes)
      : take(header.values as string, count);
    const points = header.points ?? count;
    const total = header.total ?? points;
    const [nan, inf, negative] = header.nonfinite ?? [0, 0, 0];
    return {
      run: header.run,
      tag: header.tag,
      steps: own,
      wallTimes: codes.times ? take('wall_times', count) : NONE,
      ...(header.along ? { xs: take('xs', count) } : {}),
      values,
      precision: range ? precisionOf(range, codes) : null,
      points,
      decimated: count < points,
      total,
      kept: header.kept ?? total,
      hidden: header.hidden ?? 0,
      purged: header.purged ?? 0,
      origin: Number(header.origin),
      extent: [Number(header.extent[0]), Number(header.extent[1])],
      restarts: header.restarts ?? [],
      breaks: header.breaks ?? [],
      nonfinite: { nan, inf, neg_inf: negative },
    };
  });
}

function stepsOf(written: Steps, take: (name: string, count: number) => Float64Array): Float64Array {
  const { count, first = 0, stride = 0, column } = written;
  if (column === 'steps') return take(column, count);
  if (!column) return Float64Array.from({ length: count }, (_, i) => first + i * stride);
  const out = new Float64Array(count);
  let at = 0;
  take(column, count - 1).forEach((delta, i) => (out[i + 1] = at += delta));
  return out.map((sum) => first + sum * stride);
}

/** Codes above that of the largest value: what has no place on the axis, NaN and infinities. */
const REST = [0, NaN, Infinity, -Infinity] as const;

function valuesOf(
  high: Float64Array,
  low: Float64Array,
  [least, most]: readonly [number, number],
  { top, log }: Codes,
): Float64Array {
  const [from, to] = log ? [Math.log(least), Math.log(most)] : [least, most];
  return high.map((byte, i) => {
    const code = 256 * byte + (low[i] as number);
    if (code > top) return REST[code - top - 1] ?? NaN;
    if (code === 0 || code === top) return code === 0 ? least : most;
    const share = code / top;
    const value = from * (1 - share) + to * share; // `to - from` may overflow
    return log ? Math.exp(value) : value;
  });
}

/** How far a value may be off: of a logarithmic axis as a factor of it. */
function precisionOf([least, most]: readonly [number, number], { top, log }: Codes): Series['precision'] {
  return log
    ? { by: Math.expm1((Math.log(most) - Math.log(least)) / (2 * top)) || 0, relative: true }
    : { by: most / (2 * top) - least / (2 * top), relative: false };
}
