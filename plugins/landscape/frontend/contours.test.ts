import { contours } from 'd3-contour';
import { expect, it } from 'vitest';
import { ringsIn, type GridRing } from './contours';

let seed = 3;
const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;

/** By the even-odd rule. */
function isIn(found: readonly GridRing[], u: number, v: number): boolean {
  let inside = false;
  for (const { us, vs } of found)
    for (let i = 1; i < us.length; i++) {
      const [v0, v1] = [vs[i - 1] as number, vs[i] as number];
      if (v0 > v !== v1 > v) {
        const crossing = (us[i - 1] as number) + ((v - v0) / (v1 - v0)) * ((us[i] as number) - (us[i - 1] as number));
        if (crossing > u) inside = !inside;
      }
    }
  return inside;
}

it('holds exactly the points of noise that are above the level', () => {
  const [columns, rows] = [23, 17];
  for (let round = 0; round < 5; round++) {
    const z = Float64Array.from({ length: columns * rows }, (_, n) => (n % 41 === 7 ? NaN : random()));
    for (const level of [0.2, 0.5, 0.8]) {
      const found = ringsIn(z, columns, rows, level);
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          const value = z[row * columns + column] as number;
          if (Number.isNaN(value) || Math.abs(value - level) < 1e-3) continue; // lines go through points next to those
          const isNextToHole = [-1, 1, -columns, columns].some((by) => Number.isNaN(z[row * columns + column + by]));
          if (!isNextToHole) expect(isIn(found, column + 1e-9, row + 1e-9)).toBe(value >= level);
        }
      for (const { us, vs } of found) expect([us.at(-1), vs.at(-1)]).toEqual([us[0], vs[0]]);
    }
  }
});

it('encloses the areas of d3-contour where the surface is smooth', () => {
  const [columns, rows] = [40, 30];
  const z = Float64Array.from({ length: columns * rows }, (_, n) => {
    const [u, v] = [n % columns, Math.floor(n / columns)];
    return Math.sin(u / 6) * Math.cos(v / 5) + 0.02 * u;
  });
  const area = (points: readonly (readonly [number, number])[]): number =>
    points.reduce((sum, [u, v], i) => {
      const [nextU, nextV] = points[(i + 1) % points.length] as readonly [number, number];
      return sum + (u * nextV - nextU * v) / 2;
    }, 0);
  for (const level of [-0.5, 0, 0.3, 0.9]) {
    const theirs = contours().size([columns, rows]).contour(z, level).coordinates.flat();
    const ours = ringsIn(z, columns, rows, level).map(({ us, vs }) => us.map((u, i) => [u, vs[i] as number] as const));
    expect(ours.length).toBe(theirs.length);
    const sum = (all: readonly (readonly (readonly [number, number])[])[]): number =>
      Math.abs(all.reduce((total, ring) => total + area(ring), 0));
    expect(sum(ours)).toBeCloseTo(sum(theirs), 6);
  }
});

it('takes a grid of 256 by 256 points of noise in one go', () => {
  const z = Float64Array.from({ length: 65536 }, random);
  expect(ringsIn(z, 256, 256, 0.5).length).toBeGreaterThan(1000);
});
