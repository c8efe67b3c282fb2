import { copyTable, valueText } from '@insight-host/kit';
import { ordered, rowsOf, Table, turned, type Column, type Sort } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { BodyProps, Cell, ItemOf } from '../board';

const LINE = 24; // pixels
const LOOKED_AT = 100; // rows whose texts count for the width
const [NARROW, WIDE] = [56, 320]; // pixels

type Row = readonly Cell[];

/** A recorded table: sorted by its heads, copied by Ctrl+C. */
export default function TableBody({ board, card, item }: BodyProps<ItemOf<'table'>>): JSX.Element {
  const { page } = board;
  const { table } = item;
  const sorts = useSignal<readonly Sort[]>([]);
  const rows = useMemo(
    () => Array.from(table.columns[0] ?? [], (_, y): Row => table.columns.map((column) => column[y] ?? null)),
    [table],
  );
  const columns = useMemo(() => table.names.map((name, at) => columnOf(name, at, rows)), [table, rows]);
  const inOrder = useMemo(
    () => ordered(rows, sorts.value, (row, key) => row[Number(key)] ?? null),
    [rows, sorts.value],
  );
  const shown = useMemo(() => rowsOf(inOrder), [inOrder]);
  const notes = [
    ...(rows.length < table.rows ? [page.t('table.rows.some', { shown: rows.length, all: table.rows })] : []),
    ...(table.names.length < table.width
      ? [page.t('table.columns.some', { shown: table.names.length, all: table.width })]
      : []),
  ];
  return (
    <div class="table-body">
      {notes.length > 0 && <p class="note">{notes.join(' · ')}</p>}
      <div class="table-place">
        <Table<Row>
          name="media-table"
          label={page.titleOf(card.tag)}
          rows={shown}
          columns={columns}
          rowHeight={LINE}
          sort={{ by: sorts.value, turn: (key, more) => (sorts.value = turned(sorts.value, key, more, false)) }}
          onCopyRows={(copied, all) => void copyTable(page, copied, all)}
        />
      </div>
    </div>
  );
}

function columnOf(name: string, at: number, rows: readonly Row[]): Column<Row> {
  const looked = rows.slice(0, LOOKED_AT).map((row) => row[at] ?? null);
  const isNumber = looked.some((cell) => typeof cell === 'number') && !looked.some((cell) => typeof cell === 'string');
  const letters = looked.reduce<number>((most, cell) => Math.max(most, textOf(cell).length), name.length + 2);
  return {
    key: String(at),
    title: name,
    kind: isNumber ? 'number' : 'text',
    width: Math.max(NARROW, Math.min(WIDE, 26 + 7.5 * letters)),
    cell: (row) => ({ content: textOf(row[at] ?? null), title: String(row[at] ?? '') }),
    value: (row) => row[at] ?? null,
  };
}

const textOf = (cell: Cell): string => (cell === null ? '' : typeof cell === 'number' ? valueText(cell) : String(cell));
