import type { Cursor } from './props';
import type { Area } from '@insight-host/kit/draw';
import { lowerBound, pieces, upperBound } from './extent';
import type { Entry, Figure } from './layout';

type Point = Cursor['nearest'][number];

/** For each main line the point nearest to a pixel in x, sorted by distance. */
export function nearest(figure: Figure, px: number, py: number): Cursor['nearest'] {
  const found: Point[] = [];
  for (const entry of figure.entries) {
    if (entry.line.role === 'raw') continue;
    const point = nearestOf(entry, figure, px, py);
    if (point) found.push(point);
  }
  return found.sort((a, b) => a.distance - b.distance);
}

function nearestOf({ line, scale }: Entry, figure: Figure, px: number, py: number): Point | null {
  const { plot } = figure;
  const at = figure.x.toValue(px);
  let best: Point | null = null;
  let bestAcross = Infinity;
  for (const { start, end, sorted } of pieces(line)) {
    const middle = sorted ? lowerBound(line.x, at, start, end) : start;
    const [from, to] = sorted ? [Math.max(start, middle - 1), Math.min(end, middle + 1)] : [start, end];
    for (let i = from; i < to; i++) {
      const x = figure.x.toPixel(line.x[i] as number);
      if (!(x >= plot.left - 1 && x <= plot.left + plot.width + 1)) continue;
      const across = Math.abs(x - px);
      const distance = Math.hypot(across, pixelOf(scale, plot, line.y[i] as number) - py);
      const tie = Math.abs(across - bestAcross) <= 0.01;
      if (tie ? best !== null && distance >= best.distance : across > bestAcross) continue;
      best = { id: line.id, index: i, x: line.x[i] as number, y: line.y[i] as number, distance };
      bestAcross = across;
    }
  }
  return best;
}

/** Where a value is drawn, within reach of the plot; what the axis cannot show sits at the bottom. */
function pixelOf(scale: Entry['scale'], plot: Area, value: number): number {
  const pixel = scale.toPixel(value);
  if (Number.isNaN(pixel)) return plot.top + plot.height;
  return Math.max(plot.top - 1000, Math.min(plot.top + plot.height + 1000, pixel));
}

/** The nearest x of any main line beyond `from`, or with `orAt` at it, in a direction; null at the end. */
export function neighbourX(figure: Figure, from: number, direction: 1 | -1, orAt = false): number | null {
  let best: number | null = null;
  const [lo, hi] = figure.x.domain;
  for (const { line } of figure.entries) {
    if (line.role === 'raw') continue;
    for (const { start, end, sorted } of pieces(line)) {
      const bound = (direction === 1) === orAt ? lowerBound : upperBound;
      const i = bound(line.x, from, start, end) - (direction === 1 ? 0 : 1);
      const [first, last] = sorted ? [Math.max(start, i), Math.min(end, i + 1)] : [start, end];
      for (let at = first; at < last; at++) {
        const x = line.x[at] as number;
        const isBeyond = (orAt && x === from) || (direction === 1 ? x > from : x < from);
        if (isBeyond && x >= lo && x <= hi && (best === null || (direction === 1 ? x < best : x > best))) best = x;
      }
    }
  }
  return best;
}
