/** What is asked of the routes of the plugin. */
import type { PluginContext } from '@insight-host/api';
import { Column, Frame, type ColumnInfo } from '@insight-host/kit/runs';
import type { ColumnsAnswer, RunsAnswer } from './answers';

export const LONGEST = 6000; // characters of a URL that proxies still take
const MOST = 12; // columns of one answer: several of them come at once

export async function loadColumns(ctx: PluginContext): Promise<ColumnsAnswer> {
  const answer = await ctx.data.json<ColumnsAnswer>('columns', {}, { signal: ctx.signal });
  return { ...answer, columns: toldApart(answer.columns) };
}

/** Columns of one title are called by their whole names. */
export function toldApart(columns: readonly ColumnInfo[]): readonly ColumnInfo[] {
  const counts = new Map<string, number>();
  for (const { title } of columns) counts.set(title, (counts.get(title) ?? 0) + 1);
  return columns.map((column) => (counts.get(column.title) === 1 ? column : { ...column, title: column.name }));
}

/** All runs with these columns, called as in `listing`. */
export async function loadFrame(
  ctx: PluginContext,
  names: readonly string[],
  listing: readonly ColumnInfo[],
): Promise<Frame> {
  const asked = names.length > 0 ? parts(names) : [['run']];
  const titles = new Map(listing.map(({ name, title }) => [name, title]));
  return frameOf(
    await Promise.all(asked.map((columns) => ctx.data.json<RunsAnswer>('runs', { columns }, { signal: ctx.signal }))),
    titles,
  );
}

/** A few runs with everything that is known of them. */
export async function loadRuns(
  ctx: PluginContext,
  runs: readonly string[],
  columns: readonly ColumnInfo[],
): Promise<Frame> {
  const names = columns
    .filter(({ group, name }) => group !== 'scalar' || name.startsWith('last/'))
    .map(({ name }) => name);
  return frameOf(
    await Promise.all(
      parts(names).map((part) =>
        ctx.data.json<RunsAnswer>('runs', { run: runs, columns: part }, { signal: ctx.signal }),
      ),
    ),
  );
}

/** Names in parts whose URLs and answers are short enough. */
function parts(names: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let room = 0;
  for (const name of names) {
    const size = encodeURIComponent(name).length + 9;
    if (found.length === 0 || size > room || found.at(-1)?.length === MOST) {
      found.push([]);
      room = LONGEST;
    }
    found.at(-1)?.push(name);
    room -= size;
  }
  return found;
}

/**
 * Answers about the same runs, asked for in parts; the first says which runs there are. Their names are a column, too.
 */
export function frameOf(answers: readonly RunsAnswer[], titles?: ReadonlyMap<string, string>): Frame {
  const runs = answers[0]?.runs ?? [];
  const columns = [new Column({ name: 'run', title: 'run', group: 'run', type: 'str', count: runs.length }, runs)];
  for (const answer of answers) {
    const same = answer.runs.length === runs.length && answer.runs.every((run, row) => run === runs[row]);
    const place = same ? null : new Map(answer.runs.map((run, row) => [run, row]));
    answer.columns.forEach((info, at) => {
      const values = answer.values[at] ?? [];
      const named = { ...info, title: titles?.get(info.name) ?? info.title };
      columns.push(new Column(named, place ? runs.map((run) => values[place.get(run) ?? -1] ?? null) : values));
    });
  }
  return new Frame(runs, columns);
}
