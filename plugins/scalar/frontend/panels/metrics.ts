/** The values of metrics of runs. */
import { useComputed, useSignal } from '@preact/signals';
import type { Cell } from '@insight-host/api';
import { message } from '@insight-host/kit';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { useGeneration } from '../generation';
import { metricOf, SUMMARIES } from './metric';
import { summariesOf } from './summaries';

/** The values of a metric, by run. */
export type Values = ReadonlyMap<string, Cell>;

export interface Answer {
  /** In the order in which the metrics were given; null until they are here. */
  readonly values: readonly Values[] | null;
  readonly error: string | null;
}

const NONE: Answer = { values: null, error: null };

/** The values of metrics of the selected runs, kept up to date while the tab is in front. */
export function useMetrics(board: ScalarParts, texts: readonly string[]): Answer {
  const key = JSON.stringify(texts);
  const answer = useSignal<Answer & { readonly key: string }>({ ...NONE, key });
  /** What is there of these metrics, not of those that the panel showed before it was changed. */
  const of = (wantedKey: string): Answer => (answer.value.key === wantedKey ? answer.value : NONE);
  const isVisible = board.page.visible.value;
  const generation = useGeneration(board);
  const wanted = useComputed(() =>
    JSON.stringify([board.page.runs.value.map((run) => run.name), board.tags.runsByTag.value.size]),
  );
  useEffect(() => {
    if (!isVisible) return;
    const stop = new AbortController();
    load(board, texts, stop.signal).then(
      (values) => {
        if (!stop.signal.aborted) answer.value = { values, error: null, key };
      },
      (error: unknown) => {
        if (!stop.signal.aborted) answer.value = { ...of(key), error: message(error), key };
      },
    );
    return () => stop.abort();
  }, [key, wanted.value, board.attempts.value, generation, isVisible]);
  return of(key);
}

async function load(board: ScalarParts, texts: readonly string[], signal: AbortSignal): Promise<readonly Values[]> {
  const metrics = texts.map(metricOf);
  const found = SUMMARIES.map(async (of): Promise<ReadonlyMap<string, Values>> => {
    const tags = metrics.flatMap((metric) => (metric?.of === of ? [metric.tag] : []));
    const values = tags.length > 0 ? await summariesOf(board).values(of, tags) : [];
    return new Map(tags.map((tag, at) => [tag, values[at] ?? new Map()]));
  });
  return Promise.all(
    metrics.map(async (metric): Promise<Values> => {
      if (!metric) return new Map();
      if (metric.of === 'column') return ofColumn(board, metric.column, signal);
      return (await found[SUMMARIES.indexOf(metric.of)])?.get(metric.tag) ?? new Map();
    }),
  );
}

/** The question for the exact last, smallest and largest value of a tag: one column of a plot is enough. */
export function wholeQuery(board: ScalarParts, tag: string): Parameters<ScalarParts['feeds']['source']['current']>[0] {
  return {
    tag,
    x: 'step',
    logX: false,
    window: null,
    width: 1,
    smoothing: 0,
    smoother: 'ema',
    attempts: board.attempts.value,
    values: 'exact',
    times: false,
  };
}

interface Columns {
  readonly columns: readonly { readonly cells: Readonly<Record<string, Cell>> }[];
}

async function ofColumn(board: ScalarParts, column: string, signal: AbortSignal): Promise<Values> {
  const { columns } = await board.page.ctx.data.json<Columns>('columns', { column: [column] }, { signal });
  const cells = new Map(columns.flatMap(({ cells: found }) => Object.entries(found)));
  return new Map(
    board.page.runs.value.flatMap(({ name }) => {
      const cell = cells.get(name);
      return cell === undefined ? [] : [[name, cell] as const];
    }),
  );
}
