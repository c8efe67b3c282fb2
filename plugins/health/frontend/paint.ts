/** Paints the map: cells from bitmaps, names of rows, steps below, and the cell that is read. */
import type { Theme } from '@insight-host/api';
import { niceStep, visibleText, WHOLE_DIGITS, type PixelSize } from '@insight-host/kit';
import { namesApart, textWidth } from '@insight-host/kit/draw';
import type { HeatMap } from './answer';
import { lengthOf, type Span } from './span';
import { placeOfStep } from './words';

const AXIS = 22; // CSS pixels below the cells
const LEAST_ROW = 2; // CSS pixels: rows beyond are out of sight until one scrolls
const MOST_ROW = 48; // CSS pixels
const TOP = 10;
const TICK = 3; // CSS pixels of a mark, at least
const RIGHT = 12;
const [LEAST_NAMES, MOST_NAMES] = [60, 260]; // CSS pixels for names of rows
const NAMED = 13; // CSS pixels of a row with a name
const LETTER = 6.4; // CSS pixels, about
const EDGE = 5; // CSS pixels before a name
const NAME_SIZE = 11; // of letters, in CSS pixels
const BESIDE_NAME = 9; // CSS pixels between a name and the cells
const APART = 84; // CSS pixels between two steps that are named
const GAPS = 7; // CSS pixels of cells with lines between them

/** Cells as pixels: a map, painted once, and the places of the axis that it covers. */
export interface Cells {
  readonly map: HeatMap;
  readonly picture: HTMLCanvasElement;
  readonly from: number;
  readonly to: number;
  /** Rows and columns with values that are not finite. */
  readonly badRows: readonly number[];
  readonly badColumns: readonly number[];
}

/** Where the cells are, in CSS pixels, and what is in sight of columns and rows. */
export interface Layout {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly x: Span;
  readonly y: Span;
}

/** How many places the columns have: steps, or runs. */
export const across = (map: HeatMap): number => (map.view === 'matrix' ? map.runs.length : map.steps);

export function layOut(
  map: HeatMap,
  names: readonly string[],
  { width, height }: Pick<PixelSize, 'width' | 'height'>,
  x: Span | null,
  y: Span | null,
): Layout {
  const letters = names.reduce((most, name) => Math.max(most, name.length), 0);
  const left = Math.round(Math.max(LEAST_NAMES, Math.min(MOST_NAMES, width * 0.3, 22 + letters * LETTER)));
  const inner = Math.max(1, height - TOP - AXIS);
  const rows = Math.min(map.rows, Math.max(1, Math.floor(inner / LEAST_ROW)));
  const whole = across(map);
  const sight = y && y.from < map.rows ? { from: y.from, to: Math.min(y.to, map.rows) } : { from: 0, to: rows };
  return {
    left,
    top: TOP,
    width: Math.max(1, width - left - RIGHT),
    height: Math.min(inner, MOST_ROW * lengthOf(sight)),
    x: x && x.from < whole ? { from: x.from, to: Math.min(x.to, whole) } : { from: 0, to: whole },
    y: sight,
  };
}

/** The names of rows as they are drawn: they differ, and are no wider than their place. */
export const shownNames = (names: readonly string[], { left }: Pick<Layout, 'left'>): readonly string[] =>
  namesApart(names, left - BESIDE_NAME - EDGE, NAME_SIZE, textWidth);

interface Painted {
  readonly layout: Layout;
  readonly base: Cells;
  readonly detail: Cells | null;
  readonly names: readonly string[];
  readonly size: PixelSize;
  readonly theme: Theme;
  readonly locale: string;
  /** The cell under the pointer or the keys. */
  readonly pointed: Place | null;
  /** The row and the place that are selected. */
  readonly selected: { readonly row: number; readonly at: number | null } | null;
}

/** A row, and a place of the axis. */
export interface Place {
  readonly row: number;
  readonly at: number;
}

/** The cells that show a place: finer ones where they are there. */
export function cellsAt({ base, detail }: Pick<Painted, 'base' | 'detail'>, at: number): Cells {
  return detail && at >= detail.from && at < detail.to ? detail : base;
}

/** The column of a place of the axis. */
export function columnOf({ map, from, to }: Cells, at: number): number {
  const column = Math.floor(((at - from) / (to - from)) * map.columns);
  return Math.max(0, Math.min(map.columns - 1, column));
}

