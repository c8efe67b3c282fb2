/** Groups of runs by columns of the run table, by their directories, or by a part of their names; and their looks. */
import { byName } from '@insight-host/kit';
import type { Cell, RunGroup, Theme } from '@insight-host/api';
import { cellOf, type ShownColumn } from '../columns/cells';
import { DASHES, type LineLook } from '../state/colors';
import type { ColumnValues } from '../state/late';
import { faint, looksOf, type PaletteName, type ScaleName, shadeAt } from './palettes';

type Mode = Theme['mode'];

/** Begins what groups runs by a part of their names: a regular expression follows. */
export const NAME_PART = 'name~';

interface Part {
  readonly key: string;
  readonly title: string;
  /** The number that it is, if it is one. */
  readonly number: number;
}

/** Runs with the same values. */
export interface ValueGroup extends Pick<RunGroup, 'key' | 'title' | 'runs'> {
  readonly parts: readonly (Part | null)[];
}

const isNumber = (cell: Cell): boolean =>
  typeof cell === 'number' || (typeof cell === 'string' && /^(NaN|[+-]?Inf(inity)?)$/.test(cell));

/** How values of a column are read as numbers; those that are not finite come as texts. */
export function areNumbers(cells: readonly Cell[]): boolean {
  return cells.length > 0 && cells.every(isNumber);
}

/** What a regular expression captures of names, or all that it matches; null where it does not, or is none. */
export function captured(expression: string): (name: string) => string | null {
  let pattern: RegExp;
  try {
    pattern = new RegExp(expression.replace(/\(\?P</g, '(?<'), 'u');
  } catch {
    return () => null;
  }
  return (name) => {
    const match = pattern.exec(name);
    return (
      match &&
      (match.length > 1
        ? match
            .slice(1)
            .map((part) => part ?? '')
            .join('/')
        : match[0])
    );
  };
}

/** Groups in the order of their values: numbers by size, texts by name, runs without a value last. */
export function groupsOf(
  by: readonly string[],
  names: readonly string[],
  columns: ColumnValues | undefined,
): readonly ValueGroup[] {
  const readers = by.map((key): ((name: string) => Part | null) => {
    if (key === 'path')
      return (name) => {
        const directory = name.split('/').slice(0, -1).join('/') || '.';
        return { key: directory, title: directory, number: NaN };
      };
    if (key.startsWith(NAME_PART)) {
      const partOf = captured(key.slice(NAME_PART.length));
      return (name) => {
        const part = partOf(name);
        return part === null ? null : { key: part, title: part || '–', number: NaN };
      };
    }
    const column = columns?.columnOf(key);
    return (name) => partOf(columns, column, name);
  });
  const groups = new Map<string, ValueGroup & { readonly runs: string[] }>();
  for (const name of names) {
    const parts = readers.map((read) => read(name));
    const key = parts.some((part) => part !== null) ? parts.map((part) => part?.key ?? '').join('; ') : '';
    const known = groups.get(key);
    if (known) known.runs.push(name);
    else groups.set(key, { key, title: parts.map((part) => part?.title ?? '–').join(' · '), runs: [name], parts });
  }
  return [...groups.values()].sort((a, b) => byParts(a.parts, b.parts));
}

function partOf(columns: ColumnValues | undefined, column: ShownColumn | undefined, name: string): Part | null {
  const value = column && cellOf(column, name);
  if (!columns || !column || value === undefined) return null;
  const number = typeof value === 'number' ? value : NaN;
  return { key: String(value), title: columns.textOf(column, name, value), number };
}

function byParts(left: readonly (Part | null)[], right: readonly (Part | null)[]): number {
  for (const [at, one] of left.entries()) {
    const other = right[at] ?? null;
    if (!one || !other) {
      if (one !== other) return one ? -1 : 1;
      continue;
    }
    const order = one.number - other.number || (one.key === other.key ? 0 : byName(one.title, other.title));
    if (order) return order;
  }
  return 0;
}

/**
 * A look for each group. Where one value of several is a number it chooses a shade of a scale, and the others dashes,
 * as long as these last; else each group has a colour of the palette.
 */
export function looksOfGroups(
  groups: readonly ValueGroup[],
  palette: PaletteName,
  scale: ScaleName,
  mode: Mode,
): ReadonlyMap<string, LineLook> {
  const known = groups.filter(({ key }) => key !== '');
  const ordered = known[0]?.parts.findIndex(
    (_, at) =>
      known.every(({ parts }) => Number.isFinite(parts[at]?.number)) &&
      new Set(known.map(({ parts }) => parts[at]?.number)).size > 2,
  );
  const at = ordered ?? -1;
  const restOf = ({ parts }: ValueGroup): string =>
    parts.map((part, other) => (other === at ? '' : (part?.key ?? ''))).join('; ');
  const rests = [...new Set(known.map(restOf))];
  if (at < 0 || rests.length > DASHES.length)
    return looksOf(
      known.map(({ key }) => key),
      palette,
      mode,
    );
  const numbers = [...new Set(known.map(({ parts }) => parts[at]?.number ?? 0))].sort((a, b) => a - b);
  return new Map(
    known.map((group) => {
      const rank = numbers.indexOf(group.parts[at]?.number ?? 0);
      return [
        group.key,
        {
          color: shadeAt(rank / (numbers.length - 1), scale, mode),
          dash: DASHES[rests.indexOf(restOf(group))] as readonly number[],
        },
      ];
    }),
  );
}

/** Groups with the look that all their runs share, else with their own. */
export function withLooks(
  groups: readonly ValueGroup[],
  own: ReadonlyMap<string, LineLook>,
  lookOf: ((run: string) => LineLook | undefined) | null,
  mode: Mode,
): readonly RunGroup[] {
  return groups.map(({ key, title, runs }) => {
    const looks = lookOf ? runs.map(lookOf) : [];
    const [first] = looks;
    const isShared = first && looks.every((look) => look?.color === first.color && look.dash === first.dash);
    const look = (isShared ? first : own.get(key)) ?? { color: faint(mode), dash: DASHES[0] as readonly number[] };
    return { key, title, runs, color: look.color, dash: look.dash };
  });
}
