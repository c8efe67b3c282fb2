/** A board of the Metrics tab on a fake host, its series and questions, for tests. */
import { Page } from '@insight-host/kit';
import { fakeContext, type FakeContext } from '@insight-host/kit/testing';
import { afterEach, beforeEach, vi } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { FakeHost, type Sent } from './fake_host';
import type { CardQuery, Feed } from './feed';
import type { GroupQuery, SeriesQuery } from './query';
import type { Series } from './series';

export let host: FakeHost;
export let ctx: FakeContext;
export let board: ScalarParts;

export async function open(runs: readonly string[], tags: readonly string[] = ['loss']): Promise<void> {
  host = new FakeHost(runs, tags);
  ctx = fakeContext(runs, {
    series: Object.fromEntries(runs.map((run) => [run, tags])),
    columns: host.bands,
    frames: host.frames,
  });
  board = scalarParts(new Page(ctx));
  await settled();
}

/** The same tab in the same browser, again. */
export function reload(): void {
  board.page.dispose();
  board = scalarParts(new Page(ctx));
}

/** Everything that was asked for has been answered. */
export const settled = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await vi.advanceTimersByTimeAsync(1); // a batch waits for the end of the task
};

export const query = (runs: readonly string[], more: Partial<CardQuery> = {}, tag = 'loss'): CardQuery => ({
  ...cardQuery,
  layers: [{ tag, runs, axis: 'left' }],
  ...more,
});

export async function wanting(wanted: CardQuery, tag = 'loss'): Promise<Feed> {
  const feed = board.feeds.of(tag);
  feed.want(wanted);
  await settled();
  return feed;
}

/** What was asked since the last call. */
export const asked = (): Sent[] => host.sent.splice(0);
export const askedRuns = (): (readonly string[] | null)[] => asked().map(({ runs }) => runs);
export const shown = (feed: Feed): string[] =>
  feed.picture.value?.layers.flatMap(({ main }) => main.map(({ run, total }) => `${run} ${total}`)) ?? [];

let generation = 0;
/** The host says that series grew. */
export function grow(runs: readonly string[], tags: readonly string[] = ['loss']): void {
  for (const run of runs) host.steps.set(run, host.stepsOf(run) + 1);
  ctx.changes.value = { generation: ++generation, series: Object.fromEntries(runs.map((run) => [run, tags])) };
}

/** The host says that any series may have changed. */
export function changeAnything(): void {
  ctx.changes.value = { generation: ++generation, series: null };
}

/** Every test has a clock of its own, and a board that ends with it. */
export function withFakeClock(): void {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    board.page.dispose();
    vi.useRealTimers();
  });
}

const question = {
  x: 'step',
  logX: false,
  window: null,
  width: 100,
  smoothing: 0,
  smoother: 'ema',
  attempts: 'last',
  values: 'linear',
  times: false,
} as const;
/** Series and questions, for tests. */
export const seriesQuery: SeriesQuery = { ...question, tag: 't' };
export const groupQuery: GroupQuery = { group: '(.)', by: [], centre: 'mean', spread: 'minmax' };
export const cardQuery: CardQuery = { ...question, layers: [], group: null, raw: true };

/** A series that is here as a whole, in one attempt. */
export function fakeSeries(steps: readonly number[], values: readonly number[], more: Partial<Series> = {}): Series {
  return {
    run: 'r',
    tag: 't',
    steps: Float64Array.from(steps),
    wallTimes: Float64Array.from(steps, (step) => 100 + step),
    values: Float64Array.from(values),
    precision: null,
    points: steps.length,
    decimated: false,
    total: steps.length,
    hidden: 0,
    kept: steps.length,
    origin: 100,
    extent: [steps[0] ?? NaN, steps.at(-1) ?? NaN],
    restarts: [],
    breaks: [],
    nonfinite: { nan: 0, inf: 0, neg_inf: 0 },
    ...more,
  };
}
