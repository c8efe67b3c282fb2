/** The run table as the host answers it, whole or as what changed since an earlier answer. */
import type { Messages, Reason } from '@insight-host/api';
import type { RunRow } from './runs';

export interface RunTable {
  readonly generation: number;
  readonly boot?: string;
  /** What asks for the changes after this table. */
  readonly cursor?: string;
  readonly progress: { readonly bytes_read: number; readonly bytes_total: number; readonly loaded_once: boolean };
  /** Whether what is written after the start of the host is shown. */
  readonly follows?: boolean;
  /** What the user should know about the data as a whole. */
  readonly notices: readonly Reason[];
  /** Texts of plugins for their codes, by locale; with notices only. */
  readonly messages?: Messages;
  readonly runs: readonly RunRow[];
}

export interface RunTableAnswer extends RunTable {
  /** Indices of `runs` in the table; where there are none, `runs` are all. */
  readonly places?: readonly number[];
  readonly gone?: readonly string[];
}

/** The table after an answer: rows that did not change keep their order. */
export function updated(before: RunTable | null, answer: RunTableAnswer): RunTable {
  const { places, gone = [], ...table } = answer;
  if (!places || !before) return table;
  const left = new Set([...gone, ...answer.runs.map(({ name }) => name)]);
  const runs = left.size > 0 ? before.runs.filter(({ name }) => !left.has(name)) : before.runs;
  return { ...table, runs: places.length > 0 ? inserted(runs, places, answer.runs) : runs };
}

function inserted(kept: readonly RunRow[], places: readonly number[], rows: readonly RunRow[]): readonly RunRow[] {
  const runs = [];
  let next = 0;
  for (const row of kept) {
    while (places[next] === runs.length) runs.push(rows[next++] as RunRow);
    runs.push(row);
  }
  return [...runs, ...rows.slice(next)];
}
