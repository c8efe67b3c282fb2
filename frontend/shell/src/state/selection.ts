/**
 * Which runs are selected, and which the filter shows while the user types: by a regular expression over names, or by
 * an expression over columns. Filtering only hides rows; it never changes the selection.
 */
import type { Codec, Run } from '@insight-host/api';
import { byName, codecs } from '@insight-host/kit';
import { tagFilter } from '@insight-host/kit/lab';

export type Selection =
  /** Every run, also those that appear later. */
  | { readonly kind: 'all' }
  | { readonly kind: 'list'; readonly names: readonly string[] }
  /** All but these; runs that appear later belong to it. */
  | { readonly kind: 'except'; readonly names: readonly string[] };

const listText = (names: readonly string[]): string => codecs.names.format(names) ?? '';

/** Nothing for all (older links: `all`), names, or `~` and the names that are left out: no list begins with `~a`. */
export const selectionCodec: Codec<Selection> = {
  parse: (text) => {
    if (text === null || text === 'all') return { kind: 'all' };
    if (/^~[^;]/.test(text)) return { kind: 'except', names: codecs.names.parse(text.slice(1)) };
    return { kind: 'list', names: codecs.names.parse(text) };
  },
  format: (selection) => {
    if (selection.kind === 'all') return null;
    const text = listText(selection.names);
    if (selection.kind === 'except') return `~${text}`;
    return text === 'all' ? '%61ll' : text; // a run of that name is not the word for every run
  },
  named: (selection) => ('names' in selection ? { runs: selection.names } : {}),
};

type Known = Pick<Run, 'name'>;

export function selectedNames(selection: Selection, runs: readonly Known[]): ReadonlySet<string> {
  if (selection.kind === 'list' || selection.kind === 'except') {
    const named = new Set(selection.names);
    return new Set(runs.filter((run) => named.has(run.name) === (selection.kind === 'list')).map((run) => run.name));
  }
  return new Set(runs.map((run) => run.name));
}

/**
 * The selection that holds exactly `names`, in the shorter of two ways: these, or all but these. Names of runs that are
 * not loaded yet stay in it, as `before` has them.
 */
export function selectionOf(
  names: ReadonlySet<string>,
  runs: readonly Known[],
  before: Selection = { kind: 'all' },
): Selection {
  const known = new Set(runs.map((run) => run.name));
  const unseen = (kind: 'list' | 'except'): readonly string[] =>
    before.kind === kind ? before.names.filter((name) => !known.has(name)) : [];
  const without = [...runs.filter((run) => !names.has(run.name)).map((run) => run.name), ...unseen('except')];
  if (runs.length > 0 && without.length === 0) return { kind: 'all' };
  const these = [...runs.filter((run) => names.has(run.name)).map((run) => run.name), ...unseen('list')];
  return without.length > 0 && listText(without).length < listText(these).length
    ? { kind: 'except', names: without }
    : { kind: 'list', names: these };
}

export function toggled(selected: ReadonlySet<string>, name: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** With `on`, also every one of `rows`; without, none of them. */
export function withRows(selected: ReadonlySet<string>, rows: readonly Known[], on: boolean): Set<string> {
  const next = new Set(selected);
  for (const row of rows) {
    if (on) next.add(row.name);
    else next.delete(row.name);
  }
  return next;
}

/**
 * What a press on a run selects: the run is toggled, or, from an `anchor` among the rows, all between become what the
 * anchor is. `anchor` of the result is that of the next press.
 */
export function pressed(
  selected: ReadonlySet<string>,
  rows: readonly Known[],
  name: string,
  anchor: string | null,
): { readonly selected: Set<string>; readonly anchor: string } {
  const from = rows.findIndex((row) => row.name === anchor);
  if (anchor === null || from < 0) return { selected: toggled(selected, name), anchor: name };
  const to = rows.findIndex((row) => row.name === name);
  const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: withRows(selected, between, selected.has(anchor)), anchor };
}

type Tri = 'all' | 'some' | 'none';
export function triState(selected: ReadonlySet<string>, rows: readonly Known[]): Tri {
  let count = 0;
  for (const row of rows) if (selected.has(row.name)) count++;
  return count === 0 ? 'none' : count === rows.length ? 'all' : 'some';
}

interface Named {
  readonly name: string;
  readonly displayName: string;
}

export interface Filter {
  readonly matches: (run: Named) => boolean;
  /**
   * Why the text is not a valid regular expression, then it is searched as plain text; or what is wrong with the
   * expression.
   */
  readonly error: string | null;
  readonly isExpression: boolean;
}

/** What the host answered to an expression. */
export interface Matched {
  readonly text: string;
  /** null: the expression is wrong, and says so. */
  readonly runs: ReadonlySet<string> | null;
  readonly error: string | null;
  /** Texts that may stand for the `length` characters from `position` on, where the mistake is. */
  readonly suggestions: readonly string[];
  readonly position: number;
  readonly length: number;
  /** The text is right so far, and has to go on. */
  readonly isUnfinished: boolean;
}

export function nameFilter(text: string): Filter {
  const { matches, error } = tagFilter(text);
  return {
    matches: ({ name, displayName }) => matches(name) || (displayName !== name && matches(displayName)),
    error: error?.replace(/^.*\/iu?:\s*/, '') ?? null,
    isExpression: false,
  };
}

/** Until the host has answered, what it answered before; first no run. A wrong expression hides no run. */
export function expressionFilter(text: string, matched: Matched | null): Filter {
  const runs = matched && (matched.runs ?? null);
  return {
    matches: matched === null ? () => false : runs ? ({ name }) => runs.has(name) : () => true,
    error: matched?.text === text ? matched.error : null,
    isExpression: true,
  };
}

/**
 * `time`, `name`, `selected`, or a column of the run table, the smallest value first (`+plugin/name`) or last
 * (`-plugin/name`).
 */
export type SortKey = string;
interface Row {
  readonly displayName: string;
  readonly startTime: number | null;
}

/** By name, with numbers inside names in numeric order; or by start time, the newest first. */
export function sortRows<T extends Row>(rows: readonly T[], sort: 'time' | 'name'): T[] {
  return [...rows].sort((left, right) =>
    sort === 'name' || left.startTime === right.startTime
      ? byName(left.displayName, right.displayName)
      : (right.startTime ?? -Infinity) - (left.startTime ?? -Infinity),
  );
}
