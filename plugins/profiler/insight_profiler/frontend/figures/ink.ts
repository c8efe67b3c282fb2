/** Colours of pictures, resolved: a picture is the same in a file of its own. */
import type { Theme } from '@insight-host/api';

export interface Ink {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly faint: string;
  readonly grid: string;
  readonly accent: string;
  readonly selection: string;
  readonly warn: string;
  readonly danger: string;
  readonly ok: string;
  readonly font: string;
  category(name: string): string;
  /** Of the first, second, … of a list. */
  rank(at: number): string;
  readonly other: string;
}

// lightness in the light and in the dark theme, chroma, hue
const OF_CATEGORY: Readonly<Record<string, readonly [number, number, number, number]>> = {
  kernel: [0.58, 0.68, 0.15, 255],
  memcpy: [0.66, 0.74, 0.1, 195],
  memset: [0.6, 0.68, 0.09, 165],
  communication: [0.68, 0.75, 0.15, 50],
  runtime: [0.58, 0.68, 0.14, 305],
  data: [0.7, 0.78, 0.14, 120],
  operator: [0.64, 0.72, 0.11, 230],
  other: [0.62, 0.6, 0.02, 260],
  idle: [0.87, 0.36, 0.01, 260],
  iteration_interval: [0.87, 0.36, 0.01, 260],
  forward_backward: [0.58, 0.68, 0.15, 255],
  tail: [0.68, 0.75, 0.15, 50],
  computing: [0.58, 0.68, 0.15, 255],
  communication_not_overlapped: [0.68, 0.75, 0.15, 50],
  receive: [0.6, 0.68, 0.12, 20],
  bubble: [0.7, 0.6, 0.1, 95],
  free: [0.87, 0.36, 0.01, 260],
  lane: [0.64, 0.7, 0.12, 150],
};
const PLAIN = [0.62, 0.6, 0.02, 260] as const;
const GOLDEN = 137.508; // degrees

/** sRGB of a colour of equal perceived steps (OKLCH), as `#rrggbb`; what no screen shows is cut off. */
export function hexOf(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  return `#${linear
    .map((value) => {
      const light = value <= 0.0031308 ? 12.92 * value : 1.055 * Math.max(0, value) ** (1 / 2.4) - 0.055;
      return Math.round(255 * Math.max(0, Math.min(1, light))).toString(16).padStart(2, '0');
    })
    .join('')}`;
}

const known = new WeakMap<Theme, Ink>();

export function inkOf(theme: Theme): Ink {
  const found = known.get(theme);
  if (found) return found;
  const dark = theme.mode === 'dark';
  const token = (name: string, fallback: string): string => theme.token(name).trim() || fallback;
  const ink: Ink = {
    background: token('--surface', dark ? '#161b22' : '#ffffff'),
    text: token('--text', dark ? '#e4e8ed' : '#1b2027'),
    muted: token('--muted', dark ? '#9aa5b2' : '#59636f'),
    faint: token('--faint', '#8b95a1'),
    grid: token('--grid', dark ? '#242b34' : '#e8ebef'),
    accent: token('--accent', '#1f62c4'),
    selection: token('--selection', '#1f62c422'),
    warn: token('--warn', '#8f5a00'),
    danger: token('--danger', '#bf2d2d'),
    ok: token('--ok', '#1b7f47'),
    font: 'system-ui, sans-serif',
    category(name) {
      const [light, inDark, chroma, hue] = (Object.hasOwn(OF_CATEGORY, name) ? OF_CATEGORY[name] : undefined) ?? PLAIN;
      return hexOf(dark ? inDark : light, chroma, hue);
    },
    rank: (at) => hexOf((dark ? 0.7 : 0.63) + (at % 3 === 1 ? 0.08 : 0), at < 10 ? 0.14 : 0.09, 255 + at * GOLDEN),
    other: hexOf(dark ? 0.45 : 0.78, 0.01, 260),
  };
  known.set(theme, ink);
  return ink;
}

/** Of a text upon a colour `#rrggbb`. */
export function onColor(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#10151b' : '#ffffff';
}
