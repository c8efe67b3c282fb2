import type { HistogramChartProps, HistogramRow } from './props';
import {
  fittingTicks,
  GUTTER,
  LABEL,
  legendItems,
  legendTop,
  linearTicks,
  makeScale,
  plotWithin,
  xTicks,
} from '@insight-host/kit/draw';
import type { Area, LegendItem, Scale, Size, Tick } from '@insight-host/kit/draw';

/** The layout of one chart, computed before it is painted. */
export interface Figure {
  readonly props: HistogramChartProps;
  readonly size: Size;
  readonly plot: Area;
  /** Across for `front` and `top`, upwards for the others. */
  readonly values: Scale;
  readonly valueTicks: readonly Tick[];
  /** Upwards, from the line of no counts: `front` and `top`. */
  readonly counts: Scale;
  readonly countTicks: readonly Tick[];
  /** Across, of `distributions` and `heatmap`. */
  readonly rows: Scale;
  readonly rowTicks: readonly Tick[];
  /** Of `top`: how far the earliest row is to the right of the last one, and above it. */
  readonly depth: number;
  /** The largest count of a bin. */
  readonly most: number;
  readonly legend: readonly LegendItem<HistogramRow>[];
}

const SIDE = 14;
const STEPS = 58; // room for row labels of the `top` view
const TALL = 360; // pixels from which a chart says what its axes are

/** Whether there is room for the names of the axes. */
export function named(size: Size): boolean {
  return size.labelled || size.height > TALL;
}

function plotArea(props: HistogramChartProps, size: Size): Area {
  const margins = {
    left: props.view === 'top' ? SIDE + 6 : GUTTER,
    top: named(size) ? 24 : 8,
    right: props.view === 'top' ? STEPS : SIDE,
    bottom: named(size) ? LABEL : 0,
  };
  return plotWithin(size, margins, labels(props));
}

export function figure(props: HistogramChartProps, size: Size): Figure {
  const plot = plotArea(props, size);
  const { view, rowKind, locale } = props;
  const most = largest(props.rows);
  const depth = view === 'top' && rowRange(props) ? Math.min(plot.height * 0.55, plot.width * 0.34) : 0;
  const upwards = [plot.top + plot.height, plot.top] as const;
  const across = view === 'front' || view === 'top';
  const values = makeScale(valueRange(props), across ? [plot.left, plot.left + plot.width - depth] : upwards);
  const rows = makeScale(rowDomain(props), [plot.left, plot.left + plot.width]);
  const counts = makeScale(
    [0, view === 'front' ? (most || 1) * 1.05 : most || 1],
    view === 'top' ? [0, tallest(props, rows.domain, most, plot.height, depth)] : upwards,
  );
  const fitting = (length: number, each: number): number => Math.max(2, Math.floor(length / each));
  const rowTicks = (count: number): Tick[] => xTicks(rowKind, rows.domain, false, count, locale);
  return {
    props,
    size,
    plot,
    values,
    valueTicks: across
      ? fittingTicks(values, [0, size.width], fitting(plot.width - depth, 52), (count) =>
          linearTicks(values.domain, count),
        )
      : linearTicks(values.domain, fitting(plot.height, 36)),
    counts,
    countTicks: view === 'front' ? linearTicks(counts.domain, fitting(plot.height, 36)) : [],
    rows,
    rowTicks:
      view === 'top'
        ? rowTicks(fitting(depth, 17))
        : fittingTicks(rows, [0, size.width], fitting(plot.width, rowKind === 'step' ? 48 : 60), rowTicks),
    depth,
    most,
    legend: size.labelled ? legendItems(coloured(props), size, legendTop(plot)) : [],
  };
}

function largest(rows: readonly HistogramRow[]): number {
  return rows.reduce((most, row) => Math.max(most, largestOf(row)), 0);
}

function largestOf({ counts }: HistogramRow): number {
  let most = 0;
  for (let i = 0; i < counts.length; i++) if ((counts[i] as number) > most) most = counts[i] as number;
  return most;
}

/**
 * How high the largest count of `top` is: every row stays in the plot, and those in front hide at most half of the
 * ground.
 */
function tallest(
  { rows }: HistogramChartProps,
  [first, last]: readonly [number, number],
  most: number,
  height: number,
  depth: number,
): number {
  let found = height - depth / 2;
  for (const row of rows) {
    const back = depth * ((last - row.at) / (last - first));
    found = Math.min(found, ((height - 2 - back) * most) / (largestOf(row) || 1));
  }
  return found;
}

function valueRange({ edges, extent }: HistogramChartProps): readonly [number, number] {
  const [lo, hi] = extent ?? [edges[0] as number, edges[edges.length - 1] as number];
  return lo < hi && Number.isFinite(hi - lo) ? [lo, hi] : [-0.5, 0.5];
}

