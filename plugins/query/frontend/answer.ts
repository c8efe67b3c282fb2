/** Answers of the routes `tables` and `sql`, and what a chart can show of them. */
import type { Value } from '@insight-host/kit/table';

interface ColumnInfo {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'number' | 'boolean';
  /** Its meaning, with the unit. */
  readonly text: string;
}
export interface TableInfo {
  readonly name: string;
  /** The meaning of a row. */
  readonly text: string;
  readonly columns: readonly ColumnInfo[];
}

export interface Answer {
  readonly columns: readonly Pick<ColumnInfo, 'name' | 'type'>[];
  /** By column. Numbers that are not finite are texts, and so are integers beyond 2^53. */
  readonly values: readonly (readonly (string | number | boolean | null)[])[];
  readonly rows: number;
  /** Whether rows were left out at the end. */
  readonly is_cut: boolean;
  readonly read: { readonly rows: number; readonly bytes: number };
  readonly seconds: number;
}

const WORDS: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };

export const isNumeric = ({ type }: Pick<ColumnInfo, 'type'>): boolean => type === 'integer' || type === 'number';

/** A cell as a number, where its column is one of numbers. */
export function valueAt({ columns, values }: Answer, column: number, row: number): Value {
  const value = values[column]?.[row] ?? null;
  const type = columns[column]?.type;
  if (typeof value !== 'string' || !type || !isNumeric({ type })) return value;
  return type === 'integer' ? BigInt(value) : (WORDS[value] ?? NaN);
}

/** Head and rows, exact. */
export function tableOf(answer: Answer): readonly (readonly Value[])[] {
  const rows = Array.from({ length: answer.rows }, (_, row) => answer.columns.map((_, at) => valueAt(answer, at, row)));
  return [answer.columns.map(({ name }) => name), ...rows];
}

/** Names of columns; `by` is '' for one line. */
export interface Axes {
  readonly x: string;
  readonly y: string;
  readonly by: string;
}

const PLAUSIBLE_X = ['step', 'wall_time', 'epoch', 'x'];

/** Chooses the columns to draw: those of the user if the answer has them, else the first that fit; null if none fit. */
export function axesOf({ columns }: Answer, chosen: Axes): Axes | null {
  const numbers = columns.filter(isNumeric).map(({ name }) => name);
  const x = numbers.includes(chosen.x)
    ? chosen.x
    : (PLAUSIBLE_X.find((name) => numbers.includes(name)) ?? (numbers.length > 1 ? numbers[0] : undefined));
  const y = numbers.includes(chosen.y) && chosen.y !== x ? chosen.y : numbers.find((name) => name !== x);
  if (x === undefined || y === undefined) return null;
  const others = columns.map(({ name }) => name).filter((name) => name !== x && name !== y);
  const texts = columns.filter(({ type }) => type === 'text').map(({ name }) => name);
  const by = chosen.by === NO_GROUPS || others.includes(chosen.by) ? chosen.by : (texts[0] ?? NO_GROUPS);
  return { x, y, by };
}

/** Stands for one line in the URL. */
export const NO_GROUPS = '-';

interface Points {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** A cell as a chart places it. */
function numberAt(answer: Answer, column: number, row: number): number {
  const value = valueAt(answer, column, row);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN;
}

/** The points of each line in the order of x. Rows without x are left out. */
export function linesOf(answer: Answer, { x, y, by }: Axes): readonly Points[] {
  const place = (name: string): number => answer.columns.findIndex((column) => column.name === name);
  const [atX, atY, atBy] = [place(x), place(y), place(by)];
  const found = new Map<string, (readonly [number, number])[]>();
  for (let row = 0; row < answer.rows; row++) {
    const at = numberAt(answer, atX, row);
    if (!Number.isFinite(at)) continue;
    const name = atBy < 0 ? y : String(valueAt(answer, atBy, row) ?? '–');
    const line = found.get(name) ?? [];
    line.push([at, numberAt(answer, atY, row)]);
    found.set(name, line);
  }
  return [...found].map(([name, points]) => {
    const sorted = points.toSorted((one, other) => one[0] - other[0]);
    return { name, x: sorted.map(([at]) => at), y: sorted.map(([, value]) => value) };
  });
}
