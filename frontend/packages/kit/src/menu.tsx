import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './controls';
import type { IconName } from './icons';

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

/** A button that opens a list; a click elsewhere or Escape closes it. */
export function Menu({ action, icon, label, items }: MenuProps): JSX.Element {
  const open = useSignal(false);
  const root = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open.value) return;
    const close = (event: Event): void => {
      const escape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (escape) event.stopPropagation(); // the menu closes, not the full screen
      if (escape || (event instanceof PointerEvent && !root.current?.contains(event.target as Node))) open.value = false;
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close, true);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close, true);
    };
  }, [open.value]);
  const end = (): void => void (open.value = false);
  return (
    <span class="menu" ref={root}>
      <Button action={action} icon={icon} label={label} pressed={open.value} onPress={() => (open.value = !open.value)} />
      {open.value && (
        <span class="menu-list" role="menu">
          {items().map((item) =>
            item.href !== undefined ? (
              <a key={item.action} role="menuitem" data-action={item.action} href={item.href} download={item.download ?? ''} onClick={end}>
                {item.text}
              </a>
            ) : (
              <button
                key={item.action}
                type="button"
                role="menuitem"
                data-action={item.action}
                onClick={() => {
                  end();
                  item.onPress?.();
                }}
              >
                {item.text}
              </button>
            ),
          )}
        </span>
      )}
    </span>
  );
}
