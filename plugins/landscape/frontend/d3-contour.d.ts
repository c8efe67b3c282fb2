/** What this plugin uses of d3-contour. */
declare module 'd3-contour' {
  export interface Contours {
    size(size: readonly [columns: number, rows: number]): Contours;
    /** Rings around what is at least `threshold`; a sample is in the middle of its square, `[0.5, 0.5]` the first. */
    contour(
      values: ArrayLike<number>,
      threshold: number,
    ): { readonly coordinates: readonly (readonly (readonly (readonly [number, number])[])[])[] };
  }
  export function contours(): Contours;
}
