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
}

export const GUTTER = 54; // room for nine characters; fixed, so that the plot never moves while data arrives
export const BOTTOM = 22;
export const TITLE = 30;
export const LABEL = 18; // room for the name of the axis below a plot
