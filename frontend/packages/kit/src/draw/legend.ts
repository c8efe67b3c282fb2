import { estimatedWidth } from './painter';

export interface LegendPlace {
  readonly x: number;
  readonly y: number;
  readonly maxWidth: number;
}

const ROW = 17;

/** Height of the legend below a plot of this width. */
export function legendHeight(labels: readonly string[], width: number): number {
  return labels.length === 0 ? 0 : Math.ceil(labels.length / columnsOf(labels, width)[0]) * ROW + 14;
}

/** Places of the items, in as many columns as fit; `top` is the middle of the first line. */
export function legendPlaces(labels: readonly string[], width: number, top: number): LegendPlace[] {
  const [columns, each] = columnsOf(labels, width);
  return labels.map((_, i) => ({
    x: 16 + (i % columns) * each,
    y: top + Math.floor(i / columns) * ROW,
    maxWidth: each - 34,
  }));
}

function columnsOf(labels: readonly string[], width: number): readonly [count: number, each: number] {
  const widest = labels.reduce((most, label) => Math.max(most, estimatedWidth(label, 11)), 60) + 44;
  const columns = Math.max(1, Math.min(labels.length, Math.floor((width - 32) / widest)));
  return [columns, Math.floor((width - 32) / columns)];
}
