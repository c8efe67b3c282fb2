import type { Run } from '@insight-host/api';
import { evenTicks, WHOLE_DIGITS } from '@insight-host/kit';
import { areaData, lineData, ringsOf } from './contours';
import { alongPath, type Landscape } from './landscape';
import { textWidth, type Mark, type Picture, type Rectangle } from './marks';
import { css, rampColor, type RampName } from './ramps';
import { levelsOf, numberTexts, scaleTexts, type Extent, type LossScale } from './scale';

/** One landscape of a picture. */
export interface Item {
  readonly landscape: Landscape;
  readonly run: string;
  /** What people call the run. */
  readonly name: string;
  /** Of the run. */
  readonly color: string;
}

export function itemOf({ name, displayName, color }: Run, landscape: Landscape): Item {
  return { landscape, run: name, name: displayName, color };
}

export interface Look {
  readonly form: 'contour' | 'topographic' | 'surface';
  readonly scale: LossScale;
  readonly extent: Extent;
  readonly ramp: RampName;
  readonly levels: number;
  /** Whether the picture says what its colours mean. */
  readonly bar: boolean;
  /**
   * Of landscapes upon each other, the run whose landscape has the colour map; the others have the colours of their
   * runs.
   */
  readonly front: string | null;
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

const MARGIN = { left: 54, top: 12, right: 14, bottom: 30 };
const BAR = 12; // pixels of the width of the colour bar
const BAR_STEPS = 64;
const BAR_LEFT = 14; // pixels between the plot and the bar
const OTHERS = 24; // lines of the landscapes behind the one in front, all together, about

/** Pixels that the colour bar takes to the right of the plot. */
export function barWidth(look: Look, height: number): number {
  if (!look.bar || !(look.scale.high > look.scale.low)) return MARGIN.right;
  return BAR_LEFT + BAR + 6 + Math.max(...barTexts(look, height).map(textWidth)) + 4;
}

function barTexts({ scale }: Look, height: number): readonly string[] {
  const count = Math.max(2, Math.min(8, Math.floor(height / 36)));
  return scaleTexts(scale, count);
}

export function plotOf(width: number, height: number, look: Look): Rectangle {
  const inner = Math.max(20, height - MARGIN.top - MARGIN.bottom);
  return {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(20, width - MARGIN.left - barWidth(look, inner)),
    height: inner,
  };
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

/** Every how many lines those landscapes have that are not in front. */
export function strideOf(levels: number, count: number): number {
  return Math.max(1, Math.ceil((levels * (count - 1)) / OTHERS));
}

/** The one in front comes first. */
export function frontFirst(items: readonly Item[], front: string | null): readonly Item[] {
  const found = items.find(({ run }) => run === front);
  return found ? [found, ...items.filter((item) => item !== found)] : items;
}

/**
 * Lines or bands of equal loss, seen from above, without the path; of the landscapes behind the one in front some
 * lines.
 */
export function planPicture(items: readonly Item[], look: Look, width: number, height: number): Picture {
  const plot = plotOf(width, height, look);
  const to = projection(look.extent, plot);
  const { ink, scale } = look;
  const levels = levelsOf(scale, look.levels);
  const marks: Mark[] = [];
  const [first, ...others] = frontFirst(items, look.front);
  const filled = look.form === 'topographic';
  const inFront: Mark[] = [];
  if (first) {
    const { landscape } = first;
    const region = plotRegion(landscape, to, plot);
    const lines = levels.map((level) => lineData(ringsOf(landscape, level), to.toX, to.toY));
    if (filled) {
      const areas = [box(region), ...levels.map((level) => areaData(ringsOf(landscape, level), to.toX, to.toY))];
      areas.forEach((d, n) => {
        if (!d) return;
        inFront.push({
          kind: 'path',
          d,
          fill: css(rampColor(look.ramp, (n + 0.5) / (levels.length + 1))),
          clip: region,
        }); // of the band above the n-th line
        if (n > 0)
          inFront.push({ kind: 'path', d: lines[n - 1] as string, stroke: ink.surface, width: 0.4, clip: region });
      });
    } else {
      lines.forEach(
        (d, n) =>
          d &&
          inFront.push({
            kind: 'path',
            d,
            stroke: css(rampColor(look.ramp, (n + 1) / (levels.length + 1))),
            width: others.length > 0 ? 2.2 : 1.4,
            clip: region,
          }),
      );
    }
    const holes = holesOf(landscape, to);
    if (holes) inFront.push({ kind: 'path', d: holes, fill: ink.hole, clip: region });
  }
  const behind: Mark[] = [];
  const stride = strideOf(levels.length, items.length);
  const some = levels.filter((_, n) => n % stride === Math.floor(stride / 2));
  for (const { landscape, color } of others) {
    const clip = plotRegion(landscape, to, plot);
    const d = some.map((level) => lineData(ringsOf(landscape, level), to.toX, to.toY)).join('');
    if (d && filled) behind.push({ kind: 'path', d, stroke: ink.surface, width: 2.6, opacity: 0.6, clip });
    if (d) behind.push({ kind: 'path', d, stroke: color, width: 1.3, opacity: filled ? 1 : 0.6, clip });
  }
  marks.push(...(filled ? [...inFront, ...behind] : [...behind, ...inFront])); // bands would hide lines below them
  marks.push({ kind: 'path', d: box(plot), stroke: ink.border });
  for (const [x, text] of labelled(...look.extent.x, plot.width / 80)) {
    const at = to.toX(x);
    marks.push({ kind: 'path', d: `M${at.toFixed(1)},${plot.top + plot.height}v4`, stroke: ink.border });
    marks.push({ kind: 'text', x: at, y: plot.top + plot.height + 13, text, color: ink.muted, anchor: 'middle' });
  }
  for (const [y, text] of labelled(...look.extent.y, plot.height / 50)) {
    const at = to.toY(y);
    marks.push({ kind: 'path', d: `M${plot.left},${at.toFixed(1)}h-4`, stroke: ink.border });
    marks.push({ kind: 'text', x: plot.left - 7, y: at, text, color: ink.muted, anchor: 'end' });
  }
  marks.push(...colorBar(look, plot));
  return { width, height, marks };
}

function labelled(low: number, high: number, count: number): readonly (readonly [number, string])[] {
  const values = evenTicks(low, high, Math.max(2, count), WHOLE_DIGITS);
  const texts = numberTexts(values);
  return values.map((value, n) => [value, texts[n] as string]);
}

/** The area of a landscape within the plot, which may be smaller or larger. */
function plotRegion({ x, y }: Landscape, to: Projection, plot: Rectangle): Rectangle {
  const left = Math.max(plot.left, to.toX(x[0] as number));
  const right = Math.min(plot.left + plot.width, to.toX(x.at(-1) as number));
  const top = Math.max(plot.top, to.toY(y.at(-1) as number));
  const bottom = Math.min(plot.top + plot.height, to.toY(y[0] as number));
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** The squares of the grid that have a corner without a number. */
function holesOf({ x, y, z }: Landscape, to: Projection): string {
  const parts: string[] = [];
  for (let row = 0; row + 1 < y.length; row++) {
    for (let column = 0; column + 1 < x.length; column++) {
      const at = row * x.length + column;
      if ([0, 1, x.length, x.length + 1].every((more) => Number.isFinite(z[at + more]))) continue;
      const [left, right] = [to.toX(x[column] as number), to.toX(x[column + 1] as number)];
      const [bottom, top] = [to.toY(y[row] as number), to.toY(y[row + 1] as number)];
      parts.push(`M${left.toFixed(1)},${top.toFixed(1)}H${right.toFixed(1)}V${bottom.toFixed(1)}H${left.toFixed(1)}Z`);
    }
  }
  return parts.join('');
}

/** What the colours mean; of landscapes upon each other, those of the one in front. */
export function colorBar(look: Look, plot: Rectangle): readonly Mark[] {
  const { scale, ink } = look;
  const left = plot.left + plot.width + BAR_LEFT;
  const marks: Mark[] = [];
  const toY = (share: number): number => plot.top + plot.height * (1 - share);
  if (!look.bar || !(scale.high > scale.low)) return marks;
  for (let n = 0; n < BAR_STEPS; n++) {
    const fill = css(rampColor(look.ramp, (n + 0.5) / BAR_STEPS));
    const [low, high] = [Math.round(toY(n / BAR_STEPS)), Math.round(toY((n + 1) / BAR_STEPS))];
    marks.push({ kind: 'path', d: `M${left},${high}h${BAR}V${low}h${-BAR}Z`, fill });
  }
  barTexts(look, plot.height).forEach((text, n, texts) =>
    marks.push({
      kind: 'text',
      x: left + BAR + 6,
      y: toY(n / (texts.length - 1)),
      text,
      color: ink.muted,
      anchor: 'start',
    }),
  );
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
    const points = Array.from(
      { length: here.index + 1 },
      (_, i) => [path.x[i] as number, path.y[i] as number] as const,
    );
    points.push([here.x, here.y]);
    marks.push({
      kind: 'path',
      d: `M${points.map(([x, y]) => `${to.toX(x).toFixed(1)},${to.toY(y).toFixed(1)}`).join('L')}`,
      stroke: color,
      width,
      clip: plot,
    });
    const dots = points.slice(0, -1).map(([x, y]) => circle(to.toX(x), to.toY(y), 1.2 + width / 2));
    if (dots.length <= 400) marks.push({ kind: 'path', d: dots.join(''), fill: color, clip: plot });
    marks.push({
      kind: 'path',
      d: circle(to.toX(here.x), to.toY(here.y), 3.5 + width / 2),
      fill: color,
      stroke: look.ink.surface,
      width: 1.5,
      clip: plot,
    });
  }
  const end = about.convergence;
  if (end && !path)
    marks.push({
      kind: 'path',
      d: cross(to.toX(end[0]), to.toY(end[1]), 4 + width / 2),
      stroke: look.ink.surface,
      width: Math.max(1.5, width) + 2.5,
      opacity: 0.7,
      clip: plot,
    });
  if (end && !path)
    marks.push({
      kind: 'path',
      d: cross(to.toX(end[0]), to.toY(end[1]), 4 + width / 2),
      stroke: color,
      width: Math.max(1.5, width),
      clip: plot,
    });
  return marks;
}

export function circle(x: number, y: number, radius: number): string {
  return (
    `M${(x - radius).toFixed(1)},${y.toFixed(1)}a${radius},${radius} 0 1 0 ` +
    `${2 * radius},0a${radius},${radius} 0 1 0 ${-2 * radius},0Z`
  );
}

export function cross(x: number, y: number, size: number): string {
  return (
    `M${(x - size).toFixed(1)},${(y - size).toFixed(1)}l${2 * size},${2 * size}m0,${-2 * size}` +
    `l${-2 * size},${2 * size}`
  );
}
