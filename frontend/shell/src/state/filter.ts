/**
 * Which runs the filter shows while the user types: by a regular expression over names, or by an expression over
 * columns.
 */
import { byName } from '@insight-host/kit';
import { tagFilter } from '@insight-host/kit/lab';

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
