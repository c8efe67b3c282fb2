import { hash, mix, oklch, rgbOf, type Rgb } from '@insight-host/kit';
import type { Column } from './source';

/** What a colour stands for. */
interface LegendLine {
  readonly label: string;
  readonly color: string;
  readonly count: number;
}
interface Ramp {
  readonly low: number;
  readonly high: number;
  readonly colors: readonly string[];
}
/** Colours of all points, before any are made faint. */
interface Coloring {
  /** Red, green and blue of one point after the other. */
  readonly rgb: Uint8Array;
  /** The most frequent labels first, numbers in order; null for a ramp or one colour. */
  readonly lines: readonly LegendLine[] | null;
  readonly ramp: Ramp | null;
}

const FEW = 20; // labels whose colours a reader can tell apart
const HUES = [255, 50, 150, 330, 95, 200, 20, 290, 120, 0]; // degrees in OKLCH, neighbours far apart
const RAMP = ['#440154', '#472c7a', '#3b518b', '#2c718e', '#21908d', '#27ad81', '#5cc863', '#aadc32', '#fde725'];
const STEPS = 256; // colours of a ramp

/** The number in each cell; NaN in an empty one. */
function numbersOf({ labels, codes }: Column): Float64Array {
  const values = labels.map((label) => (label.trim() === '' ? NaN : Number(label)));
  return Float64Array.from(codes, (code) => values[code] as number);
}

/** The column whose labels tell points apart best at first sight; null for none. */
export function firstColumn(columns: readonly Column[]): Column | null {
  return columns.find(({ labels }) => labels.length > 1 && labels.length <= FEW) ?? null;
}

/** `column`: what colours stand for; without one all points have one colour. */
export function coloringOf(column: Column | null, count: number, dark: boolean, accent: string): Coloring {
  if (!column) {
    const rgb = new Uint8Array(3 * count);
    const color = rgbOf(accent);
    for (let i = 0; i < count; i++) rgb.set(color, 3 * i);
    return { rgb, lines: null, ramp: null };
  }
  return column.is_number && column.labels.length > FEW ? byNumber(column, dark) : byLabel(column, dark);
}

function byLabel(column: Column, dark: boolean): Coloring {
  const counts = new Uint32Array(column.labels.length);
  for (const code of column.codes) counts[code] = (counts[code] as number) + 1;
  const order = column.labels.map((_, code) => code);
  if (column.is_number) order.sort((a, b) => Number(column.labels[a]) - Number(column.labels[b]));
  else order.sort((a, b) => (counts[b] as number) - (counts[a] as number));
  const colors: string[] = [];
  order.forEach((code, place) => (colors[code] = labelColor(place, column.labels[code] as string, dark)));
  const tints = colors.map(rgbOf);
  const rgb = new Uint8Array(3 * column.codes.length);
  column.codes.forEach((code, i) => rgb.set(tints[code] as Rgb, 3 * i));
  const lines = order.map((code) => ({
    label: column.labels[code] as string,
    color: colors[code] as string,
    count: counts[code] as number,
  }));
  return { rgb, lines, ramp: null };
}

function labelColor(place: number, label: string, dark: boolean): string {
  if (place >= FEW) return oklch(dark ? 0.7 : 0.6, 0.08, hash(label) % 360);
  const hue = HUES[place % HUES.length] as number;
  const isSecond = place >= HUES.length;
  if (dark) return oklch(isSecond ? 0.84 : 0.71, isSecond ? 0.09 : 0.15, hue);
  return oklch(isSecond ? 0.74 : 0.56, isSecond ? 0.1 : 0.17, hue);
}

function byNumber(column: Column, dark: boolean): Coloring {
  const values = numbersOf(column);
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const steps = Array.from({ length: STEPS }, (_, i) => rgbOf(rampColor(i / (STEPS - 1))));
  const none = rgbOf(dark ? '#5b6370' : '#b4bac2');
  const rgb = new Uint8Array(3 * values.length);
  values.forEach((value, i) => {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    rgb.set(Number.isFinite(value) ? (steps[Math.round(share * (STEPS - 1))] as Rgb) : none, 3 * i);
  });
  return { rgb, lines: null, ramp: { low, high, colors: RAMP } };
}

function rampColor(share: number): string {
  const at = share * (RAMP.length - 1);
  const below = Math.min(RAMP.length - 2, Math.floor(at));
  return mix(RAMP[below] as string, RAMP[below + 1] as string, at - below);
}

const FAINT = 0.16; // how much of its colour a point keeps that others stand out from

/**
 * Colours as the graphics card wants them. `focus`: the others are faint; `shown`: the others are hidden; both null:
 * all are alike.
 */
export function painted(
  rgb: Uint8Array,
  shown: Uint8Array | null,
  focus: Uint8Array | null,
  background: Rgb,
): Uint8Array {
  const count = rgb.length / 3;
  const found = new Uint8Array(4 * count);
  for (let i = 0; i < count; i++) {
    const keeps = focus === null || focus[i] ? 1 : FAINT;
    for (let k = 0; k < 3; k++)
      found[4 * i + k] = (rgb[3 * i + k] as number) * keeps + (background[k] as number) * (1 - keeps);
    found[4 * i + 3] = shown === null || shown[i] ? Math.max(1, 255 * keeps) : 0;
  }
  return found;
}
