import { contours } from 'd3-contour';
import type { Landscape } from './landscape';

/** A closed line around where the loss is at least a level. */
export interface Ring {
  /** In coordinates of the axes; what is beyond the edge is beyond the plot. */
  readonly points: readonly (readonly [number, number])[];
  /** Of each point, 1 where the way to it from the one before is between four points of the grid that are numbers. */
  readonly isLine: Uint8Array;
}

const rings = new WeakMap<Landscape, Map<number, readonly Ring[]>>();
const MOST = 400; // levels whose rings are kept of one landscape

export function ringsOf(landscape: Landscape, level: number): readonly Ring[] {
  const kept = rings.get(landscape) ?? new Map<number, readonly Ring[]>();
  rings.set(landscape, kept);
  let found = kept.get(level);
  if (!found) {
    if (kept.size >= MOST) kept.clear();
    const { x, y, z } = landscape;
    const { coordinates } = contours().size([x.length, y.length]).contour(z, level);
    found = coordinates.flat().map((ring) => ({
      points: ring.map(([u, v]) => [onAxis(x, u - 0.5), onAxis(y, v - 0.5)] as const),
      isLine: linesIn(landscape, ring),
    }));
    kept.set(level, found);
  }
  return found;
}

/** `ring` is in the coordinates of d3: the first point of the grid is at a half. */
function linesIn({ x, y, z }: Landscape, ring: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(ring, ([u = NaN, v = NaN], i) => {
    const [before = NaN, above = NaN] = ring[i - 1] ?? [];
    const [column, row] = [Math.floor((before + u - 1) / 2), Math.floor((above + v - 1) / 2)];
    if (!(column >= 0 && column + 1 < x.length && row >= 0 && row + 1 < y.length)) return 0;
    const corner = row * x.length + column;
    return Number.isFinite(z[corner]) &&
      Number.isFinite(z[corner + 1]) &&
      Number.isFinite(z[corner + x.length]) &&
      Number.isFinite(z[corner + x.length + 1])
      ? 1
      : 0;
  });
}

/** The value at an index between two points; beyond the ends the last interval goes on. */
function onAxis(axis: Float64Array, index: number): number {
  const from = Math.max(0, Math.min(Math.floor(index), axis.length - 2));
  const [low, high] = [axis[from] as number, axis[from + 1] as number];
  return low + (high - low) * (index - from);
}

type Place = (value: number) => number;
const text = ([x, y]: readonly [number, number], toX: Place, toY: Place): string =>
  `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`;

/** The rings, as areas to be filled. */
export function areaData(found: readonly Ring[], toX: Place, toY: Place): string {
  return found.map(({ points }) => `M${points.map((point) => text(point, toX, toY)).join('L')}Z`).join('');
}

/**
 * The contour rings without the parts along the edges and around non-finite points, which are not lines of equal loss.
 */
export function lineData(found: readonly Ring[], toX: Place, toY: Place): string {
  const parts: string[] = [];
  for (const { points, isLine } of found) {
    points.forEach((point, i) => {
      if (!isLine[i]) return;
      if (!isLine[i - 1]) parts.push(`M${text(points[i - 1] as readonly [number, number], toX, toY)}`);
      parts.push(`L${text(point, toX, toY)}`);
    });
  }
  return parts.join('');
}
