/** Reads the series of a snapshot: columns as planes of bytes (insight_scalar/snapshot.py). */
import { floats } from '@insight-host/kit';
import type { Series } from '../feed/series';

type Column =
  | { readonly kind: 'even'; readonly first: number; readonly stride: number; readonly unit?: number }
  | { readonly kind: 'deltas'; readonly first: number; readonly width: number; readonly unit?: number }
  | { readonly kind: 'raw' | 'sums' | 'whole'; readonly width: number };

interface Header {
  readonly run: string;
  readonly tag: string;
  readonly attempts: 'last' | 'all';
  readonly count: number;
  readonly total: number;
  readonly kept: number;
  readonly hidden: number;
  readonly purged?: number;
  readonly restarts: readonly number[];
  readonly breaks: readonly number[];
  readonly steps: number;
  readonly times: Column;
  readonly values: Column;
}

/** Answers of `bands`, as the view that was saved asks for them. */
export interface PackedBands {
  readonly tag: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly content: Uint8Array<ArrayBuffer>;
}

export interface PackedSeries extends Series {
  readonly attempts: 'last' | 'all';
}

export function unpacked(packed: ArrayBuffer): {
  readonly series: readonly PackedSeries[];
  readonly bands: readonly PackedBands[];
  readonly layouts: readonly unknown[];
} {
  const length = new DataView(packed).getUint32(0, true);
  const { series, steps, bands, layouts } = JSON.parse(new TextDecoder().decode(new Uint8Array(packed, 4, length))) as {
    readonly series: readonly Header[];
    readonly steps: readonly (Column & { readonly count: number })[];
    readonly bands: readonly (Omit<PackedBands, 'content'> & { readonly bytes: number })[];
    readonly layouts: readonly unknown[];
  };
  let at = 4 + length;
  const take = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(packed.slice(at, (at += bytes)));
  const groups = bands.map(({ tag, query, bytes }) => ({ tag, query, content: take(bytes) }));
  const known: Float64Array[] = [];
  const found = series.map((header): PackedSeries => {
    if (header.steps === known.length) {
      const written = steps[header.steps] as Column & { readonly count: number };
      known.push(read(written, written.count, take));
    }
    const wallTimes = read(header.times, header.count, take);
    const values = read(header.values, header.count, take);
    const { run, tag, attempts, total, kept, hidden, purged = 0, restarts, breaks, count } = header;
    return {
      ...{ run, tag, attempts, total, kept, hidden, purged, restarts, breaks, wallTimes, values },
      steps: known[header.steps] as Float64Array,
      precision: null,
      points: count,
      decimated: false,
      origin: wallTimes[0] ?? 0,
      extent: [0, 0],
      nonfinite: { nan: 0, inf: 0, neg_inf: 0 },
    };
  });
  return { series: found, bands: groups, layouts };
}

function read(column: Column, count: number, take: (bytes: number) => Uint8Array): Float64Array {
  if (column.kind === 'even') {
    const { first, stride, unit = 1 } = column;
    return Float64Array.from({ length: count }, (_, i) => (first + i * stride) * unit);
  }
  if (column.kind === 'deltas') {
    const { first, width, unit = 1 } = column;
    const folded = joined(take((count - 1) * width), count - 1, width);
    const out = new Float64Array(count);
    let sum = first;
    out[0] = sum * unit;
    for (let i = 1; i < count; i++) {
      const two = folded[i - 1] as number;
      sum += two % 2 === 0 ? two / 2 : -(two + 1) / 2;
      out[i] = sum * unit;
    }
    return out;
  }
  const planes = take(count * column.width);
  if (column.kind === 'whole') return floats(new BigInt64Array(bytesOf(planes, count, 8).buffer));
  if (column.width === 8) return new Float64Array(bytesOf(planes, count, 8).buffer);
  const bits = new Uint32Array(bytesOf(planes, count, 4).buffer);
  if (column.kind === 'sums') for (let i = 1; i < count; i++) bits[i] = (bits[i] as number) + (bits[i - 1] as number);
  return new Float64Array(new Float32Array(bits.buffer));
}

/** The bytes of each number together, from planes of first bytes, second bytes and so on. */
function bytesOf(planes: Uint8Array, count: number, width: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(count * width);
  for (let plane = 0; plane < width; plane++)
    for (let i = 0; i < count; i++) out[i * width + plane] = planes[plane * count + i] as number;
  return out;
}

function joined(planes: Uint8Array, count: number, width: number): Float64Array {
  const out = new Float64Array(count);
  for (let plane = width - 1; plane >= 0; plane--)
    for (let i = 0; i < count; i++) out[i] = (out[i] as number) * 256 + (planes[plane * count + i] as number);
  return out;
}
