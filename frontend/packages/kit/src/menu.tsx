import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from './controls';
import type { IconName } from './icons';
import { Popover } from './popover';

export interface MenuItem {
  /** Name for tests, the same in every language. */
  readonly action: string;
  readonly text: string;
  /** Either a link, which the browser saves under the name `download`, … */
  readonly href?: string;
  readonly download?: string;
  /** … or something to do. */
  readonly onPress?: () => void;
}

export interface MenuProps {
  readonly action: string;
  readonly icon: IconName;
  readonly label: string;
  /** Asked when the menu opens. */
  readonly items: () => readonly MenuItem[];
}

/** A button that opens a list. */
export function Menu({ action, icon, label, items }: MenuProps): JSX.Element {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => void (open.value = false);
  return (
    <>
      <Button
        action={action}
        icon={icon}
        label={label}
        expanded={open.value}
        element={button}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover anchor={button} class="menu" role="menu" label={label} side="below-right" onClose={close}>
          {items().map(({ action: name, text, href, download, onPress }) =>
            href !== undefined ? (
              <a
                key={name}
                role="menuitem"
                tabIndex={-1}
                data-action={name}
                href={href}
                download={download ?? ''}
                onClick={close}
              >
                {text}
              </a>
            ) : (
              <button
                key={name}
                type="button"
                role="menuitem"
                tabIndex={-1}
                data-action={name}
                onClick={() => {
                  close();
                  onPress?.();
                }}
              >
                {text}
              </button>
            ),
          )}
        </Popover>
      )}
    </>
  );
}
