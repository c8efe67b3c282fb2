import type { Columns } from '@insight-host/api';
import { makeScale } from '@insight-host/kit/draw';
import { fakeColumns } from '@insight-host/kit/testing';
import { describe, expect, it } from 'vitest';
import { decodeDisplay } from './batches';
import samples from '../display_samples.json'; // written by plugins/scalar/tests/test_display.py
import { keepsEverything, smoothed } from './smoothing';
import type { Series } from './series';
import { fakeSeries } from './fake_board';

const [WIDTH, HEIGHT] = [80, 2000]; // pixels of a tall chart; the samples have columns of two

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0)).buffer;
}

function decoded(text: string): Series {
  const bytes = bytesOf(text);
  const start = 8 + Number(new DataView(bytes).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(8, start))) as Record<
    string,
    { readonly data_offsets: readonly [number, number] }
  > & { readonly __metadata__: Record<string, string> };
  const { __metadata__: metadata, ...entries } = header;
  const columns: Columns = {
    metadata,
    names: Object.keys(entries),
    column: (name) =>
      new Uint8Array(
        bytes,
        start + entries[name]!.data_offsets[0],
        entries[name]!.data_offsets[1] - entries[name]!.data_offsets[0],
      ),
  };
  return decodeDisplay(columns)[0] as Series;
}

/** Lowest and highest pixel of each column of a line that joins finite points; NaN where it is not. */
function drawn(points: readonly (readonly [number, number])[]): Float64Array {
  const reach = new Float64Array(2 * (WIDTH + 1)).fill(NaN);
  const take = (column: number, y: number): void => {
    const [low, high] = [reach[2 * column] as number, reach[2 * column + 1] as number];
    if (!(low <= y)) reach[2 * column] = y;
    if (!(high >= y)) reach[2 * column + 1] = y;
  };
  points.forEach(([x, y], i) => {
    if (Number.isNaN(y)) return;
    take(Math.floor(x), y);
    const [x0, y0] = points[i - 1] ?? [NaN, NaN];
    if (Number.isNaN(y0)) return;
    for (let column = Math.floor(x0); column < Math.floor(x); column++) {
      const at = y0 + ((y - y0) * (column + 1 - x0)) / (x - x0);
      take(column, at);
      take(column + 1, at);
    }
  });
  return reach;
}

/** Whether every pixel of a picture is at most one pixel from one of the other. */
function isCovered(one: Float64Array, other: Float64Array): boolean {
  return one.every((y, i) => {
    if (Number.isNaN(y)) return true;
    return [-2, 0, 2].some((way) => {
      const low = 2 * (i >> 1) + way;
      return (other[low] as number) <= y + 1 && (other[low + 1] as number) >= y - 1;
    });
  });
}

describe.each(samples)('an answer for drawing: $name', (sample) => {
  const exact = new Float64Array(bytesOf(sample.values));
  const sx = makeScale([0, exact.length - 1], [0, WIDTH]);
  it.each(['linear', 'log'] as const)('is drawn as the exact series, %s', (axis) => {
    const seen = exact.filter((value) => Number.isFinite(value) && (axis === 'linear' || value > 0));
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    // `high - low` may overflow
    const half = makeScale([low / 2, high / 2 > low / 2 ? high / 2 : low / 2 + 1], [0, HEIGHT]);
    const log = makeScale([low, high > low ? high : 2 * low], [0, HEIGHT], true);
    const pixel = (value: number): number => {
      if (!Number.isFinite(value)) return NaN;
      return axis === 'log' ? log.toPixel(value) : half.toPixel(value / 2);
    };
    const whole = decoded(sample[`whole ${axis}`]);
    expect(whole.steps).toEqual(Float64Array.from(exact, (_, i) => i));
    whole.values.forEach((value, i) => {
      const [there, here] = [pixel(exact[i] as number), pixel(value)];
      if (Number.isNaN(there)) expect(here).toBeNaN();
      else expect(Math.abs(here - there)).toBeLessThanOrEqual(0.5);
      if (!Number.isFinite(exact[i])) expect(value).toBe(exact[i]);
    });
    expect([
      Math.min(...whole.values.filter((v) => seen.includes(v))),
      Math.max(...whole.values.filter((v) => seen.includes(v))),
    ]).toEqual([low, high]);
    const cut = decoded(sample[`cut ${axis}`]);
    const line = (xs: Float64Array, ys: Series['values']): Float64Array =>
      drawn(Array.from(xs, (x, i) => [sx.toPixel(x), pixel(ys[i] as number)]));
    const [all, few] = [line(whole.steps, exact), line(cut.steps, cut.values)];
    expect(cut.decimated).toBe(true);
    const same = line(
      cut.steps,
      Float64Array.from(cut.steps, (step) => exact[step] as number),
    );
    expect([isCovered(few, same), isCovered(same, few)]).toEqual([true, true]);
    expect(few.some((y) => !Number.isNaN(y))).toBe(true);
    // where points have no place on the axis, one gap stands for those of a column
    if (seen.length === exact.length) expect([isCovered(few, all), isCovered(all, few)]).toEqual([true, true]);
  });
});

