/** How points look, whatever draws them. */
import type { Rgb } from '@insight-host/kit';

/** The small pictures of all points in one, row by row. */
export interface Atlas {
  readonly image: HTMLImageElement;
  /** Of one picture, in pixels of the image. */
  readonly width: number;
  readonly height: number;
}

/** Sizes are in pixels of the canvas. */
export interface Look {
  readonly size: number;
  /** Of points that stand out. */
  readonly frontSize: number;
  /** Without perspective. */
  readonly flat: boolean;
  readonly background: Rgb;
  /** Around points that stand out. */
  readonly ring: Rgb;
  readonly atlas: Atlas | null;
}

/** Points far from the viewer have less of their colour: from a distance on, over a length, at most so much less. */
export const FOG = { from: 2.6, length: 2, most: 0.55 } as const;
/** Pixels that the ring around them adds. */
export const RING = 4;
