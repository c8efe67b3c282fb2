import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls';
import { Icon, type IconName } from './icons';
import { announce, rove } from './keys';

export interface PopoverProps {
  /** The button that opened it: gets the focus back, and closes it. */
  readonly anchor: { readonly current: HTMLButtonElement | null };
  readonly class: string;
  /** A dialog has controls of any kind, which the Tab key finds; in the others arrow keys move. */
  readonly role: 'menu' | 'radiogroup' | 'dialog';
  readonly label: string;
  readonly side: 'below-left' | 'below-right';
  readonly onClose: () => void;
  /** Buttons and links; in a dialog also other controls. */
  readonly children: ComponentChildren;
}

/**
 * A list, or a small dialog, over everything else, next to its button. Render it while it is open; Escape or a press
 * elsewhere closes it. So do Tab and scrolling of its button for a list, and for a dialog a focus that leaves it.
 */
export function Popover({ anchor, class: name, role, label, side, onClose, children }: PopoverProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const isDialog = role === 'dialog'; // what is set in it may scroll the page
  const items = (): readonly HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('button, a') ?? [])];
  // before it is painted: who sees the list may press a key that is meant for it
  useLayoutEffect(() => {
    const [list, { current: button }] = [root.current, anchor];
    if (!list || !button) return;
    // The next press on the button does not count as one elsewhere; the one that opened the list is still under way.
    const timer = setTimeout(() => (button.popoverTargetElement = list));
    list.showPopover();
    const place = button.getBoundingClientRect();
    put(list, place, side);
    const first = isDialog ? list.querySelector<HTMLElement>('input, select, button, a') : items()[0];
    (list.querySelector<HTMLElement>('[aria-checked=true]') ?? first)?.focus({ preventScroll: true });
    const scrolled = (): void => {
      const { left, top } = button.getBoundingClientRect(); // the event may be of before the list was opened
      if (left !== place.left || top !== place.top) onClose();
    };
    if (!isDialog) addEventListener('scroll', scrolled, true);
    return () => {
      clearTimeout(timer);
      button.popoverTargetElement = null;
      removeEventListener('scroll', scrolled, true);
      if (list.contains(document.activeElement)) button.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      ref={root}
      popover="auto"
      class={`popover ${name}`}
      role={role}
      aria-label={label}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={(event) => {
        event.stopPropagation(); // Escape closes the list, not what is behind it
        if (event.key === 'Escape') {
          event.preventDefault();
          onClose();
        } else if (isDialog) return;
        else if (event.key === 'Tab') onClose();
        else rove(event, items());
      }}
      onFocusOut={({ currentTarget, relatedTarget: to }) => {
        if (isDialog && to instanceof Node && to !== anchor.current && !currentTarget.contains(to)) onClose();
      }}
    >
      {children}
    </div>
  );
}

export interface TooltipProps {
  /** Of what it is about, in the window. */
  readonly x: number;
  readonly y: number;
  readonly class?: string;
  readonly name?: string;
  readonly role?: 'tooltip' | 'dialog';
  readonly label?: string;
  readonly children: ComponentChildren;
}

/**
 * A box next to the pointer, over everything else. Screen readers say what is in it while keys move the cursor of a
 * chart.
 */
export function Tooltip({
  x,
  y,
  class: extra = '',
  name = 'tooltip',
  role = 'tooltip',
  label,
  children,
}: TooltipProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => root.current?.showPopover(), []);
  useLayoutEffect(() => {
    if (root.current) put(root.current, { left: x, right: x, top: y, bottom: y }, 'beside');
  });
  useEffect(() => {
    if (document.activeElement?.matches('[role=img]:focus-visible'))
      return announce((root.current?.innerText ?? '').replace(/\s+/g, ' ').trim());
  }, [x, y, children]);
  return (
    <div
      ref={root}
      popover="manual"
      class={`tooltip ${extra}`.trimEnd()}
      role={role}
      aria-label={label}
      data-testid={name}
    >
      {children}
    </div>
  );
}

export interface Anchor {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * `below`: under the anchor, their left or right edges in line. `beside`: to the lower right of it, as a tooltip of a
 * pointer.
 */
export type Side = 'below-left' | 'below-right' | 'beside';

const EDGE = 8; // pixels between a box and the window
const [NEAR, BESIDE] = [4, 14]; // pixels between a box and its anchor

/** Where a box of this size stands in a window: at its side of the anchor, or at the other one if that lacks room. */
export function place(
  anchor: Anchor,
  size: { readonly width: number; readonly height: number },
  side: Side,
  window = { width: innerWidth, height: innerHeight },
): { readonly left: number; readonly top: number } {
  const gap = side === 'beside' ? BESIDE : NEAR;
  const fit = (first: number, other: number, length: number, room: number): number =>
    Math.max(EDGE, Math.min(first >= EDGE && first + length <= room - EDGE ? first : other, room - EDGE - length));
  const across =
    side === 'beside'
      ? [anchor.right + gap, anchor.left - gap - size.width]
      : side === 'below-left'
        ? [anchor.left, anchor.right - size.width]
        : [anchor.right - size.width, anchor.left];
  return {
    left: fit(across[0] as number, across[1] as number, size.width, window.width),
    top: fit(anchor.bottom + gap, anchor.top - gap - size.height, size.height, window.height),
  };
}

/** Puts an element of the top layer there. */
export function put(element: HTMLElement, anchor: Anchor, side: Side): void {
  const { left, top } = place(anchor, element.getBoundingClientRect(), side);
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}

export interface DialogProps {
  readonly name: string;
  readonly title: string;
  readonly onClose: () => void;
  /** Label of the button at the upper right that closes it; "Close" in the user's language by default. */
  readonly close?: string;
  /** The title is only for screen readers, and there is no such button. */
  readonly bare?: boolean;
  /** The dialog is a form: what Enter and a button of the type `submit` do. */
  readonly onSubmit?: () => void;
  /** Buttons at the end, always in sight; what the dialog is for stands last, as a verb: "Add panel". */
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

const CLOSE: Readonly<Record<string, string>> = { 'zh-CN': '关闭' };

/**
 * A modal dialog over the whole page: title, a button that closes it, content, buttons. The browser keeps the focus
 * inside and gives it back; Escape and a press outside close it.
 */
export function Dialog({ name, title, onClose, close, bare, onSubmit, foot, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const shut = (): void => element.current?.close();
  useLayoutEffect(() => {
    const { current: dialog } = element;
    dialog?.showModal(); // what has `autofocus` gets the focus, else the box, from where Tab leads into it
    return () => dialog?.close(); // gives the focus back, while it still stands in the page
  }, []);
  const Box = onSubmit ? 'form' : 'div';
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
      <Box
        class="ih-dialog-box"
        tabIndex={-1}
        onSubmit={(event: Event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        {!bare && (
          <header class="ih-dialog-head">
            <h2>{title}</h2>
            <button
              type="button"
              class="ih-button ih-quiet ih-square"
              data-action="close"
              aria-label={close ?? CLOSE[document.documentElement.lang] ?? 'Close'}
              onClick={shut}
            >
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
        {foot && <footer class="ih-dialog-foot">{foot}</footer>}
      </Box>
    </dialog>
  );
}

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
