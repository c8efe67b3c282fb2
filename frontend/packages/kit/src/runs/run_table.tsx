import { estimatedWidth, namesApart, textWidth } from '@insight-host/kit/draw';
import { addStylesFirst, fontsCame, visibleText } from '@insight-host/kit/lab';
import {
  type CellLook,
  type Column as TableColumn,
  type LineLook,
  type Sorting,
  Table,
  type Value as Exact,
  type Widths,
} from '@insight-host/kit/table';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { GroupLabel, indented, meanCell, Tick, valueCell } from './cells';
import type { Column, Frame } from './frame';
import { type GroupStep, linesOf, type RowGroup, type RunLine } from './ordering';
import styles from './run_table.css?inline';
import { headsOf, type HeadText, type SayOfRuns, type Section, sectionOf } from './sections';
import { areSame, EqualColumns, equalColumns } from './standing';

const ROW_HEIGHT = 28; // pixels
const RUN_WIDTHS = [150, 340] as const; // of the column with names
const NARROW = 700; // pixels of a window in which names of runs take less
const NARROW_RUN_WIDTH = 184;
const NAME_SIZE = 13; // pixels of letters
const BESIDE_NAME = 72; // pixels: a tick, a swatch, a badge, what is between them
const BESIDE_ON_PHONE = 96; // pixels: a tick or a menu for a finger, a swatch
const LETTER = 8;
const STAR = 16; // of the best value
const SMALL = 0.85; // of a letter: one in the small part of a head
const LOOKED_AT = 60; // values whose text counts

/** What the user has set of a table. */
interface Held<T> {
  value: T;
}

export interface RunTableProps {
  /** `data-testid` of the table. */
  readonly name: string;
  readonly label: string;
  /** Texts, those of `runTexts` among them. */
  readonly say: SayOfRuns;
  readonly frame: Frame;
  /** Columns that are shown, in their order. */
  readonly columns: readonly Column[];
  /** Rows that are shown, in their order. */
  readonly rows: Int32Array;
  /** The groups that a row is in, from the outermost; null: none. */
  readonly groups: ((row: number) => readonly GroupStep[]) | null;
  /** Groups whose rows are not shown, by `RowGroup.id`. */
  readonly folded: ReadonlySet<string>;
  readonly onFold: (group: RowGroup) => void;
  /** Head of the column of runs, and its key for sorting. */
  readonly title: string;
  readonly runKey: string;
  /** What people call a run. */
  readonly nameOf: (row: number) => string;
  /** The name of a run, as much of it as fits, and what stands next to it. */
  readonly run: (row: number, name: string) => ComponentChildren;
  readonly hint: (row: number) => string;
  /** Names of the selected runs. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: readonly string[], on: boolean) => void;
  /** A press on a run, or Space; `range`: with Shift. `shown`: all rows in sight of no fold, from top to bottom. */
  readonly onPick: (row: number, range: boolean, shown: readonly number[]) => void;
  readonly onPoint: (rows: Int32Array | null) => void;
  /** How a cell looks, where it is not only a value; undefined: as usual. */
  readonly cell?: (column: Column, row: number) => CellLook | undefined;
  readonly sort: Sorting;
  readonly widths: Held<Widths>;
  /** Whether columns that are equal in all rows are shown. */
  readonly showsEqual: Held<boolean>;
  readonly lineClass?: (row: number) => string;
  readonly onMove?: (name: string, to: Column | null) => void;
  readonly onHide?: (name: string) => void;
  readonly onCopyRows?: (table: readonly (readonly Exact[])[], all: number) => void;
}

/**
 * The table of runs: columns in sections, the best value of each metric marked, and what is equal in all rows in one
 * line above.
 */
