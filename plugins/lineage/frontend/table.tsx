import { Button, copyTable, Icon } from '@insight-host/kit';
import { RunTable, type Column } from '@insight-host/kit/runs';
import { sortOf, useWidths, type CellLook } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { isText, MarkPicker, TextCell } from './annotation_cells';
import type { LineageParts } from './board';

/** The runs that brushes left, one below the other, in the page's one table of runs. */
export function RunsTable({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { t: say } = board.page;
  const widths = useWidths(board.page.ctx.memory, 'runs');
  const frame = board.frame.value;
  if (!frame) return null;
  const runAt = (row: number): string => frame.runs[row] as string;
  return (
    <RunTable
      name="runs-table"
      label={say('table.label')}
      say={say}
      frame={frame}
      columns={board.columns.table.value}
      rows={board.rows.shown.value}
      groups={board.rows.groups.value}
      folded={board.rows.closedGroups.value}
      onFold={({ id }) => board.rows.toggleGroup(id)}
      title={say('column.run')}
      runKey="run"
      nameOf={(row) => board.page.nameOf(runAt(row))}
      run={(row, short) => <RunName board={board} row={row} short={short} />}
      hint={(row) => [...new Set([board.page.nameOf(runAt(row)), runAt(row)])].join('\n')}
      selected={board.selection.names.value}
      onSelect={(runs, on) => board.selection.set(runs, on)}
      onPick={(row) => board.comparison.pick(runAt(row)) || board.selection.toggle(runAt(row))}
      onPoint={(rows) => board.hover(rows?.length === 1 ? (rows[0] as number) : null)}
      cell={(column, row) => cellOf(board, column, row)}
      sort={{
        by: board.rows.sorts.value.map(sortOf),
        turn: (key, more) => board.rows.turnSort(key, more),
        hint: say('rt.sort.hint'),
      }}
      widths={widths}
      showsEqual={board.showsEqual}
      onMove={(name, before) => board.columns.move(name, before?.name ?? null)}
      onHide={(name) => board.columns.setShown(board.columns.shown.value.filter((other) => other !== name))}
      onCopyRows={(rows, all) => void copyTable(board.page, rows, all)}
    />
  );
}

/** What users write, and the steps of a data pipeline, which open; undefined: a value. */
function cellOf(board: LineageParts, column: Column, row: number): CellLook | undefined {
  const { name, group } = column;
  const run = board.frame.value?.runs[row] as string;
  if (name === 'mark') return { content: <MarkPicker board={board} run={run} /> };
  if (isText(name)) return { content: <TextCell board={board} run={run} name={name} /> };
  if (column.isMissing(row) || (group !== 'pipeline' && name !== 'dataset_mark')) return undefined;
  const text = column.text(row);
  const open = (): void => void (board.dialog.value = { pipeline: run });
  return {
    content: (
      <button type="button" tabIndex={-1} class="link" data-action="pipeline" onClick={open}>
        {text}
      </button>
    ),
    title: text,
  };
}

interface RunNameProps {
  readonly board: LineageParts;
  readonly row: number;
  /** As much of the name as fits. */
  readonly short: string;
}

/** The name of a run, which is ticked while the run is selected. */
function RunName({ board, row, short }: RunNameProps): JSX.Element {
  const { t: say } = board.page;
  const run = board.frame.value?.runs[row] as string;
  const name = board.page.nameOf(run);
  const { palette, codes } = board.coloring.value;
  const isFirst = board.comparison.first.value === run;
  return (
    <>
      <span class="hit">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={board.selection.names.value.has(run)}
          aria-label={say('run.select', { run: name })}
        />
      </span>
      <span class="dot" style={{ background: palette[codes[row] ?? 0] }} />
      <span class={name === run ? 'name' : 'name given'}>{short}</span>
      <button
        type="button"
        tabIndex={-1}
        class={isFirst ? 'compare-with first' : 'compare-with'}
        data-action="compare-with"
        aria-label={say('compare.with', { run: name })}
        aria-pressed={isFirst}
        title={say('compare.with', { run: name })}
        onClick={(event) => {
          event.stopPropagation();
          if (!board.comparison.pick(run)) board.comparison.first.value = run;
        }}
      >
        <Icon name="compare" />
      </button>
    </>
  );
}

/** While a run waits for another to be compared with. */
export function Comparing({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const { value: first } = board.comparison.first;
  if (first === null) return null;
  const { t: say } = board.page;
  return (
    <span class="comparing" role="status" data-testid="comparing">
      {say('compare.waits', { run: board.page.nameOf(first) })}
      <Button
        action="compare-cancel"
        icon="close"
        label={say('compare.cancel')}
        onPress={() => (board.comparison.first.value = null)}
      />
    </span>
  );
}
