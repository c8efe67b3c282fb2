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
          {menuItems(items(), close)}
        </Popover>
      )}
    </>
  );
}

/** The items of a popover with the role `menu`; `close` is called before an item acts. */
export function menuItems(items: readonly MenuItem[], close: () => void): readonly JSX.Element[] {
  return items.map(({ action, text, href, download, onPress }) => {
    const props = { role: 'menuitem', tabIndex: -1, 'data-action': action } as const;
    return href !== undefined ? (
      <a key={action} {...props} href={href} download={download ?? ''} onClick={close}>
        {text}
      </a>
    ) : (
      <button
        key={action}
        {...props}
        type="button"
        onClick={() => {
          close();
          onPress?.();
        }}
      >
        {text}
      </button>
    );
  });
}
