/** Colours as numbers: any CSS colour, mixtures, and OKLCH (https://bottosson.github.io/posts/oklab/). */

/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

const known = new Map<string, Rgb>();

/** Parses any CSS colour; grey if it is invalid, or without a canvas. */
export function rgbOf(color: string): Rgb {
  let found = known.get(color);
  if (!found) {
    found = hex(color) ?? painted(color) ?? [128, 128, 128];
    if (known.size > 1000) known.clear();
    known.set(color, found);
  }
  return found;
}

function hex(color: string): Rgb | null {
  const digits = /^#([0-9a-f]{6})$/i.exec(color.trim())?.[1];
  if (!digits) return null;
  const value = parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function painted(color: string): Rgb | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context || !CSS.supports('color', color)) return null;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
  return [r ?? 0, g ?? 0, b ?? 0];
}

type Lab = readonly [number, number, number];

function labOf(color: Rgb): Lab {
  const [r, g, b] = color.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Linear red, green and blue; below 0 or above 1 where no screen shows the colour. */
function linearOf([L, a, b]: Lab): readonly [number, number, number] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function hexOfLinear(linear: readonly number[]): string {
  const byte = (value: number): number => {
    const x = Math.max(0, Math.min(1, value));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  };
  return hexOf(linear.map(byte));
}

/** `#rrggbb`, which every program that opens a picture knows. */
export function hexOf(color: readonly number[]): string {
  return `#${color.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * `#rrggbb` of a lightness from 0 to 1, a chroma, and a hue in degrees; the chroma is lowered until screens show the
 * colour.
 */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const linear = (c: number): readonly number[] => linearOf([lightness, c * Math.cos(angle), c * Math.sin(angle)]);
  let shown = chroma;
  while (shown > 0 && linear(shown).some((value) => value < -0.0005 || value > 1.0005)) shown -= 0.004;
  return hexOfLinear(linear(Math.max(0, shown)));
}

/** Between two colours, as the eye sees it: 0 is the first, 1 the second. */
export function mix(from: string, to: string, share: number): string {
  const [a, b] = [labOf(rgbOf(from)), labOf(rgbOf(to))];
  const between = (i: 0 | 1 | 2): number => a[i] + (b[i] - a[i]) * share;
  return hexOfLinear(linearOf([between(0), between(1), between(2)]));
}

/**
 * A number for a name, to choose its colour by: FNV-1a over UTF-16 code units with the final mixing of MurmurHash3 so
 * that the low bits spread.
 */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
