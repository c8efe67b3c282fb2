/** The figure of a paper: room for its texts, which stand where papers have them. */
import {
  drawLegend,
  estimatedWidth,
  LEGEND_ROW,
  LEGEND_SAMPLE,
  legendHeight,
  legendItems,
  type Area,
  type LegendItem,
  type LegendPlace,
  type Painter,
  type Palette,
  type Sheet,
  type Size,
  type Tick,
} from '@insight-host/kit/draw';
import { type Figure, leftOutText } from './layout';
import type { Line } from './props';

const EDGE = 8; // pixels between the sheet's edge and what is nearest to it
const TITLE = 22;
const TICKS = 20;
const NAME = 18; // of an axis
const NOTE = 16;
const MOST_BELOW = 0.3; // of the height of a sheet, for a legend below the plot

/** The plot on a sheet; `found` is the figure in another area, with nearly the same ticks. */
export function sheetArea(found: Figure, sheet: Sheet): Area {
  const { props, size } = found;
  const left = EDGE + (props.yLabel ? NAME : 0) + widest(found.yTicks);
  const right = found.yRight ? EDGE + (props.yRightLabel ? NAME : 0) + widest(found.yRightTicks) : 14;
  const names = namesOf(props.lines);
  const aside = sheet.legend === 'right' ? legendWidth(names, size) + EDGE : 0;
  const top = EDGE + (props.title ? TITLE : 0);
  const below =
    belowPlot(found) + (sheet.legend === 'below' ? legendHeight(names, size.width, rowsBelow(size)) : EDGE / 2);
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

function namesOf(lines: readonly Line[]): string[] {
  return lines.flatMap(({ role, label }) => (role === 'raw' ? [] : [label]));
}

function legendWidth(names: readonly string[], { width }: Size): number {
  const most = names.reduce((widest, name) => Math.max(widest, estimatedWidth(name, 11)), 0);
  return Math.min(width * 0.4, most + LEGEND_SAMPLE);
}

/** Lines of a legend below the plot, at most. */
function rowsBelow({ height }: Size): number {
  return Math.max(1, Math.floor((height * MOST_BELOW) / LEGEND_ROW));
}

/** Where a legend names lines. Items that have no room in the plot's height, or below it, are left out. */
export function sheetLegend(found: Figure, entries: readonly Line[], place: LegendPlace): LegendItem<Line>[] {
  const { size, plot } = found;
  if (place === 'none') return [];
  if (place === 'below') {
    const top = plot.top + plot.height + belowPlot(found) + LEGEND_ROW / 2;
    return legendItems(entries, size, top, rowsBelow(size));
  }
  const width = legendWidth(namesOf(entries), size);
  const shown = entries.slice(0, Math.max(1, Math.floor((plot.height - EDGE) / LEGEND_ROW)));
  const isRight = place === 'right';
  const right = isRight ? size.width - width - EDGE / 2 : plot.left + plot.width - width - 2 * EDGE;
  const x = place.endsWith('left') ? plot.left + 2 * EDGE : right;
  const height = shown.length * LEGEND_ROW;
  const top = place.startsWith('bottom') ? plot.top + plot.height - height - EDGE : plot.top + (isRight ? 0 : EDGE);
  return shown.map((entry, i) => ({
    entry,
    x,
    y: top + (i + 0.5) * LEGEND_ROW,
    maxWidth: width - LEGEND_SAMPLE + EDGE,
  }));
}

/** Title, names of axes, what is not shown, and the legend. */
export function drawSheetTexts(figure: Figure, sheet: Sheet, painter: Painter, colors: Palette): void {
  const { plot, props, size, legend } = figure;
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
  const [first] = legend;
  if (!first) return;
  if (sheet.legend !== 'below' && sheet.legend !== 'right') {
    const width = Math.max(...legend.map(({ entry }) => estimatedWidth(entry.label, 11))) + LEGEND_SAMPLE + EDGE;
    const top = first.y - LEGEND_ROW / 2 - 2;
    painter.rectangle(first.x - EDGE / 2, top, width, legend.length * LEGEND_ROW + 4, colors.surface);
  }
  drawLegend(painter, legend, colors, sheet.lineWidth);
}
