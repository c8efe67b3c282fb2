/**
 * Zooms over the columns of a heat map, as line charts do over x: a drag chooses columns, with Shift it moves them, the
 * wheel with Ctrl, two fingers, + and - zoom, 0 shows all.
 */
import { drag } from '@insight-host/kit';
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Cells, Columns } from './heat_map_cells';

/** Asks for other columns, null for all; false where these are shown already. */
export type LookAtColumns = (to: Columns | null, how?: 'push') => boolean;

export interface ColumnZoom {
  /** What is shown of the columns at hand until others are there. */
  readonly window: ReadonlySignal<Columns | null>;
  /** Columns that a drag is about to choose. */
  readonly chosen: ReadonlySignal<Columns | null>;
  /** Follows a pointer; `press` is called unless it is dragged. */
  readonly press: (event: PointerEvent) => void;
  /** Whether the last press was a drag: the click that follows is none. */
  readonly wasDrag: () => boolean;
  /** Does what a key is for, around a column; false for other keys. */
  readonly key: (key: string, column: number | null) => boolean;
  /** Zooms with Ctrl, until what it returns is called. */
  readonly follow: (element: HTMLElement) => () => void;
}

const SLOP = 4; // px that a click may wander
const SETTLE = 150; // ms without a move before columns are asked for
const LINE = 33; // px of a line of the wheel

export function useColumnZoom(cells: Cells, look: LookAtColumns | undefined): ColumnZoom {
  const window = useSignal<Columns | null>(null);
  const chosen = useSignal<Columns | null>(null);
  const now = useRef({ columns: cells.columns, look });
  now.current = { columns: cells.columns, look };
  const kept = useRef<ColumnZoom | null>(null);
  const timer = useRef(0);
  useEffect(() => {
    window.value = null;
    return () => clearTimeout(timer.current);
  }, [cells]);
  kept.current ??= zoomOf(now, window, chosen, timer);
  return kept.current;
}

interface Held<T> {
  current: T;
}

function zoomOf(
  now: Held<{ readonly columns: number; readonly look: LookAtColumns | undefined }>,
  window: Signal<Columns | null>,
  chosen: Signal<Columns | null>,
  timer: Held<number>,
): ColumnZoom {
  let isDrag = false;
  const shown = (): Columns => window.value ?? [0, now.current.columns];
  const settle = (to: Columns): void => {
    window.value = to;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!now.current.look?.(to)) window.value = null;
    }, SETTLE) as unknown as number;
  };
  const zoom = (at: number, factor: number): void => {
    const [from, to] = shown();
    settle([at - (at - from) * factor, at + (to - at) * factor]);
  };
  const columnAt = (element: Element, x: number): number => {
    const box = element.getBoundingClientRect();
    const [from, to] = shown();
    return from + Math.max(0, Math.min(1, (x - box.left) / box.width)) * (to - from);
  };
  const press = (pressed: PointerEvent): void => {
    isDrag = false;
    const element = pressed.currentTarget;
    if (!now.current.look || !(element instanceof Element)) return;
    const [from, to] = shown();
    const start = columnAt(element, pressed.clientX);
    let pinched: Columns | null = null;
    const over = (): void => void (chosen.value = null);
    drag(pressed, {
      slop: SLOP,
      move(event, dx) {
        isDrag = true;
        const by = (dx / element.getBoundingClientRect().width) * (to - from);
        if (pressed.shiftKey) return settle([from - by, to - by]);
        const end = columnAt(element, event.clientX);
        chosen.value = [Math.floor(Math.min(start, end)), Math.ceil(Math.max(start, end))];
      },
      pinch({ scale, x, dx }) {
        isDrag = true;
        over();
        window.value = pinched ??= shown(); // what is below each finger stays there
        zoom(columnAt(element, x - dx), 1 / scale);
      },
      end() {
        const { value: picked } = chosen;
        over();
        if (!picked || pinched) return;
        window.value = picked;
        if (!now.current.look?.(picked, 'push')) window.value = null;
      },
      cancel() {
        over();
        window.value = null;
      },
    });
  };
  const key = (pressed: string, column: number | null): boolean => {
    if (!now.current.look) return false;
    const [from, to] = shown();
    if (pressed === '+' || pressed === '=') zoom(column === null ? (from + to) / 2 : column + 0.5, 0.5);
    else if (pressed === '-' || pressed === '_') zoom(column === null ? (from + to) / 2 : column + 0.5, 2);
    else if (pressed === '0') now.current.look(null);
    else return false;
    return true;
  };
  const follow = (element: HTMLElement): (() => void) => {
    const stop = new AbortController();
    const wheel = (event: WheelEvent): void => {
      if (!now.current.look || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const along = event.deltaMode === 0 ? event.deltaY : event.deltaY * LINE;
      zoom(columnAt(element, event.clientX), 2 ** (Math.max(-200, Math.min(200, along)) / 300));
    };
    element.addEventListener('wheel', wheel, { passive: false, signal: stop.signal });
    return () => stop.abort();
  };
  return { window, chosen, press, key, follow, wasDrag: () => isDrag };
}
