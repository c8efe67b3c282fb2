/** Lays a line chart out: scales, ticks and traces in pixels. */
import type { Line, LineChartProps } from './props';
import {
  fittingTicks,
  GUTTER,
  LABEL,
  legendItems,
  legendTop,
  linearTicks,
  logTicks,
  makeScale,
  plotWithin,
  scaleText,
  xTicks,
} from '@insight-host/kit/draw';
import type { Area, Scale, Size, Tick } from '@insight-host/kit/draw';
import { endRoom } from './end_labels';
import { xRange } from './extent';
import type { Entry, Figure, Window } from './layout';
import { sheetArea, sheetLegend } from './sheet';
import { trace } from './trace';
import { type YRange, yRange } from './y_range';

const LOWEST = 140; // pixels of a chart that has room for the name of an axis
const NOTE = 16; // pixels of the line below the labels of the x axis

/** Whether the x axis has its name: where there is room, and where its numbers are neither steps nor times. */
export function namesX({ xKind }: LineChartProps, size: Size): boolean {
  return size.labelled || size.height > 360 || (xKind === 'number' && size.height > LOWEST);
}

/** The plot alone; `noted` charts have a line of text below it, so that no text ever covers a curve. */
export function plotArea(props: LineChartProps, size: Size, noted: boolean): Area {
  const hasRight = props.lines.some((l) => l.axis === 'right') || props.yRightLabel !== undefined;
  const named = namesX(props, size) || hasRight;
  const margins = {
    left: GUTTER,
    top: named ? 20 : 8,
    right: hasRight ? GUTTER : Math.max(14, endRoom(props, size)),
    bottom: namesX(props, size) ? LABEL : noted ? NOTE : 0,
  };
  return plotWithin(size, margins, labels(props));
}

export function figure(props: LineChartProps, window: Window, size: Size): Figure {
  const ranges = rangesOf(props, window);
  const within = (plot: Area): Figure => figureWithin(props, ranges, size, plot);
  const found = within(plotArea(props, size, false));
  if (size.sheet) {
    const first = within(sheetArea(found, size.sheet));
    const sheet = within(sheetArea(first, size.sheet)); // next to ticks of its own
    return { ...sheet, legend: sheetLegend(sheet, size.sheet.legend) };
  }
  if (found.leftOut === 0 || namesX(props, size)) return found;
  return within(plotArea(props, size, true)); // how many are left out depends on x only
}

const onRight = (line: Line): boolean => line.axis === 'right';

/** What the axes show, whatever the size of the plot. */
function rangesOf(props: LineChartProps, window: Window) {
  const logX = props.logX === true && props.xKind !== 'wall';
  const logY = props.logY === true;
  const domain = xDomain(props, window, logX);
  const options = { log: logY, ignoreOutliers: props.ignoreOutliers === true };
  const right = props.lines.filter(onRight);
  const chosen = usable(window.y, logY);
  const left = (): YRange =>
    yRange(
      props.lines.filter((line) => !onRight(line)),
      domain,
      options,
    );
  return {
    logX,
    logY,
    domain,
    ofLeft: chosen ? { range: chosen, clipped: [] } : left(),
    ofRight: right.length > 0 ? yRange(right, domain, options) : null,
  };
}

function figureWithin(
  props: LineChartProps,
  { logX, logY, domain, ofLeft, ofRight }: ReturnType<typeof rangesOf>,
  size: Size,
  plot: Area,
): Figure {
  const x = makeScale(domain, [plot.left, plot.left + plot.width], logX);
  const vertical = [plot.top + plot.height, plot.top] as const;
  const y = makeScale(ofLeft.range, vertical, logY);
  const yRight = ofRight && makeScale(ofRight.range, vertical, logY);
  const entries = props.lines.map((line) => entry(line, x, onRight(line) && yRight ? yRight : y, size.ratio));
  const across = Math.max(2, Math.floor(plot.width / (props.xKind === 'step' ? 48 : 56)));
  const up = Math.max(2, Math.floor(plot.height / 36));
  const ticks = (s: Scale): Tick[] => (logY ? logTicks(s.domain, up) : linearTicks(s.domain, up));
  return {
    props,
    size,
    plot,
    legend: size.labelled && !size.sheet && !props.scale ? legendItems(mainLines(props), size, legendTop(plot)) : [],
    x,
    y,
    yRight,
    xTicks: fittingTicks(x, [0, size.width], across, (count) => xTicks(props.xKind, domain, logX, count, props.locale)),
    yTicks: ticks(y),
    yRightTicks: yRight ? ticks(yRight) : [],
    entries,
    clipped: [...ofLeft.clipped, ...(ofRight?.clipped ?? [])],
    leftOut: entries.reduce((sum, e) => sum + (e.line.role === 'raw' ? 0 : e.trace.leftOut), 0),
  };
}

const laidOut = new WeakMap<Line, { readonly of: string; readonly entry: Entry }>(); // last

/** Where a line is: of a chart that grows most lines are where they were. */
function entry(line: Line, x: Scale, scale: Scale, ratio: number): Entry {
  const of = JSON.stringify([x, scale, ratio]);
  const last = laidOut.get(line);
  if (last?.of === of) return last.entry;
  const made = traced(line, x, scale, ratio);
  laidOut.set(line, { of, entry: made });
  return made;
}

function traced(line: Line, x: Scale, scale: Scale, ratio: number): Entry {
  const { band } = line;
  return {
    line,
    scale,
    trace: trace(line, x, scale, line.y, ratio),
    band: band ? { low: trace(line, x, scale, band.low, ratio), high: trace(line, x, scale, band.high, ratio) } : null,
  };
}

/** The x range on the screen: the window, or all there is. */
export function xDomain(props: LineChartProps, window: Window, logX: boolean): readonly [number, number] {
  const given = usable(window.x, logX);
  if (given) return given;
  const found = usable(props.xExtent ?? null, logX) ?? xRange(props.lines, logX);
  if (!found) return logX ? [1, 10] : [0, 1];
  const [lo, hi] = found;
  if (lo < hi) return found;
  if (logX) return [lo / 2, hi * 2];
  return [lo - 0.5, hi + 0.5];
}

function usable(range: readonly [number, number] | null | undefined, log: boolean): readonly [number, number] | null {
  if (!range || !(range[0] < range[1]) || !Number.isFinite(range[0]) || !Number.isFinite(range[1])) return null;
  return log && range[0] <= 0 ? null : range;
}

export function mainLines(props: LineChartProps): readonly Line[] {
  return props.lines.filter((line) => line.role !== 'raw');
}

/** What the legend of a file says. */
export function labels(props: LineChartProps): readonly string[] {
  return props.scale ? [scaleText(props.scale)] : mainLines(props).map((line) => line.label);
}
