import { contours } from 'd3-contour';
import type { Landscape } from './landscape';

type Rings = readonly (readonly (readonly [number, number])[])[];

const rings = new WeakMap<Landscape, Map<number, Rings>>();
const MOST = 400; // levels whose rings are kept of one landscape

/** Rings around where the loss is at least `level`, in coordinates of the axes; what is beyond the edge is beyond the plot. */
export function ringsOf(landscape: Landscape, level: number): Rings {
  const kept = rings.get(landscape) ?? new Map<number, Rings>();
  rings.set(landscape, kept);
  let found = kept.get(level);
  if (!found) {
    if (kept.size >= MOST) kept.clear();
    const { x, y, z } = landscape;
    const { coordinates } = contours().size([x.length, y.length]).contour(z, level);
    found = coordinates.flat().map((ring) => ring.map(([u, v]) => [onAxis(x, u - 0.5), onAxis(y, v - 0.5)] as const));
    kept.set(level, found);
  }
  return found;
}

/** The value at an index between two points; beyond the ends the last interval goes on. */
function onAxis(axis: Float64Array, index: number): number {
  const from = Math.max(0, Math.min(Math.floor(index), axis.length - 2));
  const [low, high] = [axis[from] as number, axis[from + 1] as number];
  return low + (high - low) * (index - from);
}

export function pathData(found: Rings, toX: (x: number) => number, toY: (y: number) => number): string {
  return found.map((ring) => `M${ring.map(([x, y]) => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`).join('L')}Z`).join('');
}
