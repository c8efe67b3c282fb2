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
