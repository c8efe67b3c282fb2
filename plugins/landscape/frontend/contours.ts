import { ringsIn } from './marching_squares';

/** The losses of a landscape, as `Landscape` has them. */
export interface Grid {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z: Float64Array;
}

/** A closed line around where the loss is at least a level. */
export interface Ring {
  /** In coordinates of the axes; what is beyond the edge is beyond the plot. */
  readonly points: readonly (readonly [number, number])[];
  /** Of each point, 1 where the way to it from the one before is between four points of the grid that are numbers. */
  readonly isLine: Uint8Array;
}

const rings = new WeakMap<Grid, Map<number, readonly Ring[]>>();
const MOST = 400; // levels whose rings are kept of one landscape

export function ringsOf(landscape: Grid, level: number): readonly Ring[] {
  const kept = rings.get(landscape) ?? new Map<number, readonly Ring[]>();
  rings.set(landscape, kept);
  let found = kept.get(level);
  if (!found) {
    if (kept.size >= MOST) kept.clear();
    const { x, y, z } = landscape;
    found = ringsIn(z, x.length, y.length, level).map(({ us, vs, isLine }) => ({
      points: us.map((u, i) => [onAxis(x, u), onAxis(y, vs[i] as number)] as const),
      isLine: Uint8Array.from(isLine),
    }));
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
