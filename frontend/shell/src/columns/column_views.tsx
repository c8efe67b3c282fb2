/** Columns beside the names of runs: their heads, and the cells of one run. */
import { Icon } from '@insight-host/kit';
import type { Run } from '@insight-host/api';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Page, usePage } from '../state/page';
import { cellOf, RunColumns, type ShownColumn } from './run_columns';

/** The columns of the run list, and what draws them. */
export interface ColumnView {
  readonly columns: RunColumns;
  readonly Heads: typeof ColumnHeads;
  readonly Cells: typeof RunCells;
}

export function columnView(page: Page): ColumnView {
  return { columns: new RunColumns(page), Heads: ColumnHeads, Cells: RunCells };
}

const classOf = ({ kind }: ShownColumn): string => `ih-run-cell${kind === 'number' ? ' ih-number' : ''}`;

function ColumnHeads({ columns }: { readonly columns: RunColumns }) {
  const t = usePage().t.value;
  const shown = columns.shown.value;
  if (shown.length === 0) return null;
  return (
    <div class="ih-run-heads" role="group" aria-label={t('columns.title')}>
      {shown.map((column) => {
        const direction = columns.direction(column);
        const label = direction ? t(`columns.sorted.${direction}`, { column: column.title }) : column.title;
        return (
          <button
            key={column.key}
            type="button"
            class={classOf(column)}
            aria-pressed={direction !== null}
            aria-label={label}
            title={label}
            data-column={column.key}
            data-direction={direction}
            onClick={() => columns.turn(column)}
          >
            <span>{column.title}</span>
            {direction && <Icon name="open" />}
          </button>
        );
      })}
    </div>
  );
}

function RunCells({ columns, run }: { readonly columns: RunColumns; readonly run: Run }) {
  return columns.shown.value.map((column) => (
    <RunCell key={column.key} columns={columns} column={column} run={run.name} />
  ));
}

interface RunCellProps {
  readonly columns: RunColumns;
  readonly column: ShownColumn;
  readonly run: string;
}

function RunCell({ columns, column, run }: RunCellProps) {
  const host = useRef<HTMLSpanElement>(null);
  const value = cellOf(column, run);
  const plain = value === undefined ? '' : columns.text(column, value);
  const shown = useMemo(
    () => (value === undefined ? '' : (column.look?.cell(value, run) ?? plain)),
    [column.look, value, run, plain],
  );
  const isText = typeof shown === 'string';
  useLayoutEffect(() => {
    if (typeof shown !== 'string') host.current?.replaceChildren(shown);
  }, [shown]);
  return (
    <span
      key={String(isText)} // what a plugin has put in is not Preact's to change
      ref={host}
      class={classOf(column)}
      data-column={column.key}
      title={`${column.title}: ${plain}`}
    >
      {isText ? shown : null}
    </span>
  );
}
