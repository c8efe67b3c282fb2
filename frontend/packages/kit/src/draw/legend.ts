import type { ColorScale } from '@insight-host/api';
import { BOTTOM, LABEL, type Area, type Size, TITLE } from './area';
import { namesApart } from './names';
import { estimatedWidth, type Painter, type Palette } from './painter';

/** Where the legend of a file names something. */
export interface LegendItem<Entry> {
  readonly entry: Entry;
  readonly x: number;
  readonly y: number;
  readonly maxWidth: number;
}

export const LEGEND_ROW = 17;

/** What is next to a name in a legend: the line before it, and the gap to the next column. */
export const LEGEND_SAMPLE = 34;

/** Height of the legend below a plot of this width. */
export function legendHeight(labels: readonly string[], width: number): number {
  if (labels.length === 0) return 0;
  return Math.ceil(labels.length / legendColumns(labels, width)[0]) * LEGEND_ROW + 14;
}

/** The items below a plot, in as many columns as fit, `row` pixels apart; their first line is centred at `top`. */
export function legendItems<Entry extends { readonly label: string }>(
  entries: readonly Entry[],
  { width }: Size,
  top: number,
  row = LEGEND_ROW,
): LegendItem<Entry>[] {
  const labels = entries.map(({ label }) => label);
  const [columns, each] = legendColumns(labels, width);
  return entries.map((entry, i) => ({
    entry,
    x: 16 + (i % columns) * each,
    y: top + Math.floor(i / columns) * row,
    maxWidth: each - LEGEND_SAMPLE,
  }));
}

/** The middle of the first line of a legend below the name of an axis. */
export function legendTop(plot: Area): number {
  return plot.top + plot.height + BOTTOM + LABEL + 14;
}

/** The title of a file and the names in its legend. */
export function drawCaption(
  painter: Painter,
  title: string,
  { width }: Size,
  legend: readonly LegendItem<{
    readonly label: string;
    readonly color?: string;
    readonly dash?: readonly number[];
  }>[],
  colors: Palette,
): void {
  painter.text(16, 18, title, { color: colors.text, size: 14, weight: 'bold', maxWidth: width - 32 });
  drawLegend(painter, legend, colors, 2);
}

/** Samples of lines, with what they are. */
export function drawLegend(
  painter: Painter,
  legend: Parameters<typeof drawCaption>[3],
  colors: Palette,
  lineWidth: number,
): void {
  const names = namesApart(
    legend.map(({ entry }) => entry.label),
    legend[0]?.maxWidth ?? 0,
  );
  for (const [at, { entry, x, y, maxWidth }] of legend.entries()) {
    const { color = colors.text, dash } = entry;
    painter.segment(x, y, x + 20, y, { color, width: lineWidth, ...(dash ? { dash } : {}) });
    painter.text(x + 26, y, names[at] ?? '', { color: colors.text, maxWidth });
  }
}

/** What the colours of a scale are about. */
export const scaleText = ({ title, isLog }: ColorScale): string => (isLog ? `${title} (log)` : title);

const BAR = [48, 160] as const; // pixels of a colour bar
const BAR_GAP = 6; // pixels around it

/** Pixels of the smallest number, a colour bar as short as it gets, and the largest number. */
export function barWidth({ low, high }: ColorScale): number {
  return estimatedWidth(low, 11) + estimatedWidth(high, 11) + BAR[0] + 2 * BAR_GAP;
}

/** A row with the smallest number, the colour bar and the largest number, `y` in its middle. */
export function drawColorBar(
  painter: Painter,
  scale: ColorScale,
  [x, y]: readonly [number, number],
  most: number,
  colors: Palette,
): void {
  const { low, high, stops } = scale;
  const start = x + estimatedWidth(low, 11) + BAR_GAP;
  const width = Math.max(20, Math.min(BAR[1], BAR[0] + most - barWidth(scale)));
  painter.text(x, y, low, { color: colors.text });
  const each = width / stops.length;
  // each as far as the end: between rectangles that only touch, a seam is seen
  for (const [at, color] of stops.entries()) painter.rectangle(start + at * each, y - 4, width - at * each, 8, color);
  painter.text(start + width + BAR_GAP, y, high, { color: colors.text });
}

/** How many columns of a legend fit into a width, and how wide each is. */
export function legendColumns(labels: readonly string[], width: number): readonly [count: number, each: number] {
  const widest = labels.reduce((most, label) => Math.max(most, estimatedWidth(label, 11)), 60) + 44;
  const columns = Math.max(1, Math.min(labels.length, Math.floor((width - 32) / widest)));
  return [columns, Math.floor((width - 32) / columns)];
}

/** The plot within a picture: between these margins, below a title, and above labels and a legend. */
export function plotWithin(
  size: Size,
  margins: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
  labels: readonly string[],
): Area {
  const top = margins.top + (size.labelled ? TITLE : 0);
  const below = margins.bottom + BOTTOM + (size.labelled ? legendHeight(labels, size.width) : 0);
  return {
    left: margins.left,
    top,
    width: Math.max(10, size.width - margins.left - margins.right),
    height: Math.max(10, size.height - top - below),
  };
}

/** A dashed line from top to bottom with a small triangle at its head. */
export function drawMark(painter: Painter, { top, height }: Area, x: number, color: string): void {
  painter.segment(x, top, x, top + height, { color, width: painter.hairline, dash: [3, 3], alpha: 0.8 });
  painter.polygon([x - 4, top, x + 4, top, x, top + 5], color);
}
