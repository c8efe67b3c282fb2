/** Last, smallest and largest values of series, which panels share. */
import type { Cell } from '@insight-host/api';
import type { ScalarParts } from '../board';
import type { Summary } from './metric';

interface Kept {
  /** undefined for a series that the host does not have. */
  readonly value: number | undefined;
  readonly time: number;
}

interface Answer {
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
    const { summaries } = await page.ctx.data.json<Answer>('summaries', { of, attempts, tag: tags, run });
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
export function summariesOf(board: ScalarParts): Summaries {
  let found = known.get(board);
  if (!found) known.set(board, (found = new Summaries(board)));
  return found;
}
