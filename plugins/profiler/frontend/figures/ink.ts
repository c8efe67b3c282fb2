/** Colours of pictures, resolved: a picture is the same in a file of its own. */
import type { Theme } from '@insight-host/api';
import { oklch } from '@insight-host/kit';

export interface Ink {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly accent: string;
  readonly selection: string;
  readonly warn: string;
  readonly font: string;
  category(name: string): string;
  /** What is worse than usual. */
  readonly bad: string;
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
  host: [0.64, 0.72, 0.11, 230],
  launch: [0.75, 0.6, 0.08, 280],
  delay: [0.8, 0.45, 0.02, 260],
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
    grid: token('--grid', dark ? '#242b34' : '#e8ebef'),
    accent: token('--accent', '#1f62c4'),
    selection: token('--selection', '#1f62c422'),
    warn: token('--warn', '#8f5a00'),
    font: 'system-ui, sans-serif',
    category(name) {
      const [light, inDark, chroma, hue] = (Object.hasOwn(OF_CATEGORY, name) ? OF_CATEGORY[name] : undefined) ?? PLAIN;
      return oklch(dark ? inDark : light, chroma, hue);
    },
    bad: oklch(dark ? 0.72 : 0.62, 0.17, 45),
    rank: (at) => oklch((dark ? 0.7 : 0.63) + (at % 3 === 1 ? 0.08 : 0), at < 10 ? 0.14 : 0.09, 255 + at * GOLDEN),
    other: oklch(dark ? 0.45 : 0.78, 0.01, 260),
  };
  known.set(theme, ink);
  return ink;
}

/** Of a text upon a colour `#rrggbb`. */
export function onColor(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#10151b' : '#ffffff';
}
