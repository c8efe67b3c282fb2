import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '@insight-host/kit/lab';

export interface EditCellProps {
  /** The button has `data-action="edit-NAME"`. */
  readonly name: string;
  readonly label: string;
  /** One line, or several: then Shift and Enter begins another. */
  readonly kind: 'line' | 'lines';
  /** Characters that a text may have. */
  readonly most: number;
  /** The saved text. */
  readonly text: string;
  /** A text that could not be saved: editing goes on with it. */
  readonly refused?: string | undefined;
  readonly disabled?: boolean;
  readonly hint: string;
  onSave(text: string): void;
  /** The user gives up a text, or leaves the saved one as it is. */
  onKeep(text: string): void;
}

/** A text in a cell that a click edits in place. Enter saves, Escape cancels. */
export function EditCell(props: EditCellProps): JSX.Element {
  const { name, text, refused, disabled = false, hint } = props;
  const editing = useSignal(false);
  if (editing.value) return <EditField {...props} onEnd={() => (editing.value = false)} />;
  const shown = refused ?? text;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={['written', !text && 'empty', refused !== undefined && 'refused'].filter(Boolean).join(' ')}
      data-action={`edit-${name}`}
      disabled={disabled}
      title={[shown, hint].filter(Boolean).join('\n')}
      onClick={() => (editing.value = true)}
    >
      <span>{shown.replace(/\s+/g, ' ')}</span>
      {!disabled && <Icon name={refused === undefined ? 'pencil' : 'warn'} />}
    </button>
  );
}

function EditField({
  label,
  kind,
  most,
  text,
  refused,
  onSave,
  onKeep,
  onEnd,
}: EditCellProps & { readonly onEnd: () => void }): JSX.Element {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const ended = useRef(false);
  // Before the next key.
  useLayoutEffect(() => {
    const area = element.current;
    const view = tableOf(area)?.getBoundingClientRect();
    // in the last rows several lines open upwards
    if (area && view && area.getBoundingClientRect().bottom > view.bottom) area.style.bottom = '0';
    area?.focus();
    area?.select();
  }, []);
  const end = (keep: boolean, byKey = false): void => {
    if (ended.current) return;
    ended.current = true;
    const value = element.current?.value.trim() ?? text;
    if (byKey) backToTable(element.current);
    onEnd();
    if (keep && value !== text) onSave(value);
    else onKeep(value);
  };
  const common = {
    ref: element,
    class: 'edit',
    maxLength: most,
    'aria-label': label,
    defaultValue: refused ?? text,
    onBlur: () => end(true),
    onKeyDown: (event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key === 'Escape') end(false, true);
      if (event.key === 'Enter' && !event.isComposing && !(kind === 'lines' && event.shiftKey)) end(true, true);
    },
  };
  return kind === 'lines' ? <textarea rows={4} {...common} /> : <input type="text" {...common} />;
}

function tableOf(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[role=grid], [role=treegrid]') ?? null;
}

/** Moves the focus from something that opened in a cell back to its table. */
export function backToTable(element: HTMLElement | null): void {
  tableOf(element)?.focus({ preventScroll: true });
}
