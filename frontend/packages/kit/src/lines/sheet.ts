/** The figure of a paper: room for its texts, which stand where papers have them. */
import {
  barWidth,
  drawColorBar,
  drawLegend,
  estimatedWidth,
  LEGEND_SAMPLE,
  legendColumns,
  legendItems,
  scaleText,
  type Area,
  type LegendItem,
  type LegendPlace,
  type Painter,
  type Palette,
  type Sheet,
  type Tick,
} from '@insight-host/kit/draw';
import { groupNames } from './group_names';
import { type Figure, leftOutText, moreText } from './layout';
import type { Line } from './props';

const EDGE = 8; // pixels between the sheet's edge and what is nearest to it
const TITLE = 22;
const TICKS = 20;
const NAME = 18; // of an axis
const NOTE = 16;
const ROW = 14; // of a legend: a page has less room than a screen
const AROUND = 14; // above and below the rows of a legend
const LEAST_PLOT = 0.34; // of the height of a sheet, whatever its legend needs

/** The plot on a sheet; `found` is the figure in nearly this area, with its ticks. */
export function sheetArea(found: Figure, sheet: Sheet): Area {
  const { props, size } = found;
  const left = EDGE + (props.yLabel ? NAME : 0) + widest(found.yTicks);
  const right = found.yRight ? EDGE + (props.yRightLabel ? NAME : 0) + widest(found.yRightTicks) : 14;
  const legend = legendOf(found, sheet.legend);
  const aside = sheet.legend === 'right' ? legendWidth(legend, found) + EDGE : 0;
  const top = topOf(found);
  const below =
    belowPlot(found) + (sheet.legend !== 'below' ? EDGE / 2 : legend.rows > 0 ? legend.rows * ROW + AROUND : 0);
  return {
    left,
    top,
    width: Math.max(10, size.width - left - right - aside),
    height: Math.max(10, size.height - top - below),
  };
}

function widest(ticks: readonly Tick[]): number {
  return ticks.reduce((most, { label }) => Math.max(most, estimatedWidth(label, 11)), 0) + 6;
}

/** Pixels from the plot to the end of the texts below it, without a legend. */
function belowPlot({ props, leftOut }: Figure): number {
  return TICKS + (props.xLabel ? NAME : 0) + (leftOut > 0 ? NOTE : 0);
}

const topOf = ({ props }: Figure): number => EDGE + (props.title ? TITLE : 0);

/** What the legend of a sheet has room for. */
interface SheetLegend {
  /** What all names begin with, said once; "" if nothing. */
  readonly heading: string;
  /** Lines with their names in the legend. */
  readonly entries: readonly Line[];
  /** How many lines it has no room for. */
  readonly left: number;
  /** With those of heading and note. */
  readonly rows: number;
}

/** The names of all lines where there is room below the plot or in its height, else of the first ones. */
function legendOf(found: Figure, place: LegendPlace): SheetLegend {
  const { props, size, plot } = found;
  if (props.scale) return { heading: scaleText(props.scale), entries: [], left: 0, rows: 2 };
  const mains = props.lines.filter(({ role }) => role !== 'raw');
  const { heading, names } = groupNames(mains.map(({ label }) => label));
  const lines = mains.map((line, at) => ({ ...line, label: names[at] ?? line.label }));
  const isBelow = place === 'below';
  const height = isBelow
    ? (1 - LEAST_PLOT) * size.height - topOf(found) - belowPlot(found) - AROUND
    : plot.height - EDGE;
  const columns = isBelow ? legendColumns(names, size.width)[0] : 1;
  const room = Math.floor(height / ROW) - Number(heading !== '');
  const all = Math.ceil(lines.length / columns);
  const rows = all <= room ? all : Math.max(1, room - 1);
  const entries = lines.slice(0, rows * columns);
  const left = lines.length - entries.length;
  return { heading, entries, left, rows: rows + Number(heading !== '') + Number(left > 0) };
}

function legendWidth({ heading, entries }: SheetLegend, { size: { width }, props: { scale } }: Figure): number {
  const widths = [
    estimatedWidth(heading, 11),
    ...(scale ? [barWidth(scale)] : []),
    ...entries.map(({ label }) => estimatedWidth(label, 11) + LEGEND_SAMPLE),
  ];
  return Math.min(width * 0.4, Math.max(LEGEND_SAMPLE, ...widths));
}

