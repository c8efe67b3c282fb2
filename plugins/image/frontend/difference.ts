/** How two pictures of the same size differ. */
export interface Difference {
  /** RGBA of each pixel: how far apart the channels are, times the gain; opaque. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Largest distance in any channel, 0 to 255, without the gain. */
  readonly largest: number;
  /** Mean distance over pixels and colour channels, without the gain. */
  readonly mean: number;
  /** Pixels that differ at all, also in alpha. */
  readonly differing: number;
}

/** Both are RGBA of equal length. */
export function differenceOf(a: Uint8ClampedArray, b: Uint8ClampedArray, gain: number): Difference {
  const pixels = new Uint8ClampedArray(a.length);
  let largest = 0;
  let sum = 0;
  let differing = 0;
  for (let i = 0; i < a.length; i += 4) {
    const red = Math.abs((a[i] as number) - (b[i] as number));
    const green = Math.abs((a[i + 1] as number) - (b[i + 1] as number));
    const blue = Math.abs((a[i + 2] as number) - (b[i + 2] as number));
    const alpha = Math.abs((a[i + 3] as number) - (b[i + 3] as number));
    pixels[i] = red * gain;
    pixels[i + 1] = green * gain;
    pixels[i + 2] = blue * gain;
    pixels[i + 3] = 255;
    sum += red + green + blue;
    const most = Math.max(red, green, blue, alpha);
    if (most > 0) differing++;
    if (most > largest) largest = most;
  }
  return { pixels, largest, mean: a.length ? sum / ((a.length / 4) * 3) : 0, differing };
}
