/** A page with three runs of made-up data, for examples that need a board. */
import type { Columns, PluginContext, Query, Run } from '@insight-host/api';
import { fakeColumns, fakeContext, fakeRun, fakeTags, type FakeSeries } from '@insight-host/kit/testing';

const STEPS = [0, 10, 20, 30, 40, 50];
const START = 1.7e9;
const COLORS = ['#2f6fd0', '#c2571a', '#2a8a57'];
const TAGS = ['layers/first', 'layers/second', 'loss'];

const described = Object.fromEntries(TAGS.map((tag) => [tag, { attempts: 2 }]));
const SERIES: FakeSeries = { baseline: described, wide: described, broken: { loss: { attempts: 2 } } };

function records(): Columns {
  const counts = { points: 8, kept: STEPS.length, hidden: 2 };
  return fakeColumns(
    { steps: STEPS, wall_times: STEPS.map((step) => START + 6 * step), sizes: STEPS.map(() => 64) },
    { records: JSON.stringify(counts) },
  );
}

const EDGES = Array.from({ length: 13 }, (_, edge) => edge / 2 - 3);
/** Counts of one step: a bell that grows narrower. */
export const bell = (step: number): readonly number[] =>
  EDGES.slice(1).map((edge) => Math.round(200 * Math.exp(-((edge - 0.25) ** 2) * (0.3 + step / 50))));
export const edges: readonly number[] = EDGES;
export const steps: readonly number[] = STEPS;

function histograms(): Columns {
  const of = (value: number): readonly number[] => STEPS.map(() => value);
  const metadata = { points: 6, kept: 6, hidden: 0, available: 6, shown: 6, origin: START, errors: [] };
  return fakeColumns(
    {
      edges: EDGES,
      steps: STEPS,
      wall_times: STEPS.map((step) => START + 6 * step),
      indices: STEPS.map((_, index) => index),
      mins: of(-2.5),
      maxs: of(2.5),
      means: of(0),
      totals: STEPS.map((step) => bell(step).reduce((sum, count) => sum + count, 0)),
      nans: STEPS.map((_, index) => (index === 3 ? 2 : 0)),
      pos_infs: of(0),
      neg_infs: of(0),
      counts: STEPS.flatMap(bell),
      beyond: of(0),
      percentiles: STEPS.flatMap(() => [-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5]),
    },
    { histograms: JSON.stringify(metadata) },
  );
}

export type SampleState = 'data' | 'empty' | 'loading' | 'failing';

/** The context of the page with other data: texts, theme and notices are the page's. */
export function sampleContext(ctx: PluginContext, state: SampleState = 'data'): PluginContext {
  const columns = async (route: string, query: Query): Promise<Columns> => {
    if (query['run'] === 'broken') throw new Error('run "broken": record 3 is truncated');
    return route === 'records' ? records() : histograms();
  };
  const fake = fakeContext(['baseline', 'wide', 'broken'], { columns });
  if (state === 'data') fake.tags.value = fakeTags(SERIES);
  else if (state === 'empty') fake.tags.value = fakeTags({});
  else if (state === 'failing') fake.tags.failure.value = 'the data server is away';
  const colored: readonly Run[] = fake.runs.all.value.map((run, i) => ({
    ...fakeRun(run.name),
    color: COLORS[i] as string,
  }));
  for (const runs of [fake.runs.all, fake.runs.shown, fake.runs.selected]) runs.value = colored;
  const { theme, locale, visible, t, ui, notify, shortcut, signal } = ctx;
  return { ...fake, theme, locale, visible, t, ui, notify, shortcut, signal };
}