/** TensorBoard's formula, point by point; scaled, because sums of huge values overflow. */
function averaged(values: Float64Array, weight: number): number[] {
  let [sum, weights] = [0, 0];
  return [...values].map((value) => {
    if (!Number.isFinite(value)) return value;
    sum = weight * sum + value / 4;
    weights = weight * weights + 1 / 4;
    return sum / weights;
  });
}

describe.each(samples)('smoothing in the page of $name', (sample) => {
  const exact = new Float64Array(bytesOf(sample.values));
  it.each([0.3, 0.6, 0.9])('is drawn as that of the exact series, with %d', (weight) => {
    const finite = exact.filter((value) => Number.isFinite(value));
    const pixel = Math.max(...finite) / HEIGHT - Math.min(...finite) / HEIGHT; // of an axis that shows the raw series
    const found = smoothed(decoded(sample['whole linear']), weight).values;
    averaged(exact, weight).forEach((value, i) => {
      const off = pixel / 2 + Math.abs(value) * 1e-15; // sums are rounded
      if (Number.isFinite(value)) expect(Math.abs((found[i] as number) / 2 - value / 2)).toBeLessThanOrEqual(off);
      else expect(found[i]).toBe(value);
    });
  });
});

describe('steps', () => {
  const series = { run: 'r', tag: 't', steps: 0, values: 'singles', origin: 5, extent: ['NaN', 7] };
  const part = (value: unknown): string => JSON.stringify(value);
  it('come as a stride, as differences or as they are', () => {
    const columns = {
      deltas8: [1, 3],
      steps: [7, 5],
      singles: [1, 2, 3, 4, 5, 6, 7, 8],
      wall_times: [1, 2, 3, 4, 5, 6, 7, 8],
    };
    const found = decodeDisplay(
      fakeColumns(columns, {
        codes: part({ top: 4095, log: false, times: true }),
        steps: part([
          { count: 3, first: 10, stride: 5 },
          { count: 3, first: 2, stride: 2, column: 'deltas8' },
          { count: 2, column: 'steps' },
          { count: 0 },
        ]),
        series: part([0, 1, 2, 3].map((steps) => ({ ...series, steps }))),
      }),
    );
    expect(found.map(({ steps }) => [...steps])).toEqual([[10, 15, 20], [2, 4, 10], [7, 5], []]);
    expect(found.map(({ values }) => [...values])).toEqual([[1, 2, 3], [4, 5, 6], [7, 8], []]);
    expect([...found[2]!.wallTimes]).toEqual([7, 8]);
    expect(found[0]).toMatchObject({
      points: 3,
      total: 3,
      kept: 3,
      decimated: false,
      extent: [NaN, 7],
      precision: null,
    });
  });
});

describe('smoothing in the page', () => {
  // as insight_core.store.reduction.reduction.average gives them
  it('is that of the host, also where values are not finite', () => {
    const series = fakeSeries([0, 1, 2, 3, 4, 5], [0.1, 0.1, NaN, 0.4, Infinity, 0.2]);
    const values = [...smoothed(series, 0.9).values];
    expect(values).toEqual([
      0.1,
      0.1,
      NaN,
      expect.closeTo(0.2107011070110701, 12),
      Infinity,
      expect.closeTo(0.20758941552776972, 12),
    ]);
  });
  it('takes each point of a decimated series for those since the one before it', () => {
    const all = Array.from({ length: 400 }, (_, i) => Math.sin(i / 40));
    const every = fakeSeries([...all.keys()], all);
    const kept = [...all.keys()].filter((i) => i % 4 === 3 || i === 0);
    const few = fakeSeries(
      kept,
      kept.map((i) => all[i] as number),
      { points: 400, decimated: true },
    );
    const [exact, draft] = [smoothed(every, 0.95).values, smoothed(few, 0.95)];
    kept.forEach((step, i) =>
      expect(Math.abs((draft.values[i] as number) - (exact[step] as number))).toBeLessThan(0.05),
    );
    expect(draft.precision).not.toBeNull();
  });
  it('begins again at a restart, and needs every point', () => {
    const series = fakeSeries([0, 1, 0, 1], [1, 3, 10, 30], { breaks: [2] });
    expect(smoothed(series, 0.5).values[2]).toBe(10);
    expect(keepsEverything(series)).toBe(true);
    expect(keepsEverything({ ...series, decimated: true })).toBe(false);
    const log = { by: 0.1, relative: true };
    expect(keepsEverything({ ...series, precision: log })).toBe(true);
    expect(keepsEverything({ ...series, values: Float64Array.of(1, 0, 2, 3), precision: log })).toBe(false);
  });
});
