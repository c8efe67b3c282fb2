/** What the route `flatness` answers. */

/** A value, and how far it may be off; null where the grid does not say. */
export interface Measured {
  readonly value: number;
  readonly error: number | null;
}

export interface Curvature {
  readonly largest: Measured;
  readonly smallest: Measured;
}

export interface Minimum {
  readonly kind: 'minimum' | 'saddle' | 'slope';
  /** Up is `n`. */
  readonly falls: readonly ('e' | 'ne' | 'n' | 'nw' | 'w' | 'sw' | 's' | 'se')[];
  readonly drop: number;
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
  /** Of the points next to the end, and of all within the radius. */
  readonly curvature: Curvature | null;
  readonly wide_curvature: Curvature | null;
  /** Whether training ended in a minimum, and where the loss falls if not; null where the grid does not say. */
  readonly minimum: Minimum | null;
  /** Whether the run cannot be told from the one before it. */
  readonly tie: boolean;
  /** Whether the directions are normalised by filters. */
  readonly normalised: boolean | null;
}

export interface FlatnessAnswer {
  readonly radius: number;
  /** The largest radius that all grids have around the end. */
  readonly reach: number;
  readonly epsilon: number;
  /** The flattest first, then those that did not end in a minimum. */
  readonly runs: readonly RunFlatness[];
}
