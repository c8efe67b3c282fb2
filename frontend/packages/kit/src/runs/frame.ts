/** The table of runs as columns in memory, so that a brush or a sort asks nobody; texts in the order of tables. */
import { valueText } from '@insight-host/kit';

/** The order of texts in tables: without regard to case, numbers in them by their size. */

const collator = new Intl.Collator('en');
const DECIMAL = /\d+(?:\.\d+)?/g;
const DIGITS = 20; // of the whole part of a number in a key

/** Puts things in the order of their texts: `b9` before `b10`, `lr0.01` before `lr0.1`. */
export function sortedTexts<T>(things: readonly T[], textOf: (thing: T) => string): readonly T[] {
  const texts = things.map(textOf);
  // A key costs once what a comparison costs each time.
  const keys = texts.map(keyOf);
  const at = (of: readonly string[], place: number): string => of[place] as string;
  const byLetters = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  const compare = texts.every(isAscii) ? byLetters : collator.compare;
  return texts
    .map((_, place) => place)
    .sort((a, b) => compare(at(keys, a), at(keys, b)) || byLetters(at(texts, a), at(texts, b)) || a - b)
    .map((place) => things[place] as T);
}

const isAscii = (text: string): boolean => !/[^\x20-\x7e]/.test(text);

/** Sorts as the text should, letter by letter. */
function keyOf(text: string): string {
  return text.toLowerCase().replace(DECIMAL, (number) => {
    const [whole = '', rest = ''] = number.split('.');
    return `${whole.replace(/^0+(?=\d)/, '').padStart(DIGITS, '0')}${rest && `.${rest}`}`;
  });
}

/** The table of runs as columns in memory, so that a brush or a sort asks nobody. */
export type Value = string | number | boolean | null | readonly Value[];
export type ColumnType = 'int' | 'float' | 'bool' | 'str' | 'list' | 'mixed';
export type Goal = 'min' | 'max';

/** A column without its values. */
export interface ColumnInfo {
  readonly name: string;
  /** The name without its group. */
  readonly title: string;
  /** Such as `hyperparameter`, `metric`, `scalar` or `run`; `sectionOf` says where the table has it. */
  readonly group: string;
  readonly type: ColumnType;
  /** Runs with a value. */
  readonly count: number;
  /** Of results: whether small or large values are better. */
  readonly goal?: Goal | null;
}

/** How a column shows and sorts values that its own texts and numbers do not say. */
export interface ColumnLook {
  text(value: Value, row: number): string;
  /** A number or text by which the value is sorted. */
  order?(value: Value, row: number): Value;
}

/** Stands for a missing value among texts. */
export const MISSING = '\u0000';
const WORDS: Readonly<Record<string, number>> = { NaN: NaN, Infinity, '-Infinity': -Infinity };
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NUMERIC: readonly ColumnType[] = ['int', 'float', 'bool'];
const NAMES: readonly string[] = ['run', 'annotation']; // their texts are never quantities

export class Column implements ColumnInfo {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly type: ColumnType;
  readonly count: number;
  /** Whether its values are numbers (or truth values, which count as 0 and 1), be they recorded as text. */
  readonly isNumeric: boolean;
  /** Whether some of these numbers were recorded as text. */
  readonly isTextual: boolean;
  /** Whether its numbers are integers. */
  readonly isWhole: boolean;
  readonly goal: Goal | null;
  private knownNumbers: Float64Array | null = null;
  private knownCodes: { readonly texts: readonly string[]; readonly codes: Int32Array } | null = null;
  private knownVaries: boolean | null = null;
  private knownExtent: readonly [number, number] | null = null;

  constructor(
    info: ColumnInfo,
    /** By row. */
    readonly values: readonly Value[],
    private readonly look?: ColumnLook,
  ) {
    ({ name: this.name, title: this.title, group: this.group, type: this.type, count: this.count } = info);
    this.goal = info.goal ?? null;
    this.isTextual =
      !NAMES.includes(info.group) && (info.type === 'str' || info.type === 'mixed') && areNumbers(values);
    this.isNumeric = !look?.order && (this.isTextual || NUMERIC.includes(info.type));
    this.isWhole = info.type === 'int' || (this.isTextual && this.numbers.every((one) => one % 1 === 0 || isNaN(one)));
  }

  /** By row; NaN for missing numbers. */
  get numbers(): Float64Array {
    if (this.knownNumbers) return this.knownNumbers;
    const numbers = new Float64Array(this.values.length);
    for (let row = 0; row < numbers.length; row++) numbers[row] = this.numberOf(this.values[row] ?? null);
    return (this.knownNumbers = numbers);
  }

  /** The smallest and the largest finite number; NaN if none. */
  get extent(): readonly [number, number] {
    if (this.knownExtent) return this.knownExtent;
    let [low, high] = [Infinity, -Infinity];
    for (const value of this.numbers) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return (this.knownExtent = low <= high ? [low, high] : [NaN, NaN]);
  }

