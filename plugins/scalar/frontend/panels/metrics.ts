/** The values of metrics of runs, which panels share. */
import type { Cell } from '@insight-host/api';
import { message } from '@insight-host/kit';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { metricOf, SUMMARIES, type Summary } from './choice';

interface Kept {
  /** undefined for a series that the host does not have. */
  readonly value: number | undefined;
  readonly time: number;
}

interface SummaryAnswer {
  readonly summaries: readonly {
    readonly tag: string;
    readonly runs: readonly string[];
    readonly values: readonly (number | string)[]; // what is not finite is a text
  }[];
}

const FEW = 20; // runs that are named also if they are all

/** Values by run and tag: asked for only when they are missing or have changed, and once for all panels. */
export class Summaries {
  private readonly kept = new Map<string, Map<string, Kept>>(); // by series, of one kind and tag
  private readonly asking = new Map<string, Promise<void>>();

  constructor(private readonly board: ScalarParts) {}

  /** The values of the selected runs for each of the tags. Rejects with the reason why they cannot be had. */
  async values(of: Summary, tags: readonly string[]): Promise<readonly ReadonlyMap<string, Cell>[]> {
    const attempts = this.board.attempts.value;
    const keyOf = (tag: string): string => JSON.stringify([of, tag, attempts]);
    for (const tag of tags) {
      for (let other = this.asking.get(keyOf(tag)); other; other = this.asking.get(keyOf(tag))) await other;
    }
    const missing = tags
      .map((tag) => [tag, this.outdated(keyOf(tag), tag)] as const)
      .filter(([, { size }]) => size > 0);
    if (missing.length > 0) {
      const runs = new Set(missing.flatMap(([, some]) => [...some]));
      const names = missing.map(([tag]) => tag);
      const work = this.ask(of, attempts, names, [...runs], keyOf);
      for (const tag of names) this.asking.set(keyOf(tag), work);
      try {
        await work;
      } finally {
        for (const tag of names) this.asking.delete(keyOf(tag));
      }
    }
    return tags.map((tag) => {
      const found = this.kept.get(keyOf(tag));
      return new Map(
        this.board.tags.runNames(tag).flatMap((run) => {
          const value = found?.get(run)?.value;
          return value === undefined ? [] : [[run, value] as const];
        }),
      );
    });
  }

  private outdated(key: string, tag: string): ReadonlySet<string> {
    const { clock } = this.board.feeds.source;
    const found = this.kept.get(key);
    return new Set(
      this.board.tags.runNames(tag).filter((run) => {
        const time = found?.get(run)?.time;
        return time === undefined || !clock.isCurrent(time, tag, [run]);
      }),
    );
  }

  private async ask(
    of: Summary,
    attempts: string,
    tags: readonly string[],
    runs: readonly string[],
    keyOf: (tag: string) => string,
  ): Promise<void> {
    const { page, feeds } = this.board;
    const time = feeds.source.clock.now;
    const run = runs.length > FEW && runs.length === page.allRuns.value.length ? null : runs;
    const { summaries } = await page.ctx.data.json<SummaryAnswer>('summaries', { of, attempts, tag: tags, run });
    const answers = new Map(summaries.map((one) => [one.tag, one]));
    for (const tag of tags) {
      const answer = answers.get(tag);
      const values = new Map(answer?.runs.map((name, i) => [name, Number(answer.values[i])]));
      const kept = this.kept.get(keyOf(tag)) ?? new Map<string, Kept>();
      for (const name of runs) kept.set(name, { value: values.get(name), time });
      this.kept.set(keyOf(tag), kept);
    }
  }
}

const known = new WeakMap<ScalarParts, Summaries>();

/** Those of a board. */
function summariesOf(board: ScalarParts): Summaries {
  let found = known.get(board);
  if (!found) known.set(board, (found = new Summaries(board)));
  return found;
}

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

const APART = 2000; // ms

/** Grows with the data, at most every two seconds. */
export function useGeneration(board: ScalarParts): number {
  const seen = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = board.page.ctx.changes.subscribe(({ generation }) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        seen.value = generation;
      }, APART);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return seen.value;
}
