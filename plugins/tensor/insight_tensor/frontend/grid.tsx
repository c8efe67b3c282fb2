import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Area } from './blocks';
import type { Heat } from './heat';
import { offsetAt, placeOf, showing, trackOf, within, type Track } from './scrolling';
import { areaOf, clamp, selectionAfter, type Cell, type Selection } from './selection';

export const ROW = 22; // pixels
const HEAD = 22;
const DIGIT = 7.4; // pixels of a character

/** How one cell looks. */
export interface CellLook {
  readonly text: string;
  readonly heat: Heat | null;
  /** NaN or infinite. */
  readonly odd: boolean;
  readonly left: boolean;
  readonly title?: string;
}

export interface GridProps {
  readonly label: string;
  readonly rows: number;
  readonly columns: number;
  /** Index in the tensor of the first row and column; null if the tensor has no such dimension. */
  readonly firstRow: number | null;
  readonly firstColumn: number | null;
  /** Characters of the widest cell. */
  readonly widest: number;
  /** null: not here yet. */
  readonly cell: (row: number, column: number) => CellLook | null;
  /** What is in sight. */
  readonly onArea: (area: Area) => void;
  readonly onCopy: (area: Area) => void;
}

interface Offset {
  readonly x: number;
  readonly y: number;
}

/** A table of any length, of which only what is in sight exists: one layer that stays, over a track that scrolls. */
export function Grid({ label, rows, columns, firstRow, firstColumn, widest, cell, onArea, onCopy }: GridProps): JSX.Element {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const offset = useSignal<Offset>({ x: 0, y: 0 });
  const expected = useRef(-1); // where we have scrolled to ourselves
  const selection = useSignal<Selection | null>(null);
  const dragging = useRef(false);
  const wide = Math.round(Math.max(4, widest) * DIGIT + 17);
  const side = firstRow === null ? 0 : Math.round(Math.max(2, String(firstRow + rows - 1).length) * DIGIT + 17);
  const top = firstColumn === null ? 0 : HEAD;
  const down = trackOf(rows * ROW, Math.max(0, size.value.height - top));
  const across = trackOf(columns * wide, Math.max(0, size.value.width - side));
  const [x, y] = [within(across, offset.value.x), within(down, offset.value.y)];
  const area: Area = {
    row: Math.floor(y / ROW),
    rowEnd: Math.min(rows, Math.ceil((y + down.view) / ROW)),
    column: Math.floor(x / wide),
    columnEnd: Math.min(columns, Math.ceil((x + across.view) / wide)),
  };
  const here = useRef({ down, across, wide });
  here.current = { down, across, wide };

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (size.value = { width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    // On a scaled track a turn of the wheel would leap: it moves the cells, and the bar follows.
    const turn = (event: WheelEvent): void => {
      const { down: track } = here.current;
      if (!track.scaled || event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      const lines = event.deltaMode === 1 ? ROW : event.deltaMode === 2 ? track.view : 1;
      event.preventDefault();
      go(offset.value.x, offset.value.y + event.deltaY * lines);
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', turn);
    };
  }, []);
  useLayoutEffect(() => {
    if (size.value.height > 0) onArea(area);
  }, [area.row, area.rowEnd, area.column, area.columnEnd, rows, columns, size.value.height > 0]);
  useLayoutEffect(() => {
    selection.value = null;
  }, [rows, columns]);

  const go = (left: number, above: number): void => {
    const element = scroller.current;
    const { down: vertical, across: horizontal } = here.current;
    offset.value = { x: within(horizontal, left), y: within(vertical, above) };
    if (!element) return;
    element.scrollLeft = placeOf(horizontal, offset.value.x);
    element.scrollTop = placeOf(vertical, offset.value.y);
    expected.current = element.scrollTop;
  };
  const scrolled = (): void => {
    const element = scroller.current;
    if (!element) return;
    const ours = down.scaled && Math.abs(element.scrollTop - expected.current) < 1;
    offset.value = { x: offsetAt(across, element.scrollLeft), y: ours ? offset.value.y : offsetAt(down, element.scrollTop) };
  };
  const select = (next: Selection): void => {
    selection.value = next;
    const { row, column } = next.focus;
    go(showing(across, x, column * wide, (column + 1) * wide), showing(down, y, row * ROW, (row + 1) * ROW));
  };
  const cellAt = (event: PointerEvent): Cell => {
    const box = scroller.current?.getBoundingClientRect();
    const place = (at: number, track: Track, step: number, last: number): number => clamp(Math.floor(clamp(at, track.total - 1) / step), last);
    return {
      row: place(event.clientY - (box?.top ?? 0) - top + y, down, ROW, rows - 1),
      column: place(event.clientX - (box?.left ?? 0) - side + x, across, wide, columns - 1),
    };
  };
  const press = (event: KeyboardEvent): void => {
    const { value: selected } = selection;
    const ctrl = event.ctrlKey || event.metaKey;
    if (event.altKey) return;
    if (ctrl && event.key.toLowerCase() === 'c' && selected) onCopy(areaOf(selected));
    else if (event.key === 'Escape' && selected) selection.value = null;
    else {
      const next = selectionAfter(selected, { key: event.key, shift: event.shiftKey, ctrl }, { rows, columns }, Math.max(1, Math.floor(down.view / ROW) - 1));
      if (!next) return;
      if (ctrl && event.key.toLowerCase() === 'a') selection.value = next;
      else select(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0 || rows === 0 || columns === 0 || isOnBar(event, scroller.current)) return;
    const focus = cellAt(event);
    selection.value = { anchor: event.shiftKey && selection.value ? selection.value.anchor : focus, focus };
    dragging.current = true;
    scroller.current?.setPointerCapture(event.pointerId);
  };
  const drag = (event: PointerEvent): void => {
    if (dragging.current && selection.value) select({ anchor: selection.value.anchor, focus: cellAt(event) });
  };
  const marked = selection.value && areaOf(selection.value);
  const focus = selection.value?.focus;
  return (
    <div
      class="grid"
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows}
      aria-colcount={columns}
      aria-multiselectable="true"
      {...(focus ? { 'aria-activedescendant': `${id}-${focus.row}-${focus.column}` } : {})}
      data-testid="grid"
      onScroll={scrolled}
      onKeyDown={press}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={() => (dragging.current = false)}
      onPointerCancel={() => (dragging.current = false)}
    >
      <div class="track" style={{ width: `${side + across.length}px`, height: `${top + down.length}px` }} />
      <div class="sight" style={{ width: `${size.value.width}px`, height: `${size.value.height}px` }}>
        {firstColumn !== null && (
          <div class="line head" role="row" style={{ height: `${HEAD}px` }}>
            <span class="corner" style={{ width: `${side}px` }} />
            {places(area.column, area.columnEnd).map((column) => (
              <span key={column} role="columnheader" class={marked && column >= marked.column && column < marked.columnEnd ? 'marked' : ''} style={{ left: `${side + column * wide - x}px`, width: `${wide}px` }}>
                {firstColumn + column}
              </span>
            ))}
          </div>
        )}
        {places(area.row, area.rowEnd).map((row) => (
          <div key={row} class="line" role="row" aria-rowindex={row + 1} style={{ top: `${top + row * ROW - y}px`, height: `${ROW}px` }}>
            {firstRow !== null && <span role="rowheader" class={marked && row >= marked.row && row < marked.rowEnd ? 'marked' : ''} style={{ width: `${side}px` }}>{firstRow + row}</span>}
            {places(area.column, area.columnEnd).map((column) => {
              const look = cell(row, column);
              const isMarked = marked !== null && row >= marked.row && row < marked.rowEnd && column >= marked.column && column < marked.columnEnd;
              return (
                <span
                  key={column}
                  id={`${id}-${row}-${column}`}
                  role="gridcell"
                  aria-colindex={column + 1}
                  aria-selected={isMarked}
                  class={classOf(look, isMarked, focus?.row === row && focus.column === column)}
                  title={look?.title}
                  style={{ left: `${side + column * wide - x}px`, width: `${wide}px`, ...heatStyle(look?.heat ?? null) }}
                >
                  {look?.text ?? ''}
                </span>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

function places(begin: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - begin) }, (_, i) => begin + i);
}

function classOf(look: CellLook | null, marked: boolean, focus: boolean): string {
  return ['cell', look?.odd && 'odd', look?.left && 'left', look === null && 'absent', marked && 'marked', focus && 'focus'].filter(Boolean).join(' ');
}

function heatStyle(heat: Heat | null): { background?: string } {
  return heat ? { background: `rgb(var(--heat-${heat.sign}) / ${(0.04 + 0.56 * heat.share).toFixed(3)})` } : {};
}

/** On a scroll bar, where a press scrolls and selects nothing. */
function isOnBar(event: PointerEvent, element: HTMLElement | null): boolean {
  if (!element) return true;
  const box = element.getBoundingClientRect();
  return event.clientX - box.left >= element.clientWidth || event.clientY - box.top >= element.clientHeight;
}
