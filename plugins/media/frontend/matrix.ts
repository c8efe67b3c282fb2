import type { ChartData } from '@insight-host/kit/table';
import type { Matrix } from './item';

/** The meaning of colours of a confusion matrix: counts, or shares of the true or the predicted class. */
export type Share = 'counts' | 'rows' | 'columns';

/** From 0 to 1, row by row: how full each cell is. */
export function shadesOf({ counts }: Pick<Matrix, 'counts'>, share: Share): Float64Array {
  const size = counts.length;
  const columns = new Float64Array(size);
  const rows = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  for (const row of counts) for (let at = 0; at < size; at++) columns[at] = (columns[at] ?? 0) + (row[at] ?? 0);
  const most = counts.reduce((found, row) => row.reduce((larger, count) => Math.max(larger, count), found), 0);
  const shades = new Float64Array(size * size);
  counts.forEach((row, y) =>
    row.forEach((count, x) => {
      const whole = share === 'counts' ? most : share === 'rows' ? (rows[y] ?? 0) : (columns[x] ?? 0);
      shades[y * size + x] = whole > 0 ? count / whole : 0;
    }),
  );
  return shades;
}

/** A count, or a share in per cent. */
export function cellText(count: number, shade: number, share: Share, locale: string): string {
  if (share !== 'counts') return `${Math.round(100 * shade)}`;
  return Number.isInteger(count) ? count.toLocaleString(locale) : String(Number(count.toPrecision(3)));
}

/** The mean of F1 over all classes, each of the same weight. */
export function macroF1({ f1 }: Pick<Matrix, 'f1'>): number {
  return f1.reduce((sum, value) => sum + value, 0) / Math.max(1, f1.length);
}

/** Counts and measures, a row for each true class. */
export function matrixTable(matrix: Matrix, say: (key: string) => string): ChartData {
  const measures = ['support', 'precision', 'recall', 'f1'] as const;
  return {
    head: [say('confusion.class'), ...matrix.labels, ...measures.map((name) => say(`confusion.${name}`))],
    rows: matrix.labels.map((label, y) => [
      label,
      ...(matrix.counts[y] ?? []),
      ...measures.map((name) => matrix[name][y] ?? null),
    ]),
  };
}
