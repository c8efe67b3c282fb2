import { describe, expect, it } from 'vitest';
import type { Line } from './props';
import { makeScale } from '../draw/area';
import { lowerBound, pieces, visible, xRange } from './extent';
import { trace } from './trace';

const line = (x: number[], y: number[], more: Partial<Line> = {}): Line => ({
  id: 'a',
  label: 'a',
  color: 'red',
  x,
  y,
  ...more,
});
const sx = makeScale([0, 10], [0, 100]);
const sy = makeScale([0, 10], [100, 0]);

describe('visible range', () => {
  it('has one neighbour on each side', () => {
    const l = line([0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 0]);
    const [piece] = pieces(l);
    expect(visible(l.x, piece!, [1.5, 3.5])).toEqual([1, 5]);
    expect(visible(l.x, piece!, [10, 20])).toEqual([5, 6]);
    expect(lowerBound([1, 1, 2], 1)).toBe(0);
  });

  it('is cut at breaks, and whole where x is not sorted', () => {
    const l = line([0, 1, 2, 1, 2, 3], [0, 0, 0, 0, 0, 0], { breaks: [3, 0, 99] });
    expect(pieces(l)).toEqual([
      { start: 0, end: 3, sorted: true },
      { start: 3, end: 6, sorted: true },
    ]);
    expect(pieces(line([2, 1], [0, 0]))[0]?.sorted).toBe(false);
    expect(pieces(line([], []))).toEqual([]);
  });

  it('of all lines spans them, without zero on a log axis', () => {
    expect(xRange([line([0, 5], [1, 1]), line([-3, 2], [1, 1])], false)).toEqual([-3, 5]);
    expect(xRange([line([0, 1, 5], [1, 1, 1])], true)).toEqual([1, 5]);
    expect(xRange([line([], [])], false)).toBeNull();
  });
});

describe('trace', () => {
  it('breaks at NaN and at breaks, and makes lone points dots', () => {
    const t = trace(line([0, 1, 2, 3, 4, 5, 6], [1, 2, NaN, 3, NaN, 4, 5]), sx, sy);
    expect([...t.starts, t.end]).toEqual([0, 2, 4]);
    expect(t.dots).toEqual([30, 70]);
    expect(t.marks.map((m) => m.kind)).toEqual(['nan', 'nan']);
    expect(trace(line([0, 1, 2, 3], [1, 1, 1, 1], { breaks: [2] }), sx, sy).starts).toEqual([0, 2]);
  });

  it('marks infinities at their edge, once a pixel', () => {
    const t = trace(line([1, 1.01, 2, 3], [Infinity, Infinity, -Infinity, 1]), sx, sy);
    expect(t.marks).toEqual(
      [
        { x: 10, kind: 'up' },
        { x: 20, kind: 'down' },
      ].map((m) => expect.objectContaining({ kind: m.kind })),
    );
  });

  it('counts what a log axis cannot show', () => {
    const log = makeScale([0.1, 10], [100, 0], true);
    const t = trace(line([0, 1, 2, 3], [1, 0, -5, 1]), sx, log);
    expect(t.leftOut).toBe(2);
    expect(t.dots.length).toBe(4);
  });

  it('keeps a spike among a million points, with a few points a column', () => {
    const n = 1_000_000;
    const x = Float64Array.from({ length: n }, (_, i) => (i * 10) / n);
    const y = new Float64Array(n).fill(1);
    y[617_283] = 9;
    y[617_284] = 0.5;
    const t = trace({ id: 'a', label: 'a', color: 'red', x, y }, sx, sy);
    const ys = [...t.points.subarray(0, 2 * t.end)].filter((_, i) => i % 2 === 1);
    expect(Math.min(...ys)).toBeCloseTo(10);
    expect(Math.max(...ys)).toBeCloseTo(95);
    expect(t.end).toBeLessThan(101 * 4 + 4);
  });

  it('cuts lines far outside the window without bending them', () => {
    const t = trace(line([-1e9, 1e9], [5, 5 + 1e-9]), sx, sy);
    expect(t.points[0]).toBeGreaterThanOrEqual(-51);
    expect(t.points[2]).toBeLessThanOrEqual(151);
    expect(t.points[1]).toBeCloseTo(50);
  });
});
