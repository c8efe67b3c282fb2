import { contours } from 'd3-contour';
import { placeOn, type Landscape } from './landscape';

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

type Place = (value: number) => number;
const text = ([x, y]: readonly [number, number], toX: Place, toY: Place): string => `${toX(x).toFixed(1)},${toY(y).toFixed(1)}`;

/** The rings, as areas to be filled. */
export function areaData(found: Rings, toX: Place, toY: Place): string {
  return found.map((ring) => `M${ring.map((point) => text(point, toX, toY)).join('L')}Z`).join('');
}

/** The rings without what is no line of equal loss: their ends along the edges, and the ways around points without a number. */
export function lineData(found: Rings, landscape: Landscape, toX: Place, toY: Place): string {
  const parts: string[] = [];
  for (const ring of found) {
    let drawing = false;
    ring.forEach((point, i) => {
      const before = ring[i - 1];
      if (!before || !isWithin(landscape, (before[0] + point[0]) / 2, (before[1] + point[1]) / 2)) drawing = false;
      else {
        parts.push(drawing ? `L${text(point, toX, toY)}` : `M${text(before, toX, toY)}L${text(point, toX, toY)}`);
        drawing = true;
      }
    });
  }
  return parts.join('');
}

/** Whether a place is between four points of the grid that are all numbers. */
function isWithin({ x, y, z }: Landscape, atX: number, atY: number): boolean {
  const [across, up] = [placeOn(x, atX), placeOn(y, atY)];
  if (!across || !up) return false;
  const corner = up[0] * x.length + across[0];
  return [0, 1, x.length, x.length + 1].every((more) => Number.isFinite(z[corner + more]));
}
