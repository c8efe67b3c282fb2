import type { Run } from '@insight-host/api';
import { evenTicks, WHOLE_DIGITS } from '@insight-host/kit';
import { alongPath, type Landscape } from './landscape';
import { textWidth, type Mark, type Picture, type Rectangle } from './marks';
import { box, contourMarks, projection, type Contours } from './plan_lines';
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
const BAR_PARTS = [2, 3, 4, 5, 6, 7, 8]; // between the numbers of the bar, by its height
const MOST_UNEQUAL = 3; // ranges of the axes; beyond it a plot of equal scales would be a strip

/** Pixels that the colour bar takes to the right of the plot, however high it is. */
export function barWidth({ bar, scale }: Look): number {
  if (!bar || !(scale.high > scale.low)) return MARGIN.right;
  const texts = BAR_PARTS.flatMap((parts) => scaleTexts(scale, parts));
  return BAR_LEFT + BAR + 6 + Math.max(...texts.map(textWidth)) + 4;
}

function barTexts({ scale }: Look, height: number): readonly string[] {
  const parts = Math.max(BAR_PARTS[0] as number, Math.min(BAR_PARTS.at(-1) as number, Math.floor(height / 36)));
  return scaleTexts(scale, parts);
}

/**
 * Where the plane is drawn: in the middle of its room, with one scale for both axes, so that what is round is drawn
 * round. A plane that is far longer than wide fills the room.
 */
export function plotOf(width: number, height: number, look: Look): Rectangle {
  const wide = Math.max(20, width - MARGIN.left - barWidth(look));
  const high = Math.max(20, height - MARGIN.top - MARGIN.bottom);
  const { x, y } = look.extent;
  const ratio = (x[1] - x[0]) / (y[1] - y[0]);
  const isEven = ratio <= MOST_UNEQUAL && ratio >= 1 / MOST_UNEQUAL;
  const plot = isEven
    ? { width: Math.min(wide, high * ratio), height: Math.min(high, wide / ratio) }
    : { width: wide, height: high };
  return {
    left: MARGIN.left + Math.round((wide - plot.width) / 2),
    top: MARGIN.top + Math.round((high - plot.height) / 2),
    width: Math.round(plot.width),
    height: Math.round(plot.height),
  };
}

/** What the lines of a picture depend on. */
export function contoursOf(items: readonly Item[], look: Look, width: number, height: number): Contours {
  return {
    grids: items.map(({ landscape, run, color }) => ({ landscape, run, color })),
    filled: look.form === 'topographic',
    levels: levelsOf(look.scale, look.levels),
    extent: look.extent,
    plot: plotOf(width, height, look),
    ramp: look.ramp,
    front: look.front,
    surface: look.ink.surface,
    hole: look.ink.hole,
  };
}

/**
 * Lines or bands of equal loss, seen from above, without the path; of the landscapes behind the one in front some
 * lines. `lines` are drawn in place of those that are computed here.
 */
export function planPicture(
  items: readonly Item[],
  look: Look,
  width: number,
  height: number,
  lines: readonly Mark[] | null = null,
): Picture {
  const plot = plotOf(width, height, look);
  const to = projection(look.extent, plot);
  const { ink } = look;
  const marks: Mark[] = [...(lines ?? contourMarks(contoursOf(items, look, width, height)))];
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

function cross(x: number, y: number, size: number): string {
  return (
    `M${(x - size).toFixed(1)},${(y - size).toFixed(1)}l${2 * size},${2 * size}m0,${-2 * size}` +
    `l${-2 * size},${2 * size}`
  );
}
