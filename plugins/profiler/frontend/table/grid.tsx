import { copyTable } from '@insight-host/kit';
import { Table, useWidths, type Column, type Rows, type Sort } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Row } from '../answers/table';

export const LINE = 28; // px

export interface GridProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly label: string;
  readonly rows: Rows<Row>;
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort;
  readonly onSort: (column: Column<Row>) => void;
  /** A press on a row, or Enter. */
  readonly onOpen?: (row: Row) => void;
  readonly isOpen?: (row: Row) => boolean;
  /** Identifies what is shown: when it changes the table begins at its top. */
  readonly question?: string;
  readonly busy?: boolean;
}

/** A table of a profile; its first column stays at the left. */
export function Grid({ board, name, columns, sort, onSort, isOpen, ...given }: GridProps): JSX.Element {
  const [first, rest] = useMemo(() => [columns.slice(0, 1), columns.slice(1)], [columns]);
  return (
    <Table<Row>
      {...given}
      name={`grid-${name}`}
      frozen={first}
      columns={rest}
      widths={useWidths(board.page.ctx.memory, name)}
      rowHeight={LINE}
      sort={{ by: [sort], turn: (key) => onSort(columns.find((column) => column.key === key) as Column<Row>) }}
      line={(row, place) => ({
        selected: isOpen?.(row) === true,
        class: isOpen?.(row) ? 'open' : '',
        data: { row: place },
      })}
      onCopyRows={(rows, all) => void copyTable(board.page, rows, all)}
    />
  );
}
