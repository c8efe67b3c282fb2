/** Where things are in a picture: areas and sizes in CSS pixels, axes and scales. */
import type { XKind } from '@insight-host/kit/lab';

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

/** What charts have along their axes. */
export type Numbers = Float64Array | Float32Array | readonly number[];

export type { XKind };

/** Of an axis, which may have any numbers. */
export type AxisKind = XKind | 'number';

export interface Tick {
  readonly value: number;
  /** Empty for a tick without text. */
  readonly label: string;
  /** A short line at the axis, between ticks that have grid lines. */
  readonly minor?: boolean;
}

/** Maps values to pixels, linearly or by powers of ten. */
export interface Scale {
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
  readonly log: boolean;
  toPixel(value: number): number;
  toValue(pixel: number): number;
}

export function makeScale(domain: readonly [number, number], range: readonly [number, number], log = false): Scale {
  const from = log ? Math.log10(domain[0]) : domain[0];
  const span = (log ? Math.log10(domain[1]) : domain[1]) - from || 1;
  const slope = (range[1] - range[0]) / span;
  const start = range[0];
  return {
    domain,
    range,
    log,
    toPixel: log
      ? (value) => (value > 0 ? start + (Math.log10(value) - from) * slope : NaN)
      : (value) => start + (value - from) * slope,
    toValue: log ? (pixel) => 10 ** (from + (pixel - start) / slope) : (pixel) => from + (pixel - start) / slope,
  };
}

/** The window that results when `window` is scaled by `factor` around the value under a pixel. */
export function zoomAround(scale: Scale, pixel: number, factor: number): readonly [number, number] {
  const [a, b] = scale.range;
  return ordered(scale.toValue(pixel + (a - pixel) * factor), scale.toValue(pixel + (b - pixel) * factor));
}

/** The window that results when the picture is moved by `pixels`. */
export function panBy(scale: Scale, pixels: number): readonly [number, number] {
  const [a, b] = scale.range;
  return ordered(scale.toValue(a - pixels), scale.toValue(b - pixels));
}

export function ordered(a: number, b: number): readonly [number, number] {
  return a <= b ? [a, b] : [b, a];
}