export function RunTable(given: RunTableProps): JSX.Element {
  const { name, label, say, frame, columns, rows, groups, folded, selected, sort, widths, showsEqual } = given;
  useLayoutEffect(() => addStylesFirst(styles), []);
  const lines = useMemo(() => linesOf(rows, groups, folded), [rows, groups, folded]);
  const members = useMembers(frame, rows);
  const names = Array.from(rows, given.nameOf);
  const all = Array.from(frame.runs, (_, row) => given.nameOf(row)).join('\0');
  const isNarrow = innerWidth < NARROW;
  const nameWidth = useMemo(
    () => (isNarrow ? NARROW_RUN_WIDTH : widthOfNames(all.split('\0').map((name) => visibleText(name)))),
    [all, isNarrow, fontsCame.value],
  );
  const room = (widths.value.get(given.runKey) ?? nameWidth) - (isNarrow ? BESIDE_ON_PHONE : BESIDE_NAME);
  const shortNames = useMemo(() => {
    const short = namesApart(names, room, NAME_SIZE, textWidth);
    return new Map(short.map((name, at) => [rows[at], name]));
  }, [names.join('\n'), room, fontsCame.value]);
  const equal = useMemo(() => equalColumns(columns, members), [columns, members]);
  const heads = useMemo(() => headsOf(columns), [columns]);
  const left = useMemo(() => new Set(showsEqual.value ? [] : equal), [equal, showsEqual.value]);
  const shown = useMemo(() => columns.filter((column) => !left.has(column)), [columns, left]);
  const nameAt = (row: number): string => frame.runs[row] as string;
  const stateOf = (own: Int32Array): 'all' | 'some' | 'none' => {
    let count = 0;
    for (const row of own) count += Number(selected.has(nameAt(row)));
    return count === 0 ? 'none' : count === own.length ? 'all' : 'some';
  };
  const tick = (own: Int32Array): void => given.onSelect(Array.from(own, nameAt), stateOf(own) !== 'all');
  const visible = (): readonly number[] =>
    Array.from({ length: lines.count }, (_, place) => lines.at(place)).flatMap((line) =>
      line?.kind === 'row' ? line.row : [],
    );
  const runColumn: TableColumn<RunLine> = {
    key: given.runKey,
    title: given.title,
    kind: 'text',
    width: nameWidth,
    tool: (
      <Tick
        state={stateOf(rows)}
        action="select-shown"
        label={say('rt.all', { count: rows.length })}
        onTick={() => tick(rows)}
      />
    ),
    cell: (line) =>
      line.kind === 'group'
        ? {
            content: (
              <GroupLabel
                group={line}
                say={say}
                state={stateOf(line.rows)}
                onFold={() => given.onFold(line)}
                onTick={() => tick(line.rows)}
              />
            ),
          }
        : {
            content: (
              <span class="run-label" style={indented(line.level)}>
                {given.run(line.row, shortNames.get(line.row) ?? nameAt(line.row))}
              </span>
            ),
            title: given.hint(line.row),
          },
    value: (line) => (line.kind === 'row' ? nameAt(line.row) : line.title),
  };
  const tableColumns = shown.map((column) => tableColumn(column, given, members, heads.get(column.name)));
  return (
    <div class="run-table">
      <EqualColumns
        columns={equal}
        heads={heads}
        rows={rows}
        say={say}
        open={showsEqual.value}
        onOpen={(open) => (showsEqual.value = open)}
      />
      <Table<RunLine>
        name={name}
        class="runs-table"
        label={label}
        rows={lines}
        frozen={[runColumn]}
        columns={tableColumns}
        rowHeight={ROW_HEIGHT}
        idOf={(line) => (line.kind === 'row' ? `run ${nameAt(line.row)}` : `group ${line.id}`)}
        tree={groups !== null}
        line={(line) => lookOf(line, given)}
        sort={sort}
        widths={widths}
        onPick={(line, range) => {
          if (line.kind === 'group') given.onFold(line);
          else given.onPick(line.row, range, range ? visible() : []);
        }}
        onPoint={(line) => given.onPoint(!line ? null : line.kind === 'row' ? Int32Array.of(line.row) : line.rows)}
        {...(given.onMove
          ? { onMove: (key, to) => given.onMove?.(key, shown.filter((one) => one.name !== key)[to] ?? null) }
          : {})}
        {...(given.onHide ? { onHide: given.onHide } : {})}
        {...(given.onCopyRows ? { onCopyRows: given.onCopyRows } : {})}
      />
    </div>
  );
}

/** The rows in an order that stays while they are sorted: what they have in common is found once. */
function useMembers(frame: Frame, rows: Int32Array): Int32Array {
  const known = useRef({ frame, rows });
  return useMemo(() => {
    if (known.current.frame !== frame || !areSame(known.current.rows, rows)) known.current = { frame, rows };
    return known.current.rows;
  }, [frame, rows]);
}

function lookOf(line: RunLine, { frame, selected, groups, lineClass }: RunTableProps): LineLook {
  if (line.kind === 'group')
    return { class: 'heading', expanded: line.open, level: line.level, data: { group: line.id } };
  const run = frame.runs[line.row] as string;
  const isSelected = selected.has(run);
  return {
    class: [isSelected && 'selected', lineClass?.(line.row)].filter(Boolean).join(' '),
    selected: isSelected,
    data: { run, 'hover-run': run },
    ...(groups ? { level: line.level } : {}),
  };
}

const BANDS: Readonly<Record<Section, `rt.section.${Section}`>> = {
  run: 'rt.section.run',
  hyperparameter: 'rt.section.hyperparameter',
  metric: 'rt.section.metric',
  system: 'rt.section.system',
};

function tableColumn(
  column: Column,
  given: RunTableProps,
  members: Int32Array,
  head: HeadText | undefined,
): TableColumn<RunLine> {
  const { say, cell } = given;
  const { text: title, small } = head ?? { text: column.title, small: '' };
  return {
    key: column.name,
    title,
    ...(small ? { small } : {}),
    band: say(BANDS[sectionOf(column)]),
    hint: column.name,
    kind: column.isNumeric ? 'number' : 'text',
    width: widthOf(column, title.length + SMALL * small.length) + (column.goal === null ? 0 : STAR),
    cell: (line) =>
      line.kind === 'group'
        ? meanCell(column, line, say)
        : (cell?.(column, line.row) ?? valueCell(column, line.row, members, say)),
    value: (line) => (line.kind === 'row' ? exact(column, line.row) : null),
  };
}

function exact({ values }: Column, row: number): Exact {
  const value = values[row] ?? null;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** Room for the longest names, and for what stands next to them. */
function widthOfNames(names: readonly string[]): number {
  const longest = names
    .map((name) => [name, estimatedWidth(name, NAME_SIZE)] as const)
    .sort(([, one], [, other]) => other - one)
    .slice(0, LOOKED_AT);
  const most = Math.max(0, ...longest.map(([name]) => textWidth(name, NAME_SIZE)));
  const [least, limit] = RUN_WIDTHS;
  return Math.max(least, Math.min(limit, Math.ceil(most) + BESIDE_NAME));
}

const known = new WeakMap<Column, number>();

function widthOf(column: Column, headLetters: number): number {
  let letters = known.get(column);
  if (letters === undefined) {
    letters = 4;
    for (let row = 0, looked = 0; row < column.values.length && looked < LOOKED_AT; row++) {
      if (column.isMissing(row)) continue;
      letters = Math.max(letters, Math.min(26, column.text(row).length));
      looked++;
    }
    known.set(column, letters);
  }
  return Math.round(Math.max(72, Math.min(220, Math.max(letters * LETTER + 30, headLetters * 6.6 + 32))));
}
