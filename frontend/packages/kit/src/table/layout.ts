/** Where the columns of a table are, those that stay at the left and those that scroll; and what is in sight. */
import type { PluginContext } from '@insight-host/api';
import { offsetAt, placeOf, trackOf, within, type Size, type Track } from '@insight-host/kit/lab';
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** Widths in pixels by the key of the column, as far as the user has changed them. */
export type Widths = ReadonlyMap<string, number>;

export const NARROWEST = 36;
export const WIDEST = 1200;

interface Sized {
  readonly key: string;
  readonly width: number;
  /** Takes the room that the other columns leave. */
  readonly grows?: boolean;
}

/** As many columns as a matrix has, all of one width. */
export interface EvenColumns<C> {
  readonly count: number;
  readonly width: number;
  at(column: number): C;
}

/** Arrays have `at`, too. */
export function isEven<C>(columns: readonly C[] | EvenColumns<C>): columns is EvenColumns<C> {
  return !Array.isArray(columns);
}

export interface Layout {
  /** Left edge and width of each column that stays. */
  readonly frozen: readonly { readonly left: number; readonly width: number }[];
  /** Width of the columns that stay. */
  readonly side: number;
  /** How many columns scroll, and their width. */
  readonly count: number;
  readonly total: number;
  /** Left edge of a column that scrolls, counted from the first of them; `count` gives `total`. */
  leftOf(column: number): number;
  widthOf(column: number): number;
  /** The column that scrolls at this pixel; the last one beyond the end. */
  columnAt(pixel: number): number;
}

/** Places columns in a table that is `view` pixels wide; columns that grow share the room that is left. */
export function layoutOf<C extends Sized>(
  frozen: readonly C[],
  columns: readonly C[] | EvenColumns<C>,
  widths: Widths,
  view: number,
): Layout {
  const all = isEven(columns) ? frozen : [...frozen, ...columns];
  const own = ({ key, width }: C): number => widths.get(key) ?? width;
  const growing = all.filter(({ key, grows }) => grows && !widths.has(key));
  const room =
    view - all.reduce((sum, column) => sum + own(column), 0) - (isEven(columns) ? columns.count * columns.width : 0);
  const share = growing.length > 0 ? Math.max(0, Math.floor(room / growing.length)) : 0;
  const widthOf = (column: C): number => own(column) + (growing.includes(column) ? share : 0);
  const stay = edgesOf(frozen.map(widthOf));
  const sides = frozen.map((_, at) => ({
    left: stay[at] as number,
    width: (stay[at + 1] as number) - (stay[at] as number),
  }));
  const side = stay.at(-1) as number;
  if (isEven(columns)) {
    const { count, width } = columns;
    return {
      frozen: sides,
      side,
      count,
      total: count * width,
      leftOf: (at) => at * width,
      widthOf: () => width,
      columnAt: (pixel) => clamp(Math.floor(pixel / width), count - 1),
    };
  }
  const edges = edgesOf(columns.map(widthOf));
  const leftOf = (at: number): number => edges[at] as number;
  return {
    frozen: sides,
    side,
    count: columns.length,
    total: edges.at(-1) as number,
    leftOf,
    widthOf: (at) => leftOf(at + 1) - leftOf(at),
    columnAt: (pixel) => placeIn(edges, pixel),
  };
}

/** Of these widths, the left edge of each, and the right edge of the last. */
function edgesOf(widths: readonly number[]): readonly number[] {
  let edge = 0;
  return [0, ...widths.map((width) => (edge += width))];
}

/** The last place whose edge is not beyond the pixel, by bisection. */
function placeIn(edges: readonly number[], pixel: number): number {
  let [low, high] = [0, Math.max(0, edges.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] as number) <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function clamp(place: number, last: number): number {
  return Math.max(0, Math.min(last, place));
}

/**
 * Widths of the columns of a table as the user has set them, which this browser remembers under the name of the table.
 */
export function useWidths(memory: PluginContext['memory'], name: string): { value: Widths } {
  const key = `widths.${name}`;
  const widths = useMemo(
    () => signal<Widths>(new Map(memory.get<readonly (readonly [string, number])[]>(key, []))),
    [key],
  );
  return {
    get value() {
      return widths.value;
    },
    set value(next) {
      widths.value = next;
      memory.set(key, [...next]);
    },
  };
}

/** What scrolls, in pixels: all of it, and the room that heads and fixed columns take of the window. */
export interface Extents {
  readonly width: number;
  readonly height: number;
  readonly side: number;
  readonly head: number;
}

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly across: Track;
  readonly down: Track;
  /** Scrolls to an offset over the cells. */
  go(x: number, y: number): void;
  onScroll(): void;
}

/** Follows what of a large area is in sight, also where it is larger than a browser can scroll. */
export function useSight(
  scroller: { readonly current: HTMLDivElement | null },
  size: Size,
  { width, height, side, head }: Extents,
): Sight {
  const offset = useSignal({ x: 0, y: 0 });
  const expected = useRef(-1); // the position that `go` has set
  const across = trackOf(width, Math.max(0, size.width - side));
  const down = trackOf(height, Math.max(0, size.height - head));
  const here = useRef({ across, down });
  here.current = { across, down };
  const go = (x: number, y: number): void => {
    const { current: element } = scroller;
    const { across: horizontal, down: vertical } = here.current;
    offset.value = { x: within(horizontal, x), y: within(vertical, y) };
    if (!element) return;
    element.scrollLeft = placeOf(horizontal, offset.value.x);
    element.scrollTop = placeOf(vertical, offset.value.y);
    expected.current = element.scrollTop;
  };
  const onScroll = (): void => {
    const { current: element } = scroller;
    if (!element) return;
    const { across: horizontal, down: vertical } = here.current;
    const ours = vertical.scaled && Math.abs(element.scrollTop - expected.current) < 1;
    const next = {
      x: offsetAt(horizontal, element.scrollLeft),
      y: ours ? offset.value.y : offsetAt(vertical, element.scrollTop),
    };
    if (next.x !== offset.value.x || next.y !== offset.value.y) offset.value = next;
  };
  // On a scaled track one turn of the wheel would skip many rows: it moves the rows instead, and the scroll bar
  // follows.
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (!element || !down.scaled) return;
    const turn = (event: WheelEvent): void => {
      if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      event.preventDefault();
      const pixels = event.deltaMode === 1 ? 22 : event.deltaMode === 2 ? here.current.down.view : 1;
      go(offset.value.x, offset.value.y + event.deltaY * pixels);
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [down.scaled]);
  // Whole pixels: text between two pixels is blurred.
  return {
    x: Math.round(within(across, offset.value.x)),
    y: Math.round(within(down, offset.value.y)),
    across,
    down,
    go,
    onScroll,
  };
}
