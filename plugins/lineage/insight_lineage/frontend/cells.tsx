/** Cells and heads of the table of runs. */
import { EditCell, type CellLook } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { LABELS } from './axes';
import type { LineageParts } from './board';
import type { Column } from './frame';
import { MarkPicker } from './marks';
import { summaryOf, type RowGroup } from './ordering';

const FIELDS = { remark: 'remark', note: 'note', display_name: 'displayName' } as const;
const MOST = { remark: 200, displayName: 200, note: 20_000 } as const; // characters
const isText = (name: string): name is keyof typeof FIELDS => name in FIELDS;

/** The value of a column in the row of a run. */
export function cellOf(board: LineageParts, column: Column, row: number): CellLook {
  const { name } = column;
  const run = board.frame.value?.runs[row] as string;
  if (name === 'mark') return { content: <MarkPicker board={board} run={run} /> };
  if (isText(name)) return { content: <TextCell board={board} run={run} name={name} /> };
  if (column.isMissing(row)) return { content: '—', class: 'missing' };
  const text = column.text(row);
  if (column.group !== 'pipeline' && name !== 'dataset_mark') return { content: text, title: text };
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

/** The mean of a group in a numeric column. */
export function meanOf(board: LineageParts, column: Column, group: RowGroup): CellLook {
  const summary = column.isNumeric && !LABELS.includes(column.name) ? summaryOf(column, group.rows) : null;
  if (!summary) return { content: null, class: 'number' };
  const { low, high, mean, count } = summary;
  return {
    content: `⌀ ${column.numberText(mean)}`,
    class: 'number',
    title: board.page.t('group.range', { low: column.numberText(low), high: column.numberText(high), count }),
  };
}

/** An annotation of a run. */
function TextCell({
  board,
  run,
  name,
}: {
  readonly board: LineageParts;
  readonly run: string;
  readonly name: keyof typeof FIELDS;
}): JSX.Element {
  const field = FIELDS[name];
  const known = board.page.runsByName.value.get(run);
  const refused = board.annotations.unwritten.value.get(run)?.[field];
  const isWritable = board.annotations.writable.value;
  return (
    <EditCell
      name={field}
      label={board.page.t(`column.${name}`)}
      kind={field === 'note' ? 'lines' : 'line'}
      most={MOST[field]}
      text={field === 'displayName' && known?.displayName === run ? '' : (known?.[field] ?? '')}
      refused={refused}
      disabled={!isWritable}
      hint={[refused !== undefined && board.page.t('edit.refused'), board.page.t(isWritable ? 'edit.hint' : 'edit.off')]
        .filter(Boolean)
        .join('\n')}
      onSave={(text) => board.annotations.write(run, { [field]: text })}
      onKeep={(text) => board.annotations.forget(run, { [field]: text })}
    />
  );
}

/** The name of a run, which is ticked while the run is selected. */
export function RunName({ board, row }: { readonly board: LineageParts; readonly row: number }): JSX.Element {
  const run = board.frame.value?.runs[row] as string;
  const name = board.page.nameOf(run);
  const { palette, codes } = board.coloring.value;
  return (
    <>
      <input
        type="checkbox"
        tabIndex={-1}
        checked={board.selection.names.value.has(run)}
        aria-label={board.page.t('run.select', { run: name })}
      />
      <span class="dot" style={{ background: palette[codes[row] ?? 0] }} />
      <span class={name === run ? 'name' : 'name given'}>{name}</span>
    </>
  );
}

export function GroupName({ board, group }: { readonly board: LineageParts; readonly group: RowGroup }): JSX.Element {
  return (
    <button type="button" tabIndex={-1} class="group-name">
      <span class="fold">{board.rows.closedGroups.value.has(group.key) ? '▸' : '▾'}</span>
      <span class="name">{group.text ?? board.page.t('value.none')}</span>
      <span class="count">{group.rows.length.toLocaleString(board.page.locale.value)}</span>
    </button>
  );
}

/** Selects the runs of the table, or none. */
export function SelectShown({ board }: { readonly board: LineageParts }): JSX.Element {
  const [shown, ticked] = [board.rows.shown.value.length, board.selection.ticked.value.length];
  const all = shown > 0 && ticked === shown;
  const label = board.page.t('select.shown', { count: shown });
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      data-action="select-shown"
      checked={all}
      ref={(box: HTMLInputElement | null) => void (box && (box.indeterminate = ticked > 0 && !all))}
      aria-label={label}
      title={label}
      onChange={() => {
        if (all) board.page.ctx.runs.select([]);
        else board.selection.selectShown();
      }}
    />
  );
}
