import { useSignal } from '@preact/signals';
import { Icon } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LineageBoard } from './board';
import type { Column } from './frame';
import { backToTable, MarkPicker } from './marks';

export interface CellProps {
  /** Of the cell that keys act on. */
  readonly id?: string;
  readonly board: LineageBoard;
  readonly column: Column;
  readonly row: number;
  readonly run: string;
  readonly left: number;
  readonly width: number;
}

export function Cell({ id, board, column, row, run, left, width }: CellProps): JSX.Element {
  const { name } = column;
  const text = column.text(row);
  const missing = column.isMissing(row);
  const classes = ['cell', column.isNumeric && 'number', missing && 'missing'].filter(Boolean).join(' ');
  return (
    <div id={id} role="gridcell" class={classes} data-column={name} style={{ left: `${left}px`, width: `${width}px` }} title={isText(name) ? undefined : text}>
      {name === 'mark' ? (
        <MarkPicker board={board} run={run} />
      ) : isText(name) ? (
        <TextCell board={board} run={run} field={FIELDS[name]} />
      ) : (column.group === 'pipeline' || name === 'dataset_mark') && !missing ? (
        <button type="button" tabIndex={-1} class="link" data-action="pipeline" onClick={() => (board.dialog.value = { pipeline: run })}>
          {text}
        </button>
      ) : missing ? (
        '—'
      ) : (
        text
      )}
    </div>
  );
}

const FIELDS = { remark: 'remark', note: 'note', display_name: 'displayName' } as const;
const isText = (name: string): name is keyof typeof FIELDS => name in FIELDS;
const LONGEST = { remark: 200, displayName: 200, note: 20_000 } as const;

interface TextCellProps {
  readonly board: LineageBoard;
  readonly run: string;
  readonly field: 'remark' | 'note' | 'displayName';
}

/** An annotation: a click edits it in place. Enter saves, Escape cancels. */
function TextCell({ board, run, field }: TextCellProps): JSX.Element {
  const editing = useSignal(false);
  const known = board.runsByName.value.get(run);
  const written = field === 'displayName' && known?.displayName === run ? '' : (known?.[field] ?? '');
  const unwritten = board.unwritten.value.get(run)?.[field];
  const say = board.t.bind(board);
  if (editing.value) return <TextField board={board} run={run} field={field} text={written} draft={unwritten ?? written} onEnd={() => (editing.value = false)} />;
  const writable = board.writable.value;
  const classes = ['written', !written && 'empty', unwritten !== undefined && 'refused'].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      tabIndex={-1}
      class={classes}
      data-action={`edit-${field}`}
      disabled={!writable}
      title={[unwritten ?? written, unwritten !== undefined && say('edit.refused'), writable ? say('edit.hint') : say('edit.off')].filter(Boolean).join('\n')}
      onClick={() => (editing.value = true)}
    >
      <span>{(unwritten ?? written).replace(/\s+/g, ' ')}</span>
      {writable && <Icon name={unwritten === undefined ? 'pencil' : 'warn'} />}
    </button>
  );
}

interface TextFieldProps extends TextCellProps {
  /** What is written down. */
  readonly text: string;
  /** What the field begins with. */
  readonly draft: string;
  readonly onEnd: () => void;
}

function TextField({ board, run, field, text, draft, onEnd }: TextFieldProps): JSX.Element {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const ended = useRef(false);
  // Before the next key.
  useLayoutEffect(() => {
    const area = element.current;
    const view = area?.closest('[role=grid]')?.getBoundingClientRect();
    if (area && view && area.getBoundingClientRect().bottom > view.bottom) area.style.bottom = '0'; // a note in the last rows opens upwards
    area?.focus();
    area?.select();
  }, []);
  const end = (keep: boolean, byKey = false): void => {
    if (ended.current) return;
    ended.current = true;
    const value = element.current?.value.trim() ?? text;
    if (byKey) backToTable(element.current);
    onEnd();
    if (keep && value !== text) board.annotate(run, { [field]: value });
    else board.forget(run, { [field]: value });
  };
  const common = {
    ref: element,
    class: 'edit',
    maxLength: LONGEST[field],
    'aria-label': board.t(`column.${field === 'displayName' ? 'display_name' : field}`),
    defaultValue: draft,
    onBlur: () => end(true),
    onKeyDown: (event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key === 'Escape') end(false, true);
      if (event.key === 'Enter' && !event.isComposing && !(field === 'note' && event.shiftKey)) end(true, true);
    },
  };
  return field === 'note' ? <textarea rows={4} {...common} /> : <input type="text" {...common} />;
}
