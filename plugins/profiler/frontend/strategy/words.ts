/** Short texts about how tensors are cut. */
import { bytesText } from '@insight-host/kit';
import type { Locale } from '@insight-host/api';
import type { Axes, Communication, LayoutChange, StrategyOperator } from '../answers/strategy';

/** Axes of a device matrix by letters: A is the first that has more than one device. */
export function letters(devices: readonly number[]): readonly string[] {
  let at = 0;
  return devices.map((size) => (size > 1 ? String.fromCharCode(65 + (at++ % 26)) : ''));
}

/** `A2 × B4`: the device matrix without its axes of one device. */
export function matrixText(devices: readonly number[]): string {
  const names = letters(devices);
  return devices.flatMap((size, i) => (size > 1 ? [`${names[i] ?? ''}${size}`] : [])).join(' × ') || '1';
}

/** `[A, ·]`: which axis cuts which dimension. */
export function axesText(devices: readonly number[], axes: Axes): string {
  const names = letters(devices);
  return `[${axes.map((of) => of.map((axis) => names[axis] ?? '').join('') || '·').join(', ')}]`;
}

export const shapeText = (shape: readonly number[] | null): string =>
  shape === null ? '—' : shape.length === 0 ? '1' : shape.join(' × ');

/** How an operator is cut: by device axes where they are known, else parts of each dimension of each input. */
export function cutText({ devices, output_axes: axes, strategy }: StrategyOperator): string {
  if (devices && axes) return `${matrixText(devices)} → ${axesText(devices, axes)}`;
  return strategy ? strategy.map((dims) => `[${dims.join(', ')}]`).join(' ') : '';
}

/** `AllReduce ×2, 8 kB` */
export function collectiveText(kind: string, ranks: number, bytes: number | null, locale: Locale): string {
  return `${kind}${ranks > 1 ? ` ×${ranks}` : ''}${bytes === null ? '' : `, ${bytesText(bytes, locale)}`}`;
}

/** Between two ranks their number says nothing. */
export const communicationText = ({ kind, count, bytes, peer }: Communication, locale: Locale): string =>
  collectiveText(kind, peer ? 1 : count, bytes, locale);

/** What a change of layout needs; empty if every device only cuts what it has. */
export const changeText = ({ collectives }: LayoutChange, locale: Locale): string =>
  collectives.map(({ kind, ranks, bytes }) => collectiveText(kind, ranks, bytes, locale)).join(' + ');

/** `[0:16, :]`: what a slice has of each dimension; `[1/4, :]` if only parts are known, not the shape. */
export function sliceText(
  slice: readonly (readonly [number, number])[],
  shape: readonly number[] | null,
  parts: readonly number[],
): string {
  const texts = slice.map(([from, to], i) => {
    if ((parts[i] ?? 1) === 1) return ':';
    return shape ? `${from}:${to}` : `${to}/${parts[i]}`;
  });
  return `[${texts.join(', ')}]`;
}

/** Numbers in a row as a range: `0–3, 8`. */
export function rangesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
