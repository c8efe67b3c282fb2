import { valueText } from 'insight-host/kit';
import { pathData, ringsOf } from './contours';
import { alongPath, type Landscape } from './landscape';
import type { Mark, Picture, Rectangle } from './marks';
import { css, parsed, rampColor, tintColor, type RampName } from './ramps';
import { levelsOf, ticks, type Extent, type LossScale } from './scale';

/** One landscape of a picture. */
export interface Item {
  readonly landscape: Landscape;
  readonly name: string;
  /** Of the run. */
  readonly color: string;
}

export interface Look {
  readonly form: 'contour' | 'topographic' | 'surface';
  readonly scale: LossScale;
  readonly extent: Extent;
  readonly ramp: RampName;
  readonly levels: number;
  readonly path: { readonly color: string; readonly width: number };
  readonly ink: Ink;
}

/** Colours of the page as CSS texts. */
export interface Ink {
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  readonly border: string;
  readonly surface: string;
  readonly hole: string;
}

const MARGIN = { left: 54, top: 12, right: 88, bottom: 30 };
const BAR = 12; // pixels of the width of the colour bar
const BAR_STEPS = 64;

export function plotOf(width: number, height: number): Rectangle {
  return { left: MARGIN.left, top: MARGIN.top, width: Math.max(20, width - MARGIN.left - MARGIN.right), height: Math.max(20, height - MARGIN.top - MARGIN.bottom) };
}

export interface Projection {
  toX(x: number): number;
  toY(y: number): number;
  fromX(px: number): number;
  fromY(py: number): number;
}

export function projection({ x: [x0, x1], y: [y0, y1] }: Extent, { left, top, width, height }: Rectangle): Projection {
  return {
    toX: (x) => left + ((x - x0) / (x1 - x0)) * width,
    toY: (y) => top + height - ((y - y0) / (y1 - y0)) * height,
    fromX: (px) => x0 + ((px - left) / width) * (x1 - x0),
    fromY: (py) => y0 + ((top + height - py) / height) * (y1 - y0),
  };
}

const box = ({ left, top, width, height }: Rectangle): string => `M${left},${top}h${width}v${height}h${-width}Z`;

/** Lines or bands of equal loss, seen from above, without the path. */
export function planPicture(items: readonly Item[], look: Look, width: number, height: number): Picture {
  const plot = plotOf(width, height);
  const to = projection(look.extent, plot);
  const { ink, scale } = look;
  const levels = levelsOf(scale, look.levels);
  const marks: Mark[] = [];
  const shareOf = (n: number): number => (n + 0.5) / (levels.length + 1); // of the band above the n-th line
  items.forEach(({ landscape, color }, n) => {
    const overlaid = items.length > 1;
    const own = parsed(color);
    const colorOf = (share: number): string => css(overlaid ? tintColor(own, share) : rampColor(look.ramp, share));
    const region = plotRegion(landscape, to);
    if (look.form === 'topographic') {
      const areas = [box(region), ...levels.map((level) => pathData(ringsOf(landscape, level), to.toX, to.toY))];
      areas.forEach((d, i) => {
        if (!d) return;
        // Upon each other, every landscape has the same weight, and each place is painted once by each.
        const look = overlaid ? { d: d + (areas[i + 1] ?? ''), opacity: 1 / (n + 1) } : { d };
        marks.push({ kind: 'path', fill: colorOf(shareOf(i)), clip: region, ...look });
        if (i > 0) marks.push({ kind: 'path', d, stroke: overlaid ? color : ink.surface, width: overlaid ? 0.8 : 0.4, clip: region });
      });
    } else {
      levels.forEach((level, i) => {
        const d = pathData(ringsOf(landscape, level), to.toX, to.toY);
        if (d) marks.push({ kind: 'path', d, stroke: overlaid ? color : colorOf((i + 1) / (levels.length + 1)), width: overlaid ? 1 : 1.4, clip: region });
      });
    }
    const holes = holesOf(landscape, to);
    if (holes) marks.push({ kind: 'path', d: holes, fill: ink.hole, clip: region });
  });
  marks.push({ kind: 'path', d: box(plot), stroke: ink.border });
  for (const x of ticks(...look.extent.x, Math.max(2, plot.width / 80))) {
    const at = to.toX(x);
    marks.push({ kind: 'path', d: `M${at.toFixed(1)},${plot.top + plot.height}v4`, stroke: ink.border });
    marks.push({ kind: 'text', x: at, y: plot.top + plot.height + 13, text: valueText(x), color: ink.muted, anchor: 'middle' });
  }
  for (const y of ticks(...look.extent.y, Math.max(2, plot.height / 50))) {
    const at = to.toY(y);
    marks.push({ kind: 'path', d: `M${plot.left},${at.toFixed(1)}h-4`, stroke: ink.border });
    marks.push({ kind: 'text', x: plot.left - 7, y: at, text: valueText(y), color: ink.muted, anchor: 'end' });
  }
  marks.push(...colorBar(items, look, plot));
  return { width, height, marks };
}