/** From the first to the last row, also of those that could not be read; null for one place or none. */
export function rowRange({ rows, errors }: HistogramChartProps): readonly [number, number] | null {
  let [lo, hi] = [Infinity, -Infinity];
  for (const at of [...rows.map((row) => row.at), ...(errors ?? [])]) {
    if (at < lo) lo = at;
    if (at > hi) hi = at;
  }
  return lo < hi && Number.isFinite(hi - lo) ? [lo, hi] : null;
}

function rowDomain(props: HistogramChartProps): readonly [number, number] {
  const range = rowRange(props);
  if (!range) {
    const at = props.rows[0]?.at ?? 0;
    return [at - 0.5, at + 0.5];
  }
  if (props.view !== 'heatmap') return range;
  const cells = cellsOf(props);
  const [first, last] = [cells[0], cells[cells.length - 1]];
  return first && last ? [first.from, last.to] : range;
}

/** The place of a row on the axis of rows, to half-way to its neighbours. */
export interface Cell {
  readonly from: number;
  readonly to: number;
  /** Index of the row; -1 for one that could not be read. */
  readonly row: number;
}

const known = new WeakMap<
  HistogramChartProps['rows'],
  readonly [errors: HistogramChartProps['errors'], cells: readonly Cell[]]
>();

export function cellsOf({ rows, errors }: HistogramChartProps): readonly Cell[] {
  const found = known.get(rows);
  if (found && found[0] === errors) return found[1];
  const places = [...rows.map(({ at }, row) => ({ at, row })), ...(errors ?? []).map((at) => ({ at, row: -1 }))].sort(
    (a, b) => a.at - b.at,
  );
  const edges = cellEdges(places.map(({ at }) => at));
  const cells = places.map(({ row }, i) => ({ from: edges[i] as number, to: edges[i + 1] as number, row }));
  known.set(rows, [errors, cells]);
  return cells;
}

/** Where the cells of ascending places begin and the last one ends: half-way between neighbours. */
export function cellEdges(places: readonly number[]): Float64Array {
  const count = places.length;
  if (count === 0) return new Float64Array();
  if (count === 1) return Float64Array.of((places[0] as number) - 0.5, (places[0] as number) + 0.5);
  const edges = new Float64Array(count + 1);
  for (let i = 1; i < count; i++) edges[i] = (places[i - 1] as number) / 2 + (places[i] as number) / 2;
  edges[0] = (places[0] as number) - ((edges[1] as number) - (places[0] as number));
  edges[count] = (places[count - 1] as number) + ((places[count - 1] as number) - (edges[count - 1] as number));
  return edges;
}

/** How far a row is from the last one, from 0 to 1 for the earliest: its depth in `top`. */
export function depthOf(figure: Figure, at: number): number {
  const [lo, hi] = figure.rows.domain;
  return figure.depth === 0 ? 0 : Math.max(0, Math.min(1, (hi - at) / (hi - lo)));
}

/** Pixels to the right, and y of the line of no counts, of a row in `front` and `top`. */
export function baseOf(figure: Figure, at: number): readonly [shift: number, y: number] {
  const back = depthOf(figure, at) * figure.depth;
  return [back, figure.plot.top + figure.plot.height - back];
}

/**
 * x of the outline's points and their counts, interleaved: through the middle of each bin, down to nothing at both
 * ends.
 */
export function outline({ values, props: { edges } }: Figure, row: HistogramRow): Float64Array {
  const bins = row.counts.length;
  const points = new Float64Array(2 * (bins + 2));
  points[0] = values.toPixel(edges[0] as number);
  for (let i = 0; i < bins; i++) {
    points[2 * i + 2] = (values.toPixel(edges[i] as number) + values.toPixel(edges[i + 1] as number)) / 2;
    points[2 * i + 3] = row.counts[i] as number;
  }
  points[2 * bins + 2] = values.toPixel(edges[bins] as number);
  return points;
}

/** The same as steps: as wide as the bins. */
export function stairs({ values, props: { edges } }: Figure, row: HistogramRow): Float64Array {
  const bins = row.counts.length;
  const points = new Float64Array(4 * bins + 4);
  points[0] = values.toPixel(edges[0] as number);
  for (let i = 0; i < bins; i++) {
    const count = row.counts[i] as number;
    points.set([values.toPixel(edges[i] as number), count, values.toPixel(edges[i + 1] as number), count], 4 * i + 2);
  }
  points[4 * bins + 2] = values.toPixel(edges[bins] as number);
  return points;
}

/** The bin of a value; -1 beyond the edges. */
export function binOf({ props: { edges } }: Figure, value: number): number {
  const bins = edges.length - 1;
  if (!(value >= (edges[0] as number) && value <= (edges[bins] as number))) return -1;
  let [low, high] = [0, bins];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** What the legend of a file says: of rows with colours of their own. */
export function labels(props: HistogramChartProps): readonly string[] {
  return coloured(props).map((row) => row.label);
}

function coloured(props: HistogramChartProps): readonly HistogramRow[] {
  return props.rows.filter((row) => row.color !== undefined);
}
