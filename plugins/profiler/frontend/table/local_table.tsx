/** A small table with a title, sorted in the page. */
import { ordered, pressedHeight, rowsOf, sortOf, sortText, turned } from '@insight-host/kit/table';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Cell, Row, Unit } from '../answers/table';
import { Figure } from '../figures/figure';
import { unitOf } from '../units';
import { columnsOf, Grid, LINE, type View } from './cells';

const MOST_LINES = 14;

export interface LocalTableProps<Name extends string> {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly title: string;
  readonly note?: string;
  /** Its columns from the left, and in what they count. */
  readonly columns: Readonly<Record<Name, Unit>>;
  readonly rows: readonly NamedRow<NoInfer<Name>>[];
  readonly sort: string;
  readonly widths?: Readonly<Record<string, number>>;
  readonly views?: Readonly<Record<string, View>>;
  readonly tools?: ComponentChildren;
  readonly onOpen?: (row: NamedRow<Name>) => void;
  readonly isOpen?: (row: NamedRow<Name>) => boolean;
}

type NamedRow<Name extends string> = { readonly [name in Name]: Cell };

export function LocalTable<Name extends string>({
  board,
  name,
  title,
  note = '',
  columns: units,
  rows: named,
  sort,
  widths = {},
  views = {},
  tools,
  onOpen,
  isOpen,
}: LocalTableProps<Name>): JSX.Element {
  const { t: say } = board.page;
  const chosen = board.sorts.value.get(name) ?? sort;
  const sorted = sortOf(chosen);
  const names = Object.keys(units) as Name[];
  const columns = names.map((column) => ({ name: column, unit: units[column] }));
  const rows = useMemo(() => named.map((row): Row => names.map((column) => row[column])), [named, names.join()]);
  const unnamed = (row: Row): NamedRow<Name> =>
    Object.fromEntries(names.map((column, i) => [column, row[i] ?? null])) as NamedRow<Name>;
  const times = columns.flatMap(({ unit }, at) => (unit === 'ns' ? [at] : []));
  const longest = rows.reduce(
    (most, row) => times.reduce((high, at) => Math.max(high, Math.abs(Number(row[at] ?? 0))), most),
    0,
  );
  const unit = board.units.chosen.value === 'auto' ? unitOf(longest / 5) : board.units.chosen.value;
  const placed = columnsOf({
    table: name,
    columns,
    shown: null,
    unit,
    locale: board.page.locale.value,
    say,
    widths,
    views,
  });
  const local = useMemo(
    () =>
      rowsOf(
        ordered(rows, chosen ? [sorted] : [], (row, key) => row[names.findIndex((column) => column === key)] ?? null),
      ),
    [rows, chosen],
  );
  return (
    <Figure
      board={board}
      name={name}
      title={title}
      content="table"
      tools={tools}
      data={() => ({ head: columns.map((column) => (column.unit === 'ns' ? `${column.name}_ns` : column.name)), rows })}
    >
      {note && <p class="hint">{note}</p>}
      <div
        style={{ height: `${(Math.min(MOST_LINES, rows.length) + 1) * pressedHeight(LINE) + 12}px` }}
        class="grid-place"
      >
        <Grid
          board={board}
          name={name}
          label={title}
          rows={local}
          columns={placed}
          sort={sorted}
          onSort={({ key, kind }) => {
            const next = turned([sorted], key, false, kind === 'number')
              .map(sortText)
              .join();
            board.sorts.set(new Map([...board.sorts.peek(), [name, next]]));
          }}
          {...(onOpen ? { onOpen: (row: Row) => onOpen(unnamed(row)) } : {})}
          {...(isOpen ? { isOpen: (row: Row) => isOpen(unnamed(row)) } : {})}
        />
      </div>
    </Figure>
  );
}
