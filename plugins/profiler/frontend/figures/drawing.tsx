/** A drawing of parts, of which one is pointed at by the pointer or by arrow keys; its tooltip and legend. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Tooltip } from '@insight-host/kit';

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

export interface TipText {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string, color?: string])[];
}

/** With its place on the screen. */
export interface TipState extends TipText {
  readonly x: number;
  readonly y: number;
}

export const useTip = (): Signal<TipState | null> => useMemo(() => signal<TipState | null>(null), []);

/** The tooltip next to the pointer. */
export function Tip({ tip }: { readonly tip: Signal<TipState | null> }): JSX.Element | null {
  const { value } = tip;
  if (!value) return null;
  return (
    <Tooltip x={value.x} y={value.y}>
      <strong>{value.title}</strong>
      <table>
        <tbody>
          {value.lines.map(([label, text, color]) => (
            <tr key={label}>
              <th>
                {color && <span class="swatch" style={{ background: color }} />} {label}
              </th>
              <td class="number">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Tooltip>
  );
}

export interface LegendEntry {
  readonly key: string;
  readonly color: string;
  readonly label: string;
  readonly value?: string;
  readonly share?: string;
  /** What the label means. */
  readonly hint?: string;
}

/** What colours stand for, and how much of each there is. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }): JSX.Element {
  return (
    <ul class="legend-list">
      {entries.map(({ key, color, label, value, share, hint }) => (
        <li key={key} data-category={key} title={hint}>
          <span class="swatch" style={{ background: color }} />
          <span class="name">{label}</span>
          {value !== undefined && <span class="number">{value}</span>}
          {share !== undefined && <span class="number share">{share}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A text cut to about `width` pixels. */
export function shortened(text: string, width: number, size = 11): string {
  const wide = (letter: string): number => (letter > '\u2e80' ? size : size * 0.56);
  let room = width;
  const letters = [...text];
  for (let i = 0; i < letters.length; i++) {
    room -= wide(letters[i] as string);
    if (room < 0) return `${letters.slice(0, Math.max(1, i - 1)).join('')}…`;
  }
  return text;
}
