/** Places of a picture and their sizes, in CSS pixels. */

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** With title, axis labels and legend: for files. */
  readonly labelled: boolean;
  /** Only for figures of papers. */
  readonly sheet?: Sheet;
}

export const LEGEND_PLACES = [
  'below',
  'right',
  'top-left',
  'top-right',
  'bottom-left',
  'bottom-right',
  'none',
] as const;
/** Outside of the plot, or in a corner of it. */
export type LegendPlace = (typeof LEGEND_PLACES)[number];

/** How a figure of a paper looks; widths in pixels. */
export interface Sheet {
  readonly lineWidth: number;
  readonly legend: LegendPlace;
}

export const GUTTER = 54; // room for nine characters; fixed, so that the plot never moves while data arrives
export const BOTTOM = 22;
export const TITLE = 30;
export const LABEL = 18; // room for the name of the axis below a plot
