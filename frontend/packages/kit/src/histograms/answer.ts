import type { Columns, Reason } from '@insight-host/api';
import type { HistogramRow, HistogramView } from './props';
import { isoTime, type XKind } from '@insight-host/kit/draw';
import { codecs, exactAt, floats } from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';

/** A record that could not be read, and why. */
export interface HistogramError extends Reason {
  readonly run: string;
  readonly index: number;
  readonly step: number;
  readonly wall_time: number;
}

/** An answer of `/histograms` or `/comparison`: one row for each step, or for each run. */
export interface Histograms {
  readonly edges: Float64Array;
  readonly steps: Float64Array;
  readonly wallTimes: Float64Array;
  /** Of the records. */
  readonly indices: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  /** NaN where the writer did not say; so are the two before. */
  readonly means: Float64Array;
  /** How many values there were, finite or not. */
  readonly totals: Float64Array;
  readonly nans: Float64Array;
  readonly posInfs: Float64Array;
  readonly negInfs: Float64Array;
  /** Of each row one after the other. */
  readonly counts: Float64Array;
  /** Of each row how many finite values are in no bin, for they are beyond the axis. */
  readonly beyond: Float64Array;
  readonly percentiles: Float64Array;
  /** Of `/comparison`: the run of each row, and all steps that one of them has. */
  readonly runs: readonly string[];
  readonly axis: Float64Array;
  /**
   * Records that there are, that the cache policy kept, that a restart hides, that are in question, and that were read.
   */
  readonly points: number;
  readonly kept: number;
  readonly hidden: number;
  readonly purged?: number;
  readonly available: number;
  readonly shown: number;
  /** Wall time of the first record. */
  readonly origin: number;
  readonly errors: readonly HistogramError[];
}

type Described = Partial<
  Pick<Histograms, 'runs' | 'points' | 'kept' | 'hidden' | 'purged' | 'available' | 'shown' | 'origin' | 'errors'>
>;

export function decodeHistograms(columns: Columns): Histograms {
  const described = JSON.parse(columns.metadata['histograms'] ?? '{}') as Described;
  const column = (name: string): Float64Array =>
    columns.names.includes(name) ? floats(columns.column(name)) : new Float64Array();
  return {
    edges: column('edges'),
    steps: column('steps'),
    wallTimes: column('wall_times'),
    indices: column('indices'),
    mins: column('mins'),
    maxs: column('maxs'),
    means: column('means'),
    totals: column('totals'),
    nans: column('nans'),
    posInfs: column('pos_infs'),
    negInfs: column('neg_infs'),
    counts: column('counts'),
    beyond: column('beyond'),
    percentiles: column('percentiles'),
    axis: column('axis'),
    runs: described.runs ?? [],
    points: described.points ?? 0,
    kept: described.kept ?? 0,
    hidden: described.hidden ?? 0,
    purged: described.purged ?? 0,
    available: described.available ?? 0,
    shown: described.shown ?? 0,
    origin: Number(described.origin ?? NaN),
    errors: described.errors ?? [],
  };
}

const PERCENTILES = 9;

export function countsOf({ counts, edges }: Histograms, row: number): Float64Array {
  const bins = edges.length - 1;
  return counts.subarray(row * bins, (row + 1) * bins);
}

export function percentilesOf({ percentiles }: Histograms, row: number): Float64Array {
  return percentiles.subarray(row * PERCENTILES, (row + 1) * PERCENTILES);
}

/** Steps as the rows of a chart. */
export function stepRows(found: Histograms, kind: XKind): HistogramRow[] {
  return Array.from(found.steps, (step, i) => ({
    id: String(found.indices[i]),
    label: String(exactAt(found.steps, i)),
    at: placeOf(found, kind, step, found.wallTimes[i] as number),
    counts: countsOf(found, i),
    percentiles: percentilesOf(found, i),
  }));
}

/** Runs as the rows of a chart, each in its colour. */
export function runRows(
  found: Histograms,
  nameOf: (run: string) => string,
  colorOf: (run: string) => string,
): HistogramRow[] {
  return found.runs.map((run, i) => ({
    id: run,
    label: nameOf(run),
    at: i,
    counts: countsOf(found, i),
    percentiles: percentilesOf(found, i),
    color: colorOf(run),
  }));
}

/** Places of the records that could not be read. */
export function errorPlaces(found: Histograms, kind: XKind): number[] {
  return found.errors.map((error) => placeOf(found, kind, error.step, Number(error.wall_time)));
}

function placeOf(found: Histograms, kind: XKind, step: number, wallTime: number): number {
  return kind === 'step' ? step : kind === 'relative' ? wallTime - found.origin : wallTime;
}

/** Non-finite values of the whole answer: [NaN, +Inf, −Inf]. */
export function nonfinite({ nans, posInfs, negInfs }: Histograms): readonly [number, number, number] {
  const sum = (column: Float64Array): number => column.reduce((total, value) => total + value, 0);
  return [sum(nans), sum(posInfs), sum(negInfs)];
}

/** The rows with their counts by bin, for a spreadsheet. */
export function histogramTable(found: Histograms): (string | number | bigint)[][] {
  const bins = found.edges.length - 1;
  const runs = found.runs.length > 0;
  const head = [
    ...(runs ? ['run'] : []),
    'step',
    'wall_time',
    'count',
    'nan',
    'pos_inf',
    'neg_inf',
    'min',
    'max',
    'mean',
  ];
  const known = (value: number | undefined): string | number =>
    value === undefined || Number.isNaN(value) ? '' : value;
  const rows = Array.from(found.steps, (_, i) => [
    ...(runs ? [found.runs[i] ?? ''] : []),
    exactAt(found.steps, i),
    found.wallTimes[i] ?? '',
    found.totals[i] ?? '',
    found.nans[i] ?? '',
    found.posInfs[i] ?? '',
    found.negInfs[i] ?? '',
    known(found.mins[i]),
    known(found.maxs[i]),
    known(found.means[i]),
    ...countsOf(found, i),
  ]);
  return [
    [
      ...head,
      ...Array.from({ length: bins }, (_, i) => `[${found.edges[i]}, ${found.edges[i + 1]}${i + 1 < bins ? ')' : ']'}`),
    ],
    ...rows,
  ];
}

/** The same to read in a table: times as dates, and nothing where the writer said nothing. */
export function chartData(found: Histograms): ChartData {
  const [head = [], ...rows] = histogramTable(found);
  const time = head.indexOf('wall_time');
  return {
    head: head.map(String),
    rows: rows.map((row) =>
      row.map((cell, at) => (cell === '' ? null : at === time ? (isoTime(Number(cell)) ?? cell) : cell)),
    ),
  };
}

export const VIEWS = ['top', 'front', 'distributions', 'heatmap'] as const satisfies readonly HistogramView[];
export const STEP_COUNTS = [25, 50, 100, 250, 1000, 10_000] as const; // the last one is all that the server gives
export const BIN_COUNTS = [10, 20, 30, 50, 100, 200] as const;
const DEFAULT_STEPS = 100;

export const histogramView = codecs.choice<HistogramView>(VIEWS, 'top');
/** How many steps at most. */
export const stepCount = codecs.wholeNumber(1, 10_000, DEFAULT_STEPS);
/** How many bins; 0 leaves it to the server. */
export const binCount = codecs.wholeNumber(0, 1000, 0);
