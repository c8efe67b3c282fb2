import type { Projected } from './camera';

/**
 * The point under the pointer: of those within `reach` pixels the one nearest to it, of equals the nearest to the
 * viewer.
 */
export function pointAt(
  { x, y, depth }: Projected,
  shown: Uint8Array | null,
  px: number,
  py: number,
  reach: number,
): number | null {
  let [found, best] = [-1, Infinity];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] as number) - px, (y[i] as number) - py];
    if (!(dx < reach && dx > -reach && dy < reach && dy > -reach) || (shown && !shown[i])) continue;
    const away = Math.hypot(dx, dy);
    // points that cover each other: the front one is what is seen
    const rank = Math.max(2, away) + (depth[i] as number) * 0.5;
    if (away <= reach && rank < best) [found, best] = [i, rank];
  }
  return found < 0 ? null : found;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The points in a box of the screen, in their order. */
export function pointsIn({ x, y }: Projected, shown: Uint8Array | null, box: Box): Uint32Array {
  const found: number[] = [];
  for (let i = 0; i < x.length; i++) {
    const [px, py] = [x[i] as number, y[i] as number];
    if (px >= box.left && px <= box.right && py >= box.top && py <= box.bottom && (!shown || shown[i])) found.push(i);
  }
  return Uint32Array.from(found);
}