  /** The different values as text, in order; MISSING is the last. */
  get texts(): readonly string[] {
    return this.coded.texts;
  }

  /** By row, the place of its value among `texts`: they sort as the values do. */
  get codes(): Int32Array {
    return this.coded.codes;
  }

  /** Whether runs that have a value differ in it. */
  get varies(): boolean {
    if (this.knownVaries !== null) return this.knownVaries;
    const of = (value: Value): unknown => (typeof value === 'object' ? JSON.stringify(value) : value);
    const first = this.values.find((value) => value !== null && value !== undefined);
    const isOther = (value: Value): boolean => value !== null && value !== undefined && of(value) !== of(first ?? null);
    return (this.knownVaries = this.values.some(isOther));
  }

  /** Whether it has at most so many different values: of many this is known long before `texts`. */
  hasFew(most: number): boolean {
    const found = new Set<unknown>();
    for (const value of this.values) {
      found.add(typeof value === 'object' ? JSON.stringify(value) : value);
      if (found.size > most) return false;
    }
    return true;
  }

  isMissing(row: number): boolean {
    return this.values[row] === null || this.values[row] === undefined;
  }

  /** As people read it; "" for what is missing. */
  text(row: number): string {
    return this.shown(this.values[row] ?? null, row);
  }

  /** One of its numbers as people read it. */
  numberText(value: number): string {
    if (this.look) return this.look.text(value, -1);
    return this.isWhole && Number.isSafeInteger(value) ? String(value).replace('-', '−') : valueText(value);
  }

  private numberOf(value: Value): number {
    if (typeof value === 'number') return value;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (!this.isNumeric || typeof value !== 'string') return NaN;
    return this.isTextual ? Number(value) : (WORDS[value] ?? NaN);
  }

  private get coded(): { readonly texts: readonly string[]; readonly codes: Int32Array } {
    if (this.knownCodes) return this.knownCodes;
    const first = new Map<string, number>(); // the row that first has a text
    const keys = this.values.map((value, row) => {
      const key = value === null || value === undefined ? MISSING : this.shown(value, row);
      if (!first.has(key)) first.set(key, row);
      return key;
    });
    const texts = this.inOrder([...first]);
    const places = new Map(texts.map((text, place) => [text, place]));
    return (this.knownCodes = { texts, codes: Int32Array.from(keys, (key) => places.get(key) as number) });
  }

  /** Numbers come before texts before lists; what is missing is last. */
  private inOrder(found: readonly (readonly [string, number])[]): readonly string[] {
    const ranked = found.map(([text, row]) => {
      const value = this.values[row] ?? null;
      const place = value === null ? null : (this.look?.order?.(value, row) ?? value);
      return {
        text,
        rank: this.rank(place),
        number: this.numberOf(place),
        sort: place === value ? text : String(place),
      };
    });
    const of = (rank: number): typeof ranked => ranked.filter((one) => one.rank === rank);
    return [
      ...of(0).sort((a, b) => a.number - b.number),
      ...[1, 2, 3, 4].flatMap((rank) => sortedTexts(of(rank), ({ sort }) => sort)),
    ].map(({ text }) => text);
  }

  private shown(value: Value, row: number): string {
    return this.look && value !== null ? this.look.text(value, row) : this.textOf(value);
  }

  private textOf(value: Value): string {
    if (value === null) return '';
    if (typeof value === 'number') return this.numberText(value);
    if (typeof value === 'string') return this.isNumeric && value in WORDS ? valueText(WORDS[value] as number) : value;
    return typeof value === 'boolean' ? String(value) : JSON.stringify(value);
  }

  private rank(value: Value): number {
    if (value === null) return 4;
    const number = this.numberOf(value);
    if (!Number.isNaN(number)) return 0;
    if (this.isNumeric) return 3;
    return typeof value === 'object' ? 2 : 1;
  }
}

/** Whether all that is not missing is a number or the text of one; truth values and lists are none. */
function areNumbers(values: readonly Value[]): boolean {
  let count = 0;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (typeof value !== 'number') {
      if (typeof value !== 'string') return false;
      if (value in WORDS) continue;
      if (!NUMBER.test(value.trim())) return false;
    }
    count++;
  }
  return count > 0;
}

export class Frame {
  readonly rowOf: ReadonlyMap<string, number>;
  readonly columns: ReadonlyMap<string, Column>;

  constructor(
    readonly runs: readonly string[],
    columns: Iterable<Column>,
  ) {
    this.rowOf = new Map(runs.map((run, row) => [run, row]));
    this.columns = new Map([...columns].map((column) => [column.name, column]));
  }

  get rows(): number {
    return this.runs.length;
  }

  /** With these columns instead of those of the same name. */
  with(columns: readonly Column[]): Frame {
    const next = new Map(this.columns);
    for (const column of columns) next.set(column.name, column);
    return Object.assign(Object.create(Frame.prototype) as Frame, {
      runs: this.runs,
      rowOf: this.rowOf,
      columns: next,
    });
  }
}
