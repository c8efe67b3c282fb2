/** Names at the ends of a few lines, right of the plot, so that they need no legend. */
import { mix } from '@insight-host/kit';
import { namesApart, textWidth, type Area, type Painter, type Palette, type Size } from '@insight-host/kit/draw';
import { groupNames } from './group_names';
import type { Entry, Figure } from './layout';
import type { LineChartProps } from './props';

const MOST = 6; // lines
const GAP = 6; // pixels between the plot and a name
const EDGE = 10; // pixels right of the names
const SIZE = 11; // of letters
const ROW = 13; // pixels from one name to the next, at least
const LEAST_WIDTH = 300; // pixels of a chart that has room for names
const WIDEST = { share: 0.27, pixels: 120 } as const; // of the width of a chart, for names

/** Names of the main lines; none where there is no room, or where a legend names them. */
function namesOf({ lines, showsEnds, yRightLabel }: LineChartProps, { width, labelled }: Size): readonly string[] {
  const mains = lines.filter(({ role }) => role !== 'raw');
  const isFew = mains.length > 1 && mains.length <= MOST;
  const hasRight = yRightLabel !== undefined || mains.some(({ axis }) => axis === 'right');
  if (!showsEnds || labelled || !isFew || hasRight || width < LEAST_WIDTH) return [];
  const room = Math.min(WIDEST.pixels, width * WIDEST.share);
  const labels = mains.map(({ label }) => label);
  const fit = labels.every((label) => textWidth(label, SIZE) <= room);
  return fit ? labels : namesApart(groupNames(labels).names, room, SIZE, textWidth);
}

/** Pixels right of the plot for the names; 0 without. */
export function endRoom(props: LineChartProps, size: Size): number {
  const names = namesOf(props, size);
  const widest = Math.max(0, ...names.map((name) => textWidth(name, SIZE)));
  return names.length === 0 ? 0 : GAP + Math.ceil(widest) + EDGE;
}

interface EndLabel {
  readonly text: string;
  readonly color: string;
  /** Where the line ends. */
  readonly end: readonly [x: number, y: number];
  /** The middle of the name. */
  readonly y: number;
}

/** The names of lines that end in view, apart from each other and within the height of the plot. */
export function endLabels({ props, size, plot, entries }: Figure): readonly EndLabel[] {
  const mains = entries.filter(({ line }) => line.role !== 'raw');
  const names = namesOf(props, size);
  if (names.length * ROW > plot.height) return [];
  const found = names.flatMap((text, at) => {
    const entry = mains[at];
    const end = entry && endOf(entry, plot);
    return end ? [{ text, color: entry.line.color, end }] : [];
  });
  found.sort((a, b) => a.end[1] - b.end[1]);
  const ys = apart(
    found.map(({ end }) => end[1]),
    [plot.top, plot.top + plot.height],
  );
  return found.map((label, at) => ({ ...label, y: ys[at] as number }));
}

/** The place in view at which a line ends or leaves the plot at the right; null if it ends left of the plot. */
function endOf({ trace: { points, end: count, dots } }: Entry, { left, top, width, height }: Area) {
  const right = left + width;
  const xs = [...Array(count).keys()].map((at) => points[2 * at] as number);
  const last = xs.findLastIndex((x) => x <= right + 0.5);
  const dot = dots.findLastIndex((x, at) => at % 2 === 0 && x <= right + 0.5);
  let [x, y] = [xs[last] ?? -1, (points[2 * last + 1] as number) ?? 0];
  const next = xs[last + 1];
  if (next !== undefined && next > x && x >= 0) {
    y += (((points[2 * last + 3] as number) - y) * (right - x)) / (next - x);
    x = right;
  }
  if (dot >= 0 && (dots[dot] as number) > x) [x, y] = [dots[dot] as number, dots[dot + 1] as number];
  return x < left ? null : ([Math.min(x, right), Math.max(top, Math.min(top + height, y))] as const);
}

/** Sorted places, moved as little as they must be to be a row apart from each other and half a row within the ends. */
function apart(places: readonly number[], [from, to]: readonly [number, number]): number[] {
  const found: number[] = [];
  for (const place of places) found.push(Math.max(place, (found.at(-1) ?? from - ROW / 2) + ROW));
  let least = to + ROW / 2;
  for (let at = found.length - 1; at >= 0; at--) least = found[at] = Math.min(found[at] as number, least - ROW);
  return found;
}

export function drawEndLabels(figure: Figure, painter: Painter, colors: Palette): void {
  const right = figure.plot.left + figure.plot.width;
  for (const { text, color, end, y } of endLabels(figure)) {
    const [x] = end;
    if (x < right - 2 || Math.abs(y - end[1]) > 2)
      painter.segment(x + 2, end[1], right + GAP - 2, y, { color, width: painter.hairline, alpha: 0.6 });
    const style = { color: mix(color, colors.text, 0.4), maxWidth: figure.size.width - right - GAP };
    painter.text(right + GAP, y, text, style);
  }
}
