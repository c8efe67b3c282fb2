/** Filters names by a regular expression while the user is typing it. */
import { tagFilter } from '@insight-host/kit';

export interface Filter {
  readonly matches: (name: string) => boolean;
  /** Why the text is not a valid regular expression; it is then searched as plain text. */
  readonly error: string | null;
}

export function nameFilter(text: string): Filter {
  const { matches, error } = tagFilter(text);
  return { matches, error: error?.replace(/^.*\/iu?:\s*/, '') ?? null };
}

/** `time`, `name`, or a column of the run table, the smallest value first (`+plugin/name`) or last (`-plugin/name`). */
export type Sort = string;
interface Row {
  readonly displayName: string;
  readonly startTime: number | null;
}

/** By name, with numbers inside names in numeric order; or by start time, the newest first. */
export function sortRows<T extends Row>(rows: readonly T[], sort: Sort): T[] {
  const byName = (left: T, right: T): number => collator.compare(left.displayName, right.displayName);
  if (sort === 'name') return [...rows].sort(byName);
  return [...rows].sort((left, right) => {
    if (left.startTime === right.startTime) return byName(left, right);
    return (right.startTime ?? -Infinity) - (left.startTime ?? -Infinity);
  });
}

const collator = new Intl.Collator('en', { numeric: true });
