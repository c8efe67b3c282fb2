/**
 * How series that have grown are asked for: by what was appended, where that gives the same as asking for everything.
 */
import type { Query } from '@insight-host/api';
import { isMetric } from '../card/axis';
import { isWhole, joinedColumns, lastX, mergeTail, WHOLE, type Grid, type Series } from './series';
import type { SeriesQuery } from './query';

const ROOM = 1.05; // of a new grid, at least
const MOST_ROOM = ROOM * 2 ** 0.25;

/**
 * One request, and how its answer continues a series; null where it does not fit, so that the series has to be fetched
 * again.
 */
interface Continuation {
  readonly runs: readonly string[];
  /** Parameters that differ from those of the query without its window. */
  readonly more: Query;
  readonly take: (answer: Series) => Series | null;
}

/** Of some of the series; the others can only be fetched again. */
export function continuations(query: SeriesQuery, olds: readonly Series[]): readonly Continuation[] {
  if (isMetric(query.x)) return []; // earlier points may get their x later
  const found: Continuation[] = [];
  const whole = olds.filter(isWhole);
  if (whole.length > 0) {
    const from = Math.min(...whole.map((old) => lastX(old, query.x)));
    found.push(
      continuation(whole, { from: Number.isFinite(from) ? from : null }, (old, tail) =>
        mergeTail(old, tail, from, query.x),
      ),
    );
  }
  const [onGrid, offGrid] = [new Map<string, Series[]>(), new Map<string, Series[]>()];
  for (const old of olds) {
    if (!isSteady(old, query)) continue;
    const groups = old.grid && lastX(old, 'step') < old.grid.until ? onGrid : offGrid;
    const key = JSON.stringify(groups === onGrid ? old.grid : gridFor(old, query.width));
    groups.set(key, [...(groups.get(key) ?? []), old]);
  }
  for (const [key, group] of offGrid) {
    const grid = JSON.parse(key) as Grid;
    found.push(
      continuation(group, { to: grid.until, width: grid.width }, (_, answer) =>
        answer.decimated && answer.extent[1] <= grid.until ? { ...answer, grid } : null,
      ),
    );
  }
  for (const [key, group] of onGrid) {
    const grid = JSON.parse(key) as Grid;
    const since = Math.min(...group.map((old) => lastX(old, 'step') - (2 * (grid.until - old.extent[0])) / grid.width));
    found.push(
      continuation(group, { to: grid.until, width: grid.width, since }, (old, tail) => mergeColumns(old, tail, since)),
    );
  }
  return found;
}

function continuation(
  olds: readonly Series[],
  more: Query,
  take: (old: Series, answer: Series) => Series | null,
): Continuation {
  const byRun = new Map(olds.map((old) => [old.run, old]));
  return {
    runs: [...byRun.keys()],
    more,
    take: (answer) => {
      const old = byRun.get(answer.run);
      return old ? take(old, answer) : null;
    },
  };
}

/** Whether points can only come at its end: by step they do, until a restart. */
function isSteady(series: Series, { x, logX, window, width }: SeriesQuery): boolean {
  const isPlain = x === 'step' && !logX && window === null;
  return (
    isPlain &&
    series.decimated &&
    series.points > WHOLE * gridWidth(width) &&
    series.kept === series.total &&
    series.breaks.length === 0
  );
}

function gridWidth(width: number): number {
  return Math.ceil(width * MOST_ROOM);
}

/** Columns no wider than those of the query, with room for what comes. Series of one length get the same. */
function gridFor({ extent: [first, last] }: Series, width: number): Grid {
  return { until: first + 2 ** (Math.ceil(4 * Math.log2((last - first) * ROOM)) / 4), width: gridWidth(width) };
}

/**
 * Replaces the last columns of a series by newer ones; `since` lies before the column of its last point. Columns
 * before that one are as they were, for their points are: none were hidden, left out or recorded in another attempt.
 */
export function mergeColumns(old: Series, tail: Series, since: number): Series | null {
  const { grid } = old;
  if (
    !grid ||
    !tail.decimated ||
    tail.extent[1] > grid.until ||
    tail.extent[0] !== old.extent[0] ||
    tail.points < old.points
  )
    return null;
  if (
    tail.kept !== tail.total ||
    tail.hidden !== old.hidden ||
    tail.restarts.length !== old.restarts.length ||
    tail.origin !== old.origin ||
    tail.breaks.length > 0
  )
    return null;
  let cut = old.steps.length;
  while (cut > 0 && (old.steps[cut - 1] as number) >= since) cut--;
  return { ...tail, ...joinedColumns(old, cut, tail), grid };
}