/** The places from the first to behind the last that a column stands for. */
export function placesOf({ map, from, to }: Cells, column: number): Span {
  const one = (to - from) / map.columns;
  return { from: from + column * one, to: from + (column + 1) * one };
}

export function placeAt({ left, top, width, height, x, y }: Layout, px: number, py: number): Place | null {
  if (px < left || py < top || px >= left + width || py >= top + height) return null;
  return {
    row: Math.floor(y.from + ((py - top) / height) * lengthOf(y)),
    at: x.from + ((px - left) / width) * lengthOf(x),
  };
}

/** Where a cell is, in CSS pixels. */
export function boxOf(painted: Pick<Painted, 'layout' | 'base' | 'detail'>, place: Place) {
  const { left, top, width, height, x, y } = painted.layout;
  const cells = cellsAt(painted, place.at);
  const places = placesOf(cells, columnOf(cells, place.at));
  const toX = (at: number): number => left + ((at - x.from) / lengthOf(x)) * width;
  const toY = (row: number): number => top + ((row - y.from) / lengthOf(y)) * height;
  const [x0, y0] = [toX(places.from), toY(place.row)];
  return { x: x0, y: y0, width: toX(places.to) - x0, height: toY(place.row + 1) - y0 };
}

export function paint(context: CanvasRenderingContext2D, painted: Painted): void {
  const { layout, base, detail, size, theme } = painted;
  const { left, top, width, height } = layout;
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.fillStyle = theme.token('--hover');
  context.fillRect(left, top, width, height);
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  paintCells(context, layout, base);
  if (detail) paintCells(context, layout, detail, theme.token('--hover'));
  paintGaps(context, painted);
  paintMarks(context, painted);
  context.restore();
  paintTicks(context, painted);
  context.font = `${NAME_SIZE}px ${theme.token('--font') || 'sans-serif'}`;
  context.textBaseline = 'middle';
  paintNames(context, painted);
  paintSteps(context, painted);
}

function paintCells(
  context: CanvasRenderingContext2D,
  { left, top, width, height, x, y }: Layout,
  { picture, from, to }: Cells,
  behind?: string,
): void {
  const [begin, end] = [Math.max(from, x.from), Math.min(to, x.to)];
  if (end <= begin || picture.width === 0 || picture.height === 0) return;
  const column = picture.width / (to - from);
  const box = [
    left + ((begin - x.from) / lengthOf(x)) * width,
    top,
    ((end - begin) / lengthOf(x)) * width,
    height,
  ] as const;
  if (behind) {
    context.fillStyle = behind;
    context.fillRect(...box);
  }
  context.drawImage(picture, (begin - from) * column, y.from, (end - begin) * column, lengthOf(y), ...box);
}

function paintGaps(context: CanvasRenderingContext2D, painted: Painted): void {
  const { layout, theme } = painted;
  const { left, top, width, height, x, y } = layout;
  context.fillStyle = theme.token('--surface');
  const row = height / lengthOf(y);
  if (row >= GAPS)
    for (let i = Math.ceil(y.from); i <= y.to; i++) context.fillRect(left, top + (i - y.from) * row - 0.5, width, 1);
  const cells = cellsAt(painted, (x.from + x.to) / 2);
  const column = (lengthOf(placesOf(cells, 0)) / lengthOf(x)) * width;
  if (column < GAPS) return;
  for (let i = columnOf(cells, x.from); i < cells.map.columns; i++) {
    const at = left + ((placesOf(cells, i).to - x.from) / lengthOf(x)) * width;
    if (at > left + width) break;
    context.fillRect(at - 0.5, top, 1, height);
  }
}

/** Marks left of rows and above columns with values that are not finite: single cells are small. */
function paintTicks(context: CanvasRenderingContext2D, { layout, base, theme }: Painted): void {
  const { left, top, width, height, x, y } = layout;
  context.fillStyle = theme.token('--danger');
  const row = height / lengthOf(y);
  for (const bad of base.badRows) {
    if (bad + 1 <= y.from || bad >= y.to) continue;
    const at = top + (bad + 0.5 - y.from) * row;
    context.fillRect(left - 5, at - Math.max(TICK, row - 1) / 2, 3, Math.max(TICK, row - 1));
  }
  for (const bad of base.badColumns) {
    const { from, to } = placesOf(base, bad);
    if (to <= x.from || from >= x.to) continue;
    const pixels = (width * (to - from)) / lengthOf(x);
    const at = left + (((from + to) / 2 - x.from) / lengthOf(x)) * width;
    context.fillRect(at - Math.max(TICK, pixels - 1) / 2, top - 5, Math.max(TICK, pixels - 1), 3);
  }
}

