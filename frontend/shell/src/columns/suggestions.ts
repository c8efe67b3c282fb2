/** What an expression may go on with: names of columns, operators, values of a column. */
import type { Cell, RunColumn } from '@insight-host/api';
import { keyOf } from './cells';

const MOST = 8;
const MOST_NUMBERS = 12; // different ones of a column that are offered: more are better typed
const PLAIN = /^[^\W\d][\w./:#-]*$/u;
const RESERVED = /^(and|or|not|in|true|false|null|nan|inf)$/i;
/** The name that is typed before the caret, after an opened quote or not. */
const TYPED = /"([^"]*)$|([\p{L}_][^\s"'()<>=!,]*)$/u;

const NAME = String.raw`(?:"((?:""|[^"])+)"|([\p{L}_][^\s"'()<>=!,]*))`;
/** A name at the end of a text, quoted or not. */
const NAMED = new RegExp(String.raw`${NAME}\s*$`, 'u');
/** A name with an operator and what is typed of a value at the end of a text. */
const VALUED = new RegExp(
  String.raw`${NAME}\s*(?:([<>=!]{1,2})|(?:\bnot\s+)?\bin\s*[([](?:[^)\]]*,)?)\s*` +
    String.raw`(?:'([^']*)|"([^"]*)|([^\s"'()<>=!,[\]]*))$`,
  'iu',
);
/** Before a value: `optimizer = adam` has one name of a column. */
const COMPARED = /[<>=]\s*$|\bin\s*\([^)]*$/i;
const OPERATORS = { number: ['<', '<=', '>', '>=', '=', '!='], text: ['=', '!=', 'in ('] } as const;

/** A column of the host, without values. */
type Listed = Pick<RunColumn, 'plugin' | 'name' | 'title' | 'kind'> & {
  readonly at_first?: boolean;
  readonly order?: number;
};

/** A line of the list below the filter. */
export interface Suggestion {
  /** Where the text begins that it replaces. */
  readonly at: number;
  /** What it puts there. */
  readonly text: string;
  readonly title: string;
  /** What it ends with: after a name come operators, after an operator values. */
  readonly kind: 'name' | 'operator' | 'value';
}

/** The name as an expression has it. */
export function quoted(name: string): string {
  return PLAIN.test(name) && !RESERVED.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Where the name begins that ends a text, and what of it is typed; null if a text does not end with a name. */
export function typedName(text: string): { readonly at: number; readonly name: string } | null {
  const isOpen = text.split('"').length % 2 === 0;
  const match = TYPED.exec(text);
  if (!match || (match[1] !== undefined) !== isOpen) return null;
  return { at: match.index, name: match[1] ?? match[2] ?? '' };
}

/** Columns of series come after plain ones: as the host prefers one to another. */
const rankOf = ({ order = 0, at_first: atFirst = true }: Listed): number => 2 * order + Number(!atFirst);

/** The column that a name means, as the host decides it; undefined where it means none, or several. */
export function columnMeant<Column extends Listed>(name: string, listing: readonly Column[]): Column | undefined {
  const exact = listing.find((one) => one.name === name) ?? listing.find((one) => keyOf(one) === name);
  if (exact) return exact;
  const found = listing.filter((one) => one.name.endsWith(`/${name}`) || one.title === name);
  const first = Math.min(...found.map(rankOf));
  const preferred = found.filter((one) => rankOf(one) === first);
  const whole = preferred.filter((one) => one.title === name || one.name.replace(/^[^/]*\//, '') === name);
  return [preferred, whole].find(({ length }) => length === 1)?.[0];
}

/** Names of columns that what is typed may be part of: those that begin with it, or their last part, first. */
export function namesFor(before: string, listing: readonly Listed[]): readonly Suggestion[] {
  const typed = typedName(before);
  if (!typed?.name || VALUED.test(before)) return [];
  const wanted = typed.name.toLowerCase();
  const found = listing.filter(({ name, title }) => `${name}\n${title}`.toLowerCase().includes(wanted));
  if (found.some(({ name }) => name === typed.name)) return [];
  const begins = ({ name, title }: Listed): boolean =>
    [name, title, name.slice(name.lastIndexOf('/') + 1)].some((one) => one.toLowerCase().startsWith(wanted));
  const placeOf = (one: Listed): number => Number(!begins(one)) * 100 + rankOf(one);
  return found
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .slice(0, MOST)
    .map((column) => {
      const { title } = column;
      const isUnique = listing.every((other) => other === column || other.name !== column.name);
      const isShort = column.name.endsWith(`/${title}`) && columnMeant(title, listing) === column;
      const name = isShort ? title : isUnique ? column.name : keyOf(column);
      return { at: typed.at, text: quoted(name), title: title === name ? '' : title, kind: 'name' };
    });
}

/** Comparisons of the column that the text ends with: without one, the text is searched in names of runs. */
export function comparisonsFor(before: string, listing: readonly Listed[]): readonly Suggestion[] {
  const match = NAMED.exec(before);
  if (!match || COMPARED.test(before.slice(0, match.index))) return [];
  const name = nameOf(match);
  const column = columnMeant(name, listing);
  if (!column) return [];
  const operators = OPERATORS[['text', 'boolean'].includes(column.kind) ? 'text' : 'number'];
  return operators.map((operator) => ({
    at: match.index,
    text: `${quoted(name)} ${operator}`,
    title: '',
    kind: 'operator',
  }));
}

/** The column whose value is typed at the end of a text, and where its value begins; null if none is. */
export function typedValue(
  before: string,
  listing: readonly Listed[],
): { readonly key: string; readonly at: number; readonly value: string; readonly compares: boolean } | null {
  const match = VALUED.exec(before);
  const column = match && columnMeant(nameOf(match), listing);
  if (!match || !column) return null;
  const isQuoted = match[6] === undefined;
  const value = match[4] ?? match[5] ?? match[6] ?? '';
  const at = before.length - value.length - Number(isQuoted);
  return { key: keyOf(column), at, value, compares: /^[<>]=?$/.test(match[3] ?? '') };
}

/** Values that a column has and that what is typed may be part of, those of most runs first, numbers in their order. */
export function valuesFor(
  typed: NonNullable<ReturnType<typeof typedValue>>,
  cells: readonly Cell[],
): readonly Suggestion[] {
  const counts = new Map<Cell, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const found = [...counts];
  const areNumbers = found.every(([cell]) => typeof cell === 'number');
  if (areNumbers && (typed.compares || found.length > MOST_NUMBERS)) return [];
  const wanted = typed.value.toLowerCase();
  return found
    .filter(
      ([cell]) =>
        String(cell).toLowerCase().includes(wanted) && (typeof cell === 'string' || String(cell) !== typed.value),
    )
    .toSorted(([one, runs], [other, others]) => (areNumbers ? Number(one) - Number(other) : others - runs))
    .slice(0, MOST)
    .map(([cell, runs]) => ({
      at: typed.at,
      text: typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell),
      title: String(runs),
      kind: 'value',
    }));
}

function nameOf(match: RegExpExecArray): string {
  return match[1]?.replaceAll('""', '"') ?? match[2] ?? '';
}

/** The text with `replacement` for the `length` characters from `position` on, counted as the host does. */
export function corrected(text: string, position: number, length: number, replacement: string): string {
  return [...text].toSpliced(position, length, replacement).join('');
}
