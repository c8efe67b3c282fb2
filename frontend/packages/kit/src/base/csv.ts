/** Exports tables as CSV for spreadsheets. */

export type CsvCell = string | number | bigint | boolean | null;

/**
 * After RFC 4180; null is an empty field. A text that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: CsvCell): string {
  if (value === null) return '';
  const text =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !isNumber(value) ? `'${value}` : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text));
