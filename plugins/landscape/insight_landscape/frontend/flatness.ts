/** What the route `flatness` answers. */

/** A value, and how far it may be off; null where the grid does not say. */
export interface Measured {
  readonly value: number;
  readonly error: number | null;
}

export interface RunFlatness {
  readonly run: string;
  readonly id: string;
  /** The loss at the end; null without a finite one. */
  readonly loss: number | null;
  /** The mean rise on the circle, and the largest. */
  readonly rise: Measured | null;
  readonly worst: Measured | null;
  readonly area: { readonly size: Measured; readonly edge: boolean } | null;
  readonly curvature: { readonly largest: Measured; readonly smallest: Measured } | null;
  /** Whether the directions are normalised by filters. */
  readonly normalised: boolean | null;
}

export interface FlatnessAnswer {
  readonly radius: number;
  /** The largest radius that all grids have around the end. */
  readonly reach: number;
  readonly epsilon: number;
  /** The flattest first. */
  readonly runs: readonly RunFlatness[];
}

/**
 * Whether the rise of a run cannot be told from that of the run before it: their values are within what both may be
 * off.
 */
export function isTie(before: RunFlatness | undefined, one: RunFlatness): boolean {
  if (!before?.rise || !one.rise) return false;
  return one.rise.value - before.rise.value <= (before.rise.error ?? 0) + (one.rise.error ?? 0);
}
