/** Error bars of a line: a whisker with caps at each point. */
import type { Painter, Stroke } from '@insight-host/kit/draw';
import { pieces, visible } from './extent';
import type { Entry, Figure } from './layout';
import type { Line } from './props';

const APART = 9; // pixels from one bar to the next, without which they are drawn as a band
const CAP = 3; // pixels left and right of a bar
const RADIUS = 2.5; // of a point with a bar
const FAINT = 0.28; // of bars behind a smoothed line
const FAR = 1e4; // pixels; beyond this, rasterisers lose precision

/** From where to where the points of a line are in view, piece by piece, each with its neighbours. */
const inView = (line: Line, { x }: Figure): readonly (readonly [start: number, end: number])[] =>
  pieces(line).map((piece) => visible(line.x, piece, x.domain));

/** Whether a line has error bars that can be told apart. */
export function hasRoomForBars({ line }: Entry, figure: Figure): boolean {
  if (!line.band?.bars) return false;
  const count = inView(line, figure).reduce((sum, [start, end]) => sum + end - start, 0);
  return count <= figure.plot.width / APART + 2; // two neighbours out of view
}

/** Also at the edges of the plot, where half of a bar stands beside it. */
export function drawErrorBars(entries: readonly Entry[], figure: Figure, painter: Painter): void {
  const { left, top, width, height } = figure.plot;
  painter.clipped(left - CAP, top - CAP, width + 2 * CAP, height + 2 * CAP, () => {
    for (const entry of entries) barsOf(entry, figure, painter);
  });
}

function barsOf({ line, scale }: Entry, figure: Figure, painter: Painter): void {
  const { left, width } = figure.plot;
  const { band, role, color } = line;
  const alpha = role === 'raw' ? FAINT : 1;
  const stroke: Stroke = { color, width: 1, alpha };
  const [bottom, top] = scale.range;
  const place = (value: number): number => Math.max(top - FAR, Math.min(bottom + FAR, scale.toPixel(value)));
  const places = inView(line, figure).flatMap(([start, end]) =>
    Array.from({ length: end - start }, (_, i) => start + i),
  );
  for (const i of band ? places : []) {
    const px = figure.x.toPixel(line.x[i] as number);
    const [low, high] = [band?.low[i] as number, band?.high[i] as number];
    if (!(px >= left - 1 && px <= left + width + 1) || !Number.isFinite(low) || !Number.isFinite(high)) continue;
    const to = place(high);
    const isEndless = Number.isNaN(place(low)); // a logarithmic axis has no place for what is not positive
    const from = isEndless ? bottom + FAR : place(low);
    if (Number.isNaN(to)) continue;
    painter.segment(px, from, px, to, stroke);
    for (const end of isEndless ? [to] : [from, to]) painter.segment(px - CAP, end, px + CAP, end, stroke);
    const at = scale.toPixel(line.y[i] as number);
    if (role !== 'raw' && Number.isFinite(at)) painter.circle(px, at, RADIUS, color);
  }
}
