/** The order of rows by one or several columns. */
import { byName } from '@insight-host/kit/lab';

/** The exact value of a cell: what is sorted, copied and exported. */
export type Value = string | number | bigint | boolean | null;

export interface Sort {
  readonly key: string;
  readonly down: boolean;
}

/** A column, descending with `-` before its name: as it stands in URLs. */
export function sortOf(text: string): Sort {
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false };
}

export function sortText({ key, down }: Sort): string {
  return down ? `-${key}` : key;
}

/**
 * After a press on a head: this column, the other way round if it was the order already; where it `ends`, the third
 * press takes it away. `more` keeps the columns before it.
 */
export function turned(
  sorts: readonly Sort[],
  key: string,
  more: boolean,
  downFirst: boolean,
  ends = false,
): readonly Sort[] {
  const now = sorts.find((sort) => sort.key === key);
  const next = ends && now && now.down !== downFirst ? [] : [{ key, down: now ? !now.down : downFirst }];
  if (!more) return next;
  return now ? sorts.flatMap((sort) => (sort === now ? next : sort)) : [...sorts, ...next];
}

const isMissing = (value: Value): value is null => value === null || Number.isNaN(value);

/** Numbers by size, texts in natural order; null and NaN last in either direction. */
export function compared(a: Value, b: Value, down: boolean): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  const order =
    typeof a === 'string' || typeof b === 'string' ? byName(String(a), String(b)) : Number(a > b) - Number(a < b);
  return down ? -order : order;
}

/** The rows in this order; rows that are equal keep theirs. */
export function ordered<R>(
  rows: readonly R[],
  sorts: readonly Sort[],
  valueOf: (row: R, key: string) => Value,
): readonly R[] {
  if (sorts.length === 0) return rows;
  return [...rows].sort((a, b) => {
    for (const { key, down } of sorts) {
      const order = compared(valueOf(a, key), valueOf(b, key), down);
      if (order !== 0) return order;
    }
    return 0;
  });
}
