/** The curves of runs at a step, and how the tab shows them. */
import type { Columns, Reason } from '@insight-host/api';
import { codecs, floats, type Page } from '@insight-host/kit';
import { Spaced } from '@insight-host/kit/lab';
import { stepParts } from '@insight-host/kit/steps';
import type { ChartData } from '@insight-host/kit/table';
import { signal } from '@preact/signals';

/** One run's curve at one step; columns are by threshold, ascending. */
export interface Curve {
  readonly run: string;
  readonly step: number;
  /** Thresholds that were recorded, of which the columns may have fewer. */
  readonly recorded: number;
  readonly averagePrecision: number | null;
  readonly best: { readonly f1: number; readonly threshold: number };
  /** null: the counts give no ROC curve, `noRoc` says why. */
  readonly rocArea: number | null;
  readonly noRoc: Reason | null;
  readonly thresholds: Float64Array;
  readonly truePositives: Float64Array;
  readonly falsePositives: Float64Array;
  readonly trueNegatives: Float64Array;
  readonly falseNegatives: Float64Array;
  readonly precision: Float64Array;
  readonly recall: Float64Array;
  readonly f1: Float64Array;
  /** NaN without a ROC curve. */
  readonly falsePositiveRate: Float64Array;
  readonly truePositiveRate: Float64Array;
}

/** A record that could not be read. */
interface Unread extends Reason {
  readonly run: string;
  readonly step: number;
}

export interface Curves {
  readonly curves: readonly Curve[];
  readonly errors: readonly Unread[];
  /** The steps that one of the runs has. */
  readonly axis: Float64Array;
}

interface Described {
  readonly run: string;
  readonly step: number;
  readonly recorded: number;
  readonly points: number;
  readonly average_precision: number | null;
  readonly best: { readonly f1: number; readonly threshold: number };
  readonly roc_area: number | null;
  readonly no_roc: Reason | null;
}

export function curvesOf(columns: Columns): Curves {
  const said = JSON.parse(columns.metadata['curves'] ?? '{}') as {
    readonly runs: readonly Described[];
    readonly errors: readonly Unread[];
  };
  const all = (name: string): Float64Array => floats(columns.column(name));
  const [thresholds, precision, recall, f1] = ['thresholds', 'precision', 'recall', 'f1'].map(all) as Four;
  const counts = ['true_positives', 'false_positives', 'true_negatives', 'false_negatives'].map(all) as Four;
  const rate = all('false_positive_rate');
  let start = 0;
  const curves = said.runs.map((run): Curve => {
    const part = (column: Float64Array): Float64Array => column.subarray(start, start + run.points);
    const [truePositives, falsePositives, trueNegatives, falseNegatives] = counts.map(part) as Four;
    const curve: Curve = {
      run: run.run,
      step: run.step,
      recorded: run.recorded,
      averagePrecision: run.average_precision,
      best: run.best,
      rocArea: run.roc_area,
      noRoc: run.no_roc,
      thresholds: part(thresholds),
      truePositives,
      falsePositives,
      trueNegatives,
      falseNegatives,
      precision: part(precision),
      recall: part(recall),
      f1: part(f1),
      falsePositiveRate: part(rate),
      truePositiveRate: truePositives.map((count, i) => count / (count + (falseNegatives[i] ?? NaN))),
    };
    start += run.points;
    return curve;
  });
  return { curves, errors: said.errors, axis: all('axis') };
}

type Four = [Float64Array, Float64Array, Float64Array, Float64Array];

export type View = 'pr' | 'roc';

/** The two axes of a view, by threshold. */
export function axesOf(curve: Curve, view: View): readonly [Float64Array, Float64Array] {
  return view === 'pr' ? [curve.recall, curve.precision] : [curve.falsePositiveRate, curve.truePositiveRate];
}

/**
 * A curve as a line from left to right, which is from the largest threshold to the smallest; a ROC curve begins at
 * (0, 0).
 */
export function pathOf(curve: Curve, view: View): { readonly x: Float64Array; readonly y: Float64Array } {
  const [x, y] = axesOf(curve, view).map((column) => column.slice().reverse()) as [Float64Array, Float64Array];
  if (view === 'pr') return { x, y };
  return { x: Float64Array.of(0, ...x), y: Float64Array.of(0, ...y) };
}

/** Index of the threshold of a curve that a point of its path stands for. */
export function indexOnPath(curve: Curve, view: View, place: number): number {
  const fromEnd = view === 'pr' ? place : Math.max(0, place - 1);
  return curve.thresholds.length - 1 - fromEnd;
}

/** Index of the smallest threshold that is not below `threshold`; the last one if all are. */
export function indexAt({ thresholds }: Curve, threshold: number): number {
  const found = thresholds.findIndex((value) => value >= threshold - 1e-9);
  return found < 0 ? thresholds.length - 1 : found;
}

/** Every threshold of every run, exactly. */
export function tableOf({ t: say }: Pick<Page, 't'>, { curves }: Curves): ChartData {
  const names = ['tp', 'fp', 'tn', 'fn', 'precision', 'recall', 'f1', 'false_rate'];
  return {
    head: [say('run'), say('step'), say('threshold'), ...names.map((name) => say(name))],
    rows: curves.flatMap((curve) => {
      const columns = [
        curve.thresholds,
        curve.truePositives,
        curve.falsePositives,
        curve.trueNegatives,
        curve.falseNegatives,
        curve.precision,
        curve.recall,
        curve.f1,
        curve.falsePositiveRate,
      ];
      return Array.from(curve.thresholds, (_, i) => [
        curve.run,
        curve.step,
        ...columns.map((column) => column[i] ?? null),
      ]);
    }),
  };
}

export const VIEWS = ['pr', 'roc'] as const satisfies readonly View[];

const REST = 500; // ms between two questions about what grows
const SETTLE = 300; // ms without a move before the URL says the threshold

export type PrParts = ReturnType<typeof prParts>;

/** Makes the parts of the tab: a card for each tag, with the curves of all runs at one step. */
export function prParts(page: Page) {
  const version = signal(0);
  const grown = new Spaced(REST, () => void version.value++);
  page.onChange(page.ctx.changes, () => grown.ask());
  page.until(() => grown.cancel());
  return {
    ...stepParts(page, true),
    view: page.setting('view', codecs.choice<View>(VIEWS, 'pr')),
    /** At which the numbers of all cards are read. */
    threshold: page.setting('threshold', codecs.number(0, 1, 0.5), SETTLE),
    /** Another number when series have grown. */
    version,
  };
}
