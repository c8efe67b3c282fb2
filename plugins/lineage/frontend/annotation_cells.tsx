import { Icon, Popover } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { backToTable, EditCell } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { LineageParts } from './board';

const MARKS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** The sign of a run; a press chooses another. */
export function MarkPicker({ board, run }: { readonly board: LineageParts; readonly run: string }): JSX.Element {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const mark = board.page.runsByName.value.get(run)?.mark ?? 0;
  const { t: say } = board.page;
  const leave = (): void => {
    if (!open.value) return;
    open.value = false;
    if (document.activeElement?.closest('.mark-list')) backToTable(button.current);
  };
  const choose = (next: number): void => {
    leave();
    if (next !== mark) board.annotations.write(run, { mark: next });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        tabIndex={-1}
        class={mark ? 'mark-button' : 'mark-button empty'}
        data-action="mark"
        data-mark={mark}
        disabled={!board.annotations.writable.value}
        aria-label={say('mark.choose')}
        aria-expanded={open.value}
        title={say('mark.choose')}
        onClick={() => (open.value = !open.value)}
      >
        <Icon name={`mark-${mark || 1}`} />
      </button>
      {open.value && (
        <Popover
          anchor={button}
          class="mark-list"
          role="radiogroup"
          label={say('mark.choose')}
          side="below-left"
          onClose={leave}
        >
          {MARKS.map((one) => (
            <button
              key={one}
              type="button"
              role="radio"
              aria-checked={one === mark}
              tabIndex={-1}
              data-mark={one}
              aria-label={one ? say('mark.number', { mark: one }) : say('mark.none')}
              onClick={() => choose(one)}
            >
              {one ? <Icon name={`mark-${one}`} /> : '∅'}
            </button>
          ))}
        </Popover>
      )}
    </>
  );
}

const FIELDS = { remark: 'remark', note: 'note', display_name: 'displayName' } as const;
const MOST = { remark: 200, displayName: 200, note: 20_000 } as const; // characters

/** Whether a column holds texts of users. */
export const isText = (name: string): name is keyof typeof FIELDS => name in FIELDS;

/** An annotation of a run. */
export function TextCell({
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
