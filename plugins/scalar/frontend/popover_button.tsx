import { useSignal } from '@preact/signals';
import { Button, Popover, type ButtonProps } from '@insight-host/kit';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';

interface PopoverButtonProps extends Pick<ButtonProps, 'action' | 'label' | 'icon' | 'text' | 'pressed'> {
  /** Class of the dialog. */
  readonly class: string;
  /** Name of the dialog; that of the button by default. */
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A button of the toolbar, and the small dialog that it opens. */
export function PopoverButton({ class: name, title, children, ...button }: PopoverButtonProps): JSX.Element {
  const open = useSignal(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        {...button}
        expanded={open.value}
        opens="dialog"
        element={anchor}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover
          anchor={anchor}
          class={name}
          role="dialog"
          label={title ?? button.label}
          side="below-left"
          onClose={() => (open.value = false)}
        >
          {children}
        </Popover>
      )}
    </>
  );
}