function paintMarks(context: CanvasRenderingContext2D, painted: Painted): void {
  const { layout, theme, pointed, selected } = painted;
  const frame = (x: number, y: number, width: number, height: number): void => {
    context.strokeStyle = theme.token('--surface');
    context.lineWidth = 4;
    context.strokeRect(x, y, width, height);
    context.strokeStyle = theme.token('--text');
    context.lineWidth = 2;
    context.strokeRect(x, y, width, height);
  };
  if (selected) {
    const row = boxOf(painted, { row: selected.row, at: layout.x.from });
    frame(layout.left - 4, row.y - 2, layout.width + 8, row.height + 4);
    if (selected.at !== null) {
      const box = boxOf(painted, { row: selected.row, at: selected.at });
      context.fillStyle = theme.token('--text');
      context.fillRect(box.x + box.width / 2 - 1, layout.top, 2, layout.height);
    }
  }
  if (pointed) {
    const { x, y, width, height } = boxOf(painted, pointed);
    frame(x, y, Math.max(2, width), Math.max(2, height));
  }
}

function paintNames(context: CanvasRenderingContext2D, { layout, names, theme, selected }: Painted): void {
  const { left, top, height, y } = layout;
  const row = height / lengthOf(y);
  const every = Math.max(1, Math.ceil(NAMED / row));
  context.textAlign = 'right';
  const name = (i: number): void => {
    const middle = top + (i + 0.5 - y.from) * row;
    if (middle < top || middle > top + height) return;
    context.fillText(names[i] ?? '', left - BESIDE_NAME, middle);
  };
  context.fillStyle = theme.token('--muted');
  for (let i = Math.ceil(y.from / every) * every; i < y.to; i += every)
    if (!selected || Math.abs(i - selected.row) * row >= NAMED) name(i);
  if (!selected) return;
  context.fillStyle = theme.token('--text');
  name(selected.row);
}

function paintSteps(context: CanvasRenderingContext2D, painted: Painted): void {
  const { layout, theme } = painted;
  const { left, top, width, height, x } = layout;
  context.textAlign = 'center';
  context.fillStyle = theme.token('--muted');
  let before = -Infinity;
  for (const { at, text } of named(painted)) {
    const cells = cellsAt(painted, at);
    const places = placesOf(cells, columnOf(cells, at));
    const px = left + (((places.from + places.to) / 2 - x.from) / lengthOf(x)) * width;
    const half = (text.length * LETTER) / 2;
    if (px - half < Math.max(left - 20, before + 8) || px + half > left + width + RIGHT || px < left) continue;
    context.fillRect(px - 0.5, top + height, 1, 4);
    context.fillText(text, px, top + height + 13);
    before = px + half;
  }
}

/** Places of the axis with their names: runs, or steps that are round where they were recorded. */
function named(painted: Painted): readonly { readonly at: number; readonly text: string }[] {
  const { base, layout, locale } = painted;
  const { x, width } = layout;
  const most = Math.max(1, Math.floor(width / APART));
  if (base.map.view === 'matrix') {
    const every = Math.max(1, Math.ceil(lengthOf(x) / most));
    return base.map.runs.flatMap((run, at) =>
      at % every === 0 ? [{ at, text: visibleText(run.split('/').at(-1) ?? run) }] : [],
    );
  }
  const stepAt = (at: number): number => {
    const { map, ...cells } = cellsAt(painted, at);
    return map.firsts[columnOf({ map, ...cells }, at)] ?? 0;
  };
  const format = new Intl.NumberFormat(locale);
  const [first, last] = [stepAt(x.from), stepAt(x.to - 1e-9)];
  const unit = Math.max(1, niceStep((last - first) / most, WHOLE_DIGITS));
  return Array.from({ length: Math.floor(last / unit) - Math.ceil(first / unit) + 1 }, (_, i) => {
    const step = (Math.ceil(first / unit) + i) * unit;
    const near = placeOfStep(cellsAt(painted, placeOfStep(base.map, step) ?? 0).map, step) ?? 0;
    return { at: near, text: format.format(stepAt(near)) };
  });
}