/** Where a legend begins: its left edge, and the middle of its first row. */
function startOf(found: Figure, place: LegendPlace, { rows }: SheetLegend, width: number): readonly [number, number] {
  const { size, plot } = found;
  const bottom = plot.top + plot.height;
  if (place === 'below') return [16, bottom + belowPlot(found) + (AROUND + ROW) / 2 - EDGE / 2];
  const isRight = place === 'right';
  const right = isRight ? size.width - width - EDGE / 2 : plot.left + plot.width - width - 2 * EDGE;
  const top = place.startsWith('bottom') ? bottom - rows * ROW - EDGE : plot.top + (isRight ? 0 : EDGE);
  return [place.endsWith('left') ? plot.left + 2 * EDGE : right, top + ROW / 2];
}

/** Where a legend names lines; `drawSheetTexts` says how many it has no room for. */
export function sheetLegend(found: Figure, place: LegendPlace): LegendItem<Line>[] {
  if (place === 'none') return [];
  const legend = legendOf(found, place);
  const { heading, entries } = legend;
  const width = legendWidth(legend, found);
  const [x, start] = startOf(found, place, legend, width);
  const top = start + (heading === '' ? 0 : ROW);
  if (place === 'below') return legendItems(entries, found.size, top, ROW);
  return entries.map((entry, i) => ({ entry, x, y: top + i * ROW, maxWidth: width - LEGEND_SAMPLE + EDGE }));
}

/** The legend, with what all names begin with; or the colour bar in its place. */
function drawSheetLegend(figure: Figure, sheet: Sheet, painter: Painter, colors: Palette): void {
  const { props, size, legend } = figure;
  if (sheet.legend === 'none' || (legend.length === 0 && !props.scale)) return;
  const found = legendOf(figure, sheet.legend);
  const { heading, left, rows } = found;
  const most = legendWidth(found, figure);
  const [x, start] = startOf(figure, sheet.legend, found, most);
  if (sheet.legend !== 'below' && sheet.legend !== 'right')
    painter.rectangle(x - EDGE / 2, start - ROW / 2 - 2, most + EDGE, rows * ROW + 4, colors.surface);
  const note = { color: colors.faint, maxWidth: size.width - x - EDGE };
  if (heading !== '') painter.text(x, start, heading, { ...note, color: colors.text });
  if (props.scale)
    drawColorBar(painter, props.scale, [x, start + ROW], sheet.legend === 'below' ? Infinity : most, colors);
  drawLegend(painter, legend, colors, sheet.lineWidth);
  const last = legend.at(-1);
  if (left > 0 && last) painter.text(x, last.y + ROW, moreText(left, props.locale), note);
}

/** Title, names of axes, what is not shown, and the legend. */
export function drawSheetTexts(figure: Figure, sheet: Sheet, painter: Painter, colors: Palette): void {
  const { plot, props, size } = figure;
  const [bottom, middle] = [plot.top + plot.height, plot.top + plot.height / 2];
  const style = { color: colors.text, align: 'center', maxWidth: size.width - 2 * EDGE } as const;
  const centre = plot.left + plot.width / 2;
  if (props.title) painter.text(centre, EDGE + 7, props.title, { ...style, size: 12, weight: 'bold' });
  if (props.xLabel) painter.text(centre, bottom + TICKS + NAME / 2, props.xLabel, style);
  const upwards = { ...style, turned: true, maxWidth: size.height - 2 * EDGE };
  if (props.yLabel) painter.text(EDGE + 6, middle, props.yLabel, upwards);
  if (figure.yRight && props.yRightLabel)
    painter.text(plot.left + plot.width + widest(figure.yRightTicks) + NAME / 2, middle, props.yRightLabel, upwards);
  if (figure.leftOut > 0)
    painter.text(plot.left, bottom + belowPlot(figure) - NOTE / 2, leftOutText(figure), {
      color: colors.faint,
      maxWidth: plot.width,
    });
  drawSheetLegend(figure, sheet, painter, colors);
}
