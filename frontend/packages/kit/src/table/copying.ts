/** Rows as exact values, for the clipboard and for CSV. */
import type { Column, Rows } from './contract';
import type { Value } from './sorting';

/** A head and the rows `[first, end)`; rows that are not loaded yet are left out. */
export function exactTable<R>(
  columns: readonly Column<R>[],
  rows: Rows<R>,
  first = 0,
  end = rows.count,
): readonly (readonly Value[])[] {
  const given = columns.filter((column) => column.value);
  const table: (readonly Value[])[] = [given.map(({ title }) => title)];
  for (let place = first; place < end; place++) {
    const row = rows.at(place);
    if (row !== null) table.push(given.map((column) => column.value?.(row) ?? null));
  }
  return table;
}
