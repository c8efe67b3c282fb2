/** A modal dialog: the browser keeps the focus inside and closes it on Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { Icon } from './icon';

interface Props {
  readonly title: string;
  readonly class?: string;
  /** The title is only for screen readers. */
  readonly bare?: boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, class: extra, bare, children }: Props) {
  const page = usePage();
  const element = useRef<HTMLDialogElement>(null);
  const close = (): void => {
    page.dialog.value = null;
  };
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={`ih-dialog ${extra ?? ''}`}
      aria-label={title}
      onClose={close}
      onClick={(event) => {
        if (event.target === element.current) close(); // outside the box
      }}
    >
      <div class="ih-dialog-box" tabIndex={-1} autofocus={!bare}>
        {!bare && (
          <header class="ih-dialog-head">
            <h2>{title}</h2>
            <button
              type="button"
              class="ih-button ih-quiet ih-square"
              aria-label={page.t.value('close')}
              onClick={close}
            >
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
