import { expect, it } from 'vitest';
import { paintedCells, scaleOf } from './colors';

const powers = Float32Array.from({ length: 400 }, (_, i) => 10 ** (-4 + i / 100));

it('places sizes by powers of ten, and lets a few extremes be beyond', () => {
  const scale = scaleOf('size', Float32Array.of(...powers, 1e30, NaN, 0));
  const [low, middle, high] = scale.ends;
  expect(low).toBeCloseTo(1.1e-4, 4);
  expect(high).toBeLessThan(2);
  expect(scale.at(middle)).toBeCloseTo(0.5);
  expect([scale.at(0), scale.at(low), scale.at(high), scale.at(1e30)]).toEqual([0, 0, 1, 1]);
});

it('shows numbers that hardly differ as such', () => {
  const { ends } = scaleOf('std', Float32Array.of(1, 1.01, 1.02));
  expect(ends[2] / ends[0]).toBeCloseTo(2);
});

it('has 0 in the middle of means, and shares as they are', () => {
  const mean = scaleOf('mean', Float32Array.of(-4, 0, 1, 2));
  expect([mean.at(-4), mean.at(0), mean.at(1), mean.at(4)]).toEqual([0, 0.5, 0.75, 1]);
  expect(mean.diverges).toBe(true);
  expect(scaleOf('zeros', Float32Array.of(0.1, 0.2)).at(0.25)).toBe(0.25);
});

it('has a scale without any number', () => {
  for (const measure of ['size', 'mean', 'nonfinite', 'ratio'] as const) {
    const { ends, at } = scaleOf(measure, Float32Array.of(NaN, NaN));
    expect(ends.every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(at(1))).toBe(true);
  }
});

it('paints what is not finite in a colour of its own, whatever the number, and nothing where nothing is known', () => {
  const shades = new Uint8ClampedArray(3 * 256).map((_, i) => Math.floor(i / 3));
  const cells = paintedCells(Float32Array.of(0, 1, NaN, NaN), Uint8Array.of(0, 1, 2, 0), (value) => value, {
    shades,
    bad: [200, 0, 0],
    gradient: '',
  });
  expect([...cells]).toEqual([0, 0, 0, 255, 200, 0, 0, 255, 200, 0, 0, 255, 0, 0, 0, 0]);
});
