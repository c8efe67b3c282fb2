/** Error bars of a line: a whisker with caps at each point. */
import type { Painter, Stroke } from '@insight-host/kit/draw';
import { pieces, visible } from './extent';
import type { Entry, Figure } from './layout';

const APART = 9; // pixels from one bar to the next, without which they are drawn as a band
const CAP = 3; // pixels left and right of a bar
const FAR = 1e4; // pixels; beyond this, rasterisers lose precision

/** Indices of the points of a line that are in view. */
function* inView({ line }: Entry, { x }: Figure): Generator<number> {
  for (const piece of pieces(line)) {
    const [start, end] = visible(line.x, piece, x.domain);
    for (let i = start; i < end; i++) yield i;
  }
}

/** Whether a line has error bars that can be told apart. */
export function hasRoomForBars(entry: Entry, figure: Figure): boolean {
  if (!entry.line.band?.bars) return false;
  let room = figure.plot.width / APART + 2; // two neighbours out of view
  for (const _ of inView(entry, figure)) if (--room < 0) return false;
  return true;
}

export function drawErrorBars(entry: Entry, figure: Figure, painter: Painter, faint: number): void {
  const { line, scale } = entry;
  const { band } = line;
  if (!band) return;
  const stroke: Stroke = { color: line.color, width: 1, ...(line.role === 'raw' ? { alpha: faint } : {}) };
  const [bottom, top] = scale.range;
  for (const i of inView(entry, figure)) {
    const px = figure.x.toPixel(line.x[i] as number);
    const [low, high] = [band.low[i] as number, band.high[i] as number];
    if (!Number.isFinite(px) || !Number.isFinite(low) || !Number.isFinite(high)) continue;
    const place = (value: number): number => Math.max(top - FAR, Math.min(bottom + FAR, scale.toPixel(value)));
    const to = place(high);
    const isEndless = Number.isNaN(place(low)); // a logarithmic axis has no place for what is not positive
    const from = isEndless ? bottom + FAR : place(low);
    if (Number.isNaN(to)) continue;
    painter.segment(px, from, px, to, stroke);
    for (const end of isEndless ? [to] : [from, to]) painter.segment(px - CAP, end, px + CAP, end, stroke);
  }
}
