import { describe, expect, it } from 'vitest';
import type { RooflineRow } from '../answers/roofline';
import { rooflineOf } from './scale';

const ROW: RooflineRow = {
  name: 'aten::mm',
  shapes: '[[2, 2], [2, 2]]',
  precision: 'half',
  calls: 1,
  time: 100,
  flops: 1e12,
  traffic: 1e10,
  intensity: 100,
  rate: 4e14,
  bandwidth: 4e12,
  peak: 1e15,
  roof: 'memory',
  reached: 0.8,
  above: null,
  bound: 'memory',
  saving: 20,
};
const UNCOUNTED: RooflineRow = { ...ROW, precision: null, flops: null, intensity: null, rate: null, peak: null };
const CEILINGS = [
  { name: 'memory', rate: 5e12, is_own: false },
  { name: 'half', rate: 1e15, is_own: false },
  { name: 'float64', rate: 6e13, is_own: false },
];

describe('what is drawn of a roofline', () => {
  it('has operators with both coordinates, at their places in the answer', () => {
    const drawn = rooflineOf({ rows: [UNCOUNTED, ROW], ceilings: CEILINGS });
    expect(drawn?.points.map(({ at }) => at)).toEqual([1]);
    expect(rooflineOf({ rows: [UNCOUNTED], ceilings: CEILINGS })).toBeNull();
  });

  it('has the peaks of the types that are multiplied, and the place where they meet the memory', () => {
    const drawn = rooflineOf({ rows: [ROW], ceilings: CEILINGS });
    expect(drawn?.roofs).toEqual([{ type: 'half', rate: 1e15 }]);
    expect(drawn?.memory).toBe(5e12);
    expect(drawn?.x[0]).toBeLessThan(100);
    expect(drawn?.x[1]).toBeGreaterThan(1e15 / 5e12);
    expect(drawn?.y[1]).toBeGreaterThan(1e15);
  });

  it('has no ceilings where they are not known', () => {
    const drawn = rooflineOf({ rows: [{ ...ROW, peak: null }], ceilings: [] });
    expect([drawn?.roofs, drawn?.memory]).toEqual([[], null]);
  });
});
