import { copyTable } from '@insight-host/kit';
import {
  sortOf,
  Table,
  useWidths,
  type Column as TableColumn,
  type LineLook,
  type Value,
} from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LineageParts } from './board';
import { cellOf, GroupName, meanOf, RunName, SelectShown } from './cells';
import type { Column } from './frame';
import type { RowGroup } from './ordering';

const ROW_HEIGHT = 30;
const RUN_WIDTH = 230;
const LETTER = 8.4;
const LOOKED_AT = 60; // values whose text counts

/** A line of the table: a row of the frame, or the heading of group `g` as `-(g + 1)`. */
type LineNumber = number;

/** The runs that brushes left, one below the other, and the headings of their groups. */
export function RunsTable({ board }: { readonly board: LineageParts }): JSX.Element {
  const locale = board.page.locale.value;
  const table = board.columns.table.value;
  const columns = useMemo(() => table.map((column) => columnOf(board, column)), [table, locale]);
  const runs = useMemo(() => [runColumn(board)], [locale]);
  const lines = board.rows.lines.value;
  const press = (line: LineNumber): void => {
    const group = groupOf(board, line);
    if (group) board.rows.toggleGroup(group.key);
    else board.selection.toggle(board.frame.value?.runs[line] as string);
  };
  return (
    <Table<LineNumber>
      name="runs-table"
      class="runs-table"
      label={board.page.t('table.label')}
      rows={{ count: lines.length, at: (place) => lines[place] ?? null }}
      frozen={runs}
      columns={columns}
      widths={useWidths(board.page.ctx.memory, 'runs')}
      rowHeight={ROW_HEIGHT}
      idOf={(line) => (line >= 0 ? line : `group ${groupOf(board, line)?.key}`)}
      line={(line) => lineOf(board, line)}
      tree={board.rows.rowGroups.value !== null}
      sort={{
        by: board.rows.sorts.value.map(sortOf),
        turn: (key, more) => board.rows.turnSort(key, more),
        hint: board.page.t('sort.hint'),
      }}
      onPick={press}
      onPoint={(line) => board.hover(line !== null && line >= 0 ? line : null)}
      onCopyRows={(rows, all) => void copyTable(board.page, rows, all)}
    />
  );
}

function groupOf(board: LineageParts, line: LineNumber): RowGroup | undefined {
  return line < 0 ? board.rows.rowGroups.value?.[-line - 1] : undefined;
}

function lineOf(board: LineageParts, line: LineNumber): LineLook {
  const group = groupOf(board, line);
  if (group)
    return {
      class: 'heading',
      expanded: !board.rows.closedGroups.value.has(group.key),
      level: 1,
      data: { group: group.text ?? '' },
    };
  const run = board.frame.value?.runs[line] as string;
  const selected = board.selection.names.value.has(run);
  return {
    class: selected ? 'selected' : '',
    selected,
    data: { run, 'hover-run': run },
    ...(board.rows.rowGroups.value ? { level: 2 } : {}),
  };
}

function runColumn(board: LineageParts): TableColumn<LineNumber> {
  return {
    key: 'run',
    title: board.page.t('column.run'),
    kind: 'text',
    width: RUN_WIDTH,
    tool: <SelectShown board={board} />,
    cell: (line) => {
      const group = groupOf(board, line);
      if (group) return { content: <GroupName board={board} group={group} />, class: 'run-cell' };
      const run = board.frame.value?.runs[line] as string;
      const name = board.page.nameOf(run);
      return {
        content: <RunName board={board} row={line} />,
        class: 'run-cell',
        title: name === run ? run : `${name}\n${run}`,
      };
    },
    value: (line) => (line >= 0 ? (board.frame.value?.runs[line] ?? null) : (groupOf(board, line)?.text ?? null)),
  };
}

function columnOf(board: LineageParts, column: Column): TableColumn<LineNumber> {
  return {
    key: column.name,
    title: column.group === 'annotation' ? board.page.t(`column.${column.name}`) : column.title,
    hint: column.name,
    kind: column.isNumeric ? 'number' : 'text',
    width: widthOf(column),
    cell: (line) => {
      const group = groupOf(board, line);
      return group ? meanOf(board, column, group) : cellOf(board, column, line);
    },
    value: (line) => (line >= 0 ? valueOf(column, line) : null),
  };
}

function valueOf(column: Column, row: number): Value {
  const value = column.values[row] ?? null;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

const known = new WeakMap<Column, number>();

function widthOf(column: Column): number {
  const found = known.get(column);
  if (found !== undefined) return found;
  if (column.name === 'mark') return 68;
  if (column.name === 'remark' || column.name === 'note') return 170;
  let letters = 4;
  for (let row = 0, looked = 0; row < column.values.length && looked < LOOKED_AT; row++) {
    if (column.isMissing(row)) continue;
    letters = Math.max(letters, Math.min(26, column.text(row).length));
    looked++;
  }
  const width = Math.round(
    Math.max(78, Math.min(200, Math.max(letters * LETTER + 24, column.title.length * 7.4 + 34))),
  );
  known.set(column, width);
  return width;
}