/** The area of a landscape, which may be smaller than the plot. */
function plotRegion({ x, y }: Landscape, to: Projection): Rectangle {
  const [left, right] = [to.toX(x[0] as number), to.toX(x.at(-1) as number)];
  const [bottom, top] = [to.toY(y[0] as number), to.toY(y.at(-1) as number)];
  return { left, top, width: right - left, height: bottom - top };
}

/** Around points without a number. */
function holesOf({ x, y, z }: Landscape, to: Projection): string {
  const edge = (axis: Float64Array, i: number, side: -1 | 1): number => ((axis[i] as number) + (axis[Math.max(0, Math.min(axis.length - 1, i + side))] as number)) / 2;
  const parts: string[] = [];
  for (let row = 0; row < y.length; row++) {
    for (let column = 0; column < x.length; column++) {
      if (Number.isFinite(z[row * x.length + column])) continue;
      const [left, right] = [to.toX(edge(x, column, -1)), to.toX(edge(x, column, 1))];
      const [bottom, top] = [to.toY(edge(y, row, -1)), to.toY(edge(y, row, 1))];
      parts.push(`M${left.toFixed(1)},${top.toFixed(1)}H${right.toFixed(1)}V${bottom.toFixed(1)}H${left.toFixed(1)}Z`);
    }
  }
  return parts.join('');
}

/** What the colours mean. Landscapes upon each other have those of their runs: then only the numbers. */
export function colorBar(items: readonly Item[], look: Look, plot: Rectangle): readonly Mark[] {
  const { scale, ink } = look;
  const left = plot.left + plot.width + 14;
  const marks: Mark[] = [];
  const toY = (share: number): number => plot.top + plot.height * (1 - share);
  const first = items[0];
  if (!(scale.high > scale.low) || !first) return marks;
  const overlaid = items.length > 1;
  for (let n = 0; n < BAR_STEPS; n++) {
    const share = (n + 0.5) / BAR_STEPS;
    const fill = css(overlaid ? tintColor([128, 128, 128], share) : rampColor(look.ramp, share));
    const [low, high] = [Math.round(toY(n / BAR_STEPS)), Math.round(toY((n + 1) / BAR_STEPS))];
    marks.push({ kind: 'path', d: `M${left},${high}h${BAR}V${low}h${-BAR}Z`, fill });
  }
  const count = Math.max(2, Math.min(8, Math.floor(plot.height / 36)));
  for (let n = 0; n <= count; n++) {
    const share = n / count;
    marks.push({ kind: 'text', x: left + BAR + 6, y: toY(share), text: valueText(Number(scale.loss(share).toPrecision(4))), color: ink.muted, anchor: 'start' });
  }
  return marks;
}

/** The path as far as it has gone, where it is, and where training ended. */
export function pathMarks({ landscape }: Item, look: Look, plot: Rectangle, progress: number): readonly Mark[] {
  const { path, about } = landscape;
  const to = projection(look.extent, plot);
  const marks: Mark[] = [];
  const { color, width } = look.path;
  if (path) {
    const here = alongPath(path, progress);
    const points = Array.from({ length: here.index + 1 }, (_, i) => [path.x[i] as number, path.y[i] as number] as const);
    points.push([here.x, here.y]);
    marks.push({ kind: 'path', d: `M${points.map(([x, y]) => `${to.toX(x).toFixed(1)},${to.toY(y).toFixed(1)}`).join('L')}`, stroke: color, width, clip: plot });
    const dots = points.slice(0, -1).map(([x, y]) => circle(to.toX(x), to.toY(y), 1.2 + width / 2));
    if (dots.length <= 400) marks.push({ kind: 'path', d: dots.join(''), fill: color, clip: plot });
    marks.push({ kind: 'path', d: circle(to.toX(here.x), to.toY(here.y), 3.5 + width / 2), fill: color, stroke: look.ink.surface, width: 1.5, clip: plot });
  }
  const end = about.convergence;
  if (end && !path) marks.push({ kind: 'path', d: cross(to.toX(end[0]), to.toY(end[1]), 4 + width / 2), stroke: color, width: Math.max(1.5, width), clip: plot });
  return marks;
}

export function circle(x: number, y: number, radius: number): string {
  return `M${(x - radius).toFixed(1)},${y.toFixed(1)}a${radius},${radius} 0 1 0 ${2 * radius},0a${radius},${radius} 0 1 0 ${-2 * radius},0Z`;
}

export function cross(x: number, y: number, size: number): string {
  return `M${(x - size).toFixed(1)},${(y - size).toFixed(1)}l${2 * size},${2 * size}m0,${-2 * size}l${-2 * size},${2 * size}`;
}
