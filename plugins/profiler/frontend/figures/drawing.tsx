/** A drawing of parts, of which one is pointed at: by the pointer or by arrow keys. */
import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Tip, useTip, type TipState, type TipText } from './tip';

export interface Parts {
  readonly host: { readonly current: HTMLDivElement | null };
  /** CSS pixels that the drawing has across; follows the window. */
  readonly width: number;
  /** The part that is pointed at. */
  readonly at: Signal<number | null>;
  readonly tip: Signal<TipState | null>;
}

/** `fallback`: the width until the page has been laid out. */
export function useParts(fallback: number): Parts {
  const host = useRef<HTMLDivElement>(null);
  const width = useSignal(fallback);
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const look = (): void => {
      const now = Math.floor(element.clientWidth);
      if (now > 0) width.value = now;
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { host, width: width.value, at: useSignal<number | null>(null), tip: useTip() };
}

/** What makes an element one of the parts. */
export interface PartAttributes {
  readonly id: string;
  readonly role: 'option';
  readonly 'aria-selected': boolean;
  readonly onPointerMove: (event: PointerEvent) => void;
}

export interface DrawingProps {
  readonly parts: Parts;
  readonly count: number;
  readonly height: number;
  readonly label: string;
  readonly fontSize?: number;
  /** What the tooltip says of a part, and where that is in the drawing for those who use the keyboard. */
  readonly tip?: (at: number) => TipText;
  readonly middle?: (at: number) => readonly [x: number, y: number];
  readonly onPress?: ((at: number, event: KeyboardEvent) => void) | null;
  readonly children: (part: (at: number) => PartAttributes) => ComponentChildren;
}

/** Arrow keys go from part to part, Enter presses one, Escape leaves. */
export function Drawing({
  parts,
  count,
  height,
  label,
  fontSize = 11,
  tip,
  middle,
  onPress,
  children,
}: DrawingProps): JSX.Element {
  const id = `profiler-${useId()}`;
  const { host, at } = parts;
  const point = (to: number | null, x: number, y: number): void => {
    at.value = to;
    parts.tip.value = to === null || !tip ? null : { x, y, ...tip(to) };
  };
  const leave = (): void => point(null, 0, 0);
  const go = (to: number): void => {
    const box = host.current?.getBoundingClientRect();
    const [x, y] = middle?.(to) ?? [0, 0];
    point(to, (box?.left ?? 0) + x, (box?.top ?? 0) + y);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = at.value ?? -1;
    const to = {
      ArrowDown: now + 1,
      ArrowRight: now + 1,
      ArrowUp: now - 1,
      ArrowLeft: now - 1,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) go(Math.max(0, Math.min(count - 1, to)));
    else if (event.key === 'Escape' && at.value !== null) leave();
    else if ((event.key === 'Enter' || event.key === ' ') && at.value !== null && onPress) onPress(at.value, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={host} class="drawing-place" onPointerLeave={leave}>
      <svg
        class="drawing"
        width={parts.width}
        height={height}
        font-size={fontSize}
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={at.value === null ? undefined : `${id}-${at.value}`}
        onKeyDown={onKeyDown}
        onBlur={leave}
      >
        {children((i) => ({
          id: `${id}-${i}`,
          role: 'option',
          'aria-selected': at.value === i,
          onPointerMove: (event) => point(i, event.clientX, event.clientY),
        }))}
      </svg>
      <Tip tip={parts.tip} />
    </div>
  );
}
