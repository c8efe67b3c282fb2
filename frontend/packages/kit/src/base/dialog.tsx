import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icons';

export interface DialogProps {
  readonly name: string;
  readonly title: string;
  readonly onClose: () => void;
  /** Label of a button at the upper right that closes it; without a label the button is left out. */
  readonly close?: string;
  /** The title is only for screen readers. */
  readonly bare?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus inside; Escape and a press outside close it. */
export function Dialog({ name, title, onClose, close, bare = false, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const shut = (): void => element.current?.close();
  useLayoutEffect(() => {
    const { current: dialog } = element;
    dialog?.showModal();
    return () => dialog?.close(); // gives the focus back, while it still stands in the page
  }, []);
  return (
    <dialog
      ref={element}
      class="ih-dialog"
      data-dialog={name}
      aria-label={title}
      onClose={() => element.current && onClose()} // not once another dialog stands in its place
      onKeyDown={(event) => event.ctrlKey || event.metaKey || event.stopPropagation()} // only the page's keys pass
      onClick={(event) => event.target === element.current && shut()}
    >
      <div class="ih-dialog-box" tabIndex={-1} autofocus={close !== undefined}>
        {!bare && (
          <header class="ih-dialog-head">
            <h2>{title}</h2>
            {close !== undefined && (
              <button type="button" class="ih-button ih-quiet ih-square" aria-label={close} onClick={shut}>
                <Icon name="close" />
              </button>
            )}
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
