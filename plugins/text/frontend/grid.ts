import type { Texts } from './board';

/**
 * Strings as rows of a table: the last dimension gives the columns, all others together the rows; one string is one
 * cell.
 */
export function rowsOf({ shape, strings }: Texts): readonly (readonly string[])[] {
  const columns = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  const rows: (readonly string[])[] = [];
  for (let at = 0; at < strings.length; at += Math.max(1, columns)) rows.push(strings.slice(at, at + columns));
  return rows;
}

/** The whole record as one text: cells by tabs, rows by line ends. */
export const plainOf = (texts: Texts): string =>
  rowsOf(texts)
    .map((row) => row.join('\t'))
    .join('\n');
