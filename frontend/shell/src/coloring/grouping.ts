/** Groups of runs by columns of the run table, by their directories, or by a part of their names; and their colours. */
import { byName, hash, mix } from '@insight-host/kit';
import type { Cell, RunGroup, Theme } from '@insight-host/api';
import { cellOf, type ShownColumn } from '../columns/cells';
import { DASHES, type LineLook, runLooks } from '../state/colors';
import type { ColumnValues } from '../state/late';

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

/** Colours for categories. */
export const PALETTES = ['wide', 'okabe-ito', 'tab20'] as const;
export type PaletteName = (typeof PALETTES)[number];
export const SCALES = ['viridis', 'cividis', 'plasma'] as const;
export type ScaleName = (typeof SCALES)[number];

/** The colour that stands out against the page, whatever its theme. */
const INK = { light: '#000000', dark: '#e8e8e8' };
const FAINT = { light: '#8c949e', dark: '#6e7884' };

const list = (text: string): readonly string[] => text.split(' ').map((digits) => `#${digits}`);
// Okabe and Ito 2008, in which black is that of the theme; tab20 of Matplotlib and Vega.
const OKABE_ITO = list('e69f00 56b4e9 009e73 0072b2 d55e00 cc79a7 f0e442');
const TAB20 = list(
  '1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf ' +
    'aec7e8 ffbb78 98df8a ff9896 c5b0d5 c49c94 f7b6d2 c7c7c7 dbdb8d 9edae5',
);
// Viridis and plasma: van der Walt and Smith 2015; cividis: Nuñez et al. 2018. At even places.
const STOPS: Readonly<Record<ScaleName, readonly string[]>> = {
  viridis: list('440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725'),
  cividis: list('00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838'),
  plasma: list('0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921'),
};
/** The part of a scale that stands out against the theme. */
const PART: Readonly<Record<Mode, readonly [number, number]>> = { light: [0, 0.88], dark: [0.22, 1] };

/** What has no value to be coloured by. */
export const faint = (mode: Mode): string => FAINT[mode];

/**
 * A look for each name, the same whichever others there are, as far as that goes: each prefers the place that its
 * hash says, and takes the next one that is free. When all colours are taken, they come again with other dashes.
 */
export function looksOf(names: readonly string[], palette: PaletteName, mode: Mode): ReadonlyMap<string, LineLook> {
  if (palette === 'wide') return runLooks(names, mode);
  const colors = palette === 'tab20' ? TAB20 : [...OKABE_ITO, INK[mode]];
  const found = new Map<string, LineLook>();
  let taken = new Set<number>();
  let round = 0;
  for (const name of [...new Set(names)].sort()) {
    let place = hash(name) % colors.length;
    while (taken.has(place)) place = (place + 1) % colors.length;
    taken.add(place);
    found.set(name, { color: colors[place] as string, dash: DASHES[round % DASHES.length] as readonly number[] });
    if (taken.size < colors.length) continue;
    taken = new Set();
    round += 1;
  }
  return found;
}

/** The colour at a place from 0 to 1. */
export function shadeAt(place: number, scale: ScaleName, mode: Mode): string {
  const [from, to] = PART[mode];
  const stops = STOPS[scale];
  const at = (from + place * (to - from)) * (stops.length - 1);
  const first = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[first] as string, stops[first + 1] as string, at - first);
}
