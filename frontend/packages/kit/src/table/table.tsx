import { addStylesFirst, FINGER, isPhone, linesInSight, showing, useSize } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Column, Rows, TableProps, Value } from './contract';
import { BAND, Head, resize } from './head';
import { clamp, isEven, layoutOf, useSight, type Widths } from './layout';
import { columnOf, Line } from './line';
import { areaOf, at, FIRST, selectionAfter, type Area, type Cell, type Selection } from './selection';
import styles from './table.css?inline';

const NONE: readonly never[] = [];
// rows; places of lines are counted from a multiple of it, because a browser has no ten billion pixels
const BASE = 1000;
const NUDGE = 16; // pixels of a column's width, by key

/**
 * A table of any length and width, of which only what is in sight exists: one layer that stays in the window, over a
 * track that scrolls.
 *
 * Keys: arrows, Page Up and Down, Home and End move; Shift extends; Enter or F2 opens, Space picks, `s` sorts by the
 * column (Shift: too), Alt and arrows change its width, with Shift its place, Delete hides it, Ctrl+A marks everything,
 * Ctrl+C copies exact values.
 */
export function Table<R>(given: TableProps<R>): JSX.Element {
  return <Sized {...given} rowHeight={heightOf(given)} />;
}

/** The table, with rows as high as this window needs them. */
function Sized<R>(given: TableProps<R>): JSX.Element {
  const { name, label, rows, columns, frozen = NONE, rowHeight, heads = true, onCopyCells, question = '' } = given;
  useTableStyles();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller).value;
  const own = useSignal<Widths>(new Map());
  const widths = given.widths ?? own;
  const layout = useMemo(
    () => layoutOf(frozen, columns, widths.value, size.width),
    [frozen, columns, widths.value, size.width],
  );
  const banded = heads && !isEven(columns) && columns.some(({ band }) => band);
  const head = (heads ? rowHeight : 0) + (banded ? BAND : 0);
  const sight = useSight(scroller, size, {
    width: layout.total,
    height: rows.count * rowHeight,
    side: layout.side,
    head,
  });
  const { x, y, across, down } = sight;
  const selection = useSignal<Selection | null>(onCopyCells ? null : at(FIRST));
  const isDragging = useRef(false);
  const [row, rowEnd] = linesInSight(y, down.view, rowHeight, rows.count);
  const from = layout.count > 0 ? layout.columnAt(x) : 0;
  const end = layout.count > 0 && across.view > 0 ? layout.columnAt(x + across.view - 1) + 1 : from;
  const base = Math.floor(row / BASE) * BASE;
  const extent = { rows: rows.count, columns: frozen.length + layout.count };
  const first = onCopyCells ? frozen.length : 0; // frozen cells are not part of a selection of cells

  useLayoutEffect(() => {
    if (size.height > 0) rows.look?.({ row, rowEnd, column: from, columnEnd: end });
  }, [rows.count, row, rowEnd, from, end, size.height > 0]);
  useLayoutEffect(() => {
    const last = rows.count - 1;
    if (onCopyCells) selection.value = null;
    else if (selection.value && selection.value.focus.row > last)
      selection.value = at({ ...selection.value.focus, row: Math.max(0, last) });
  }, [rows.count, layout.count]);
  const reset = useRef(question);
  useLayoutEffect(() => {
    if (reset.current === question) return;
    reset.current = question;
    selection.value = onCopyCells ? null : at(FIRST);
    sight.go(x, 0);
  }, [question]);

  const show = ({ row: line, column }: Cell): void => {
    const scrolled = column - frozen.length;
    const left =
      scrolled < 0
        ? x
        : showing(across, x, layout.leftOf(scrolled), layout.leftOf(scrolled) + layout.widthOf(scrolled));
    sight.go(left, showing(down, y, line * rowHeight, (line + 1) * rowHeight));
  };
  const select = (next: Selection): void => {
    selection.value = next;
    show(next.focus);
    if (!onCopyCells) given.onPoint?.(rows.at(next.focus.row));
  };
  const cellAt = (event: PointerEvent | MouseEvent): Cell => {
    const box = scroller.current?.getBoundingClientRect();
    const pixel = event.clientX - (box?.left ?? 0) - layout.side + x;
    return {
      row: clamp(Math.floor((event.clientY - (box?.top ?? 0) - head + y) / rowHeight), rows.count - 1),
      column: frozen.length + layout.columnAt(Math.max(0, pixel)),
    };
  };
  const copy = (): void => {
    const area = selection.value && areaOf(selection.value);
    if (!area) return;
    if (onCopyCells) onCopyCells(shifted(area, -frozen.length));
    else if (!isEven(columns))
      given.onCopyRows?.(exactTable([...frozen, ...columns], rows, area.row, area.rowEnd), area.rowEnd - area.row);
  };
  const open = ({ row: place, column }: Cell): void => {
    const line = rows.at(place);
    if (line === null) return;
    const button =
      column < frozen.length ? null : document.getElementById(`${id}-${place}-${column}`)?.querySelector('button');
    if (button) button.click();
    else if (given.onOpen) given.onOpen(line);
    else given.onPick?.(line, false);
  };
  /** Whether the key means something here. */
  const press = (event: KeyboardEvent): boolean => {
    const { value: selected } = selection;
    const focus = selected?.focus ?? FIRST;
    const ctrl = event.ctrlKey || event.metaKey;
    const line = rows.at(focus.row);
    const column = columnOf(given, focus.column);
    const key = event.key.toLowerCase();
    if (event.altKey) {
      if (ctrl || !column || isEven(columns) || (key !== 'arrowleft' && key !== 'arrowright')) return false;
      const scrolled = focus.column - frozen.length;
      if (event.shiftKey) {
        const to = scrolled + (key === 'arrowleft' ? -1 : 1);
        if (!given.onMove || scrolled < 0 || to < 0 || to >= columns.length) return false;
        given.onMove(column.key, to);
        select(at({ ...focus, column: frozen.length + to }));
        return true;
      }
      resize(
        widths,
        column.key,
        (widths.value.get(column.key) ?? column.width) + (key === 'arrowleft' ? -NUDGE : NUDGE),
      );
    } else if (ctrl && key === 'c') {
      if (!selected || (!onCopyCells && !given.onCopyRows)) return false;
      copy();
    } else if (key === 'escape') {
      if (!selected || !isWide(selected, onCopyCells !== undefined)) return false;
      selection.value = onCopyCells ? null : at(focus);
    } else if (!ctrl && !onCopyCells && (key === 'enter' || key === 'f2')) open(focus);
    else if (
      !ctrl &&
      given.tree &&
      focus.column === 0 &&
      line !== null &&
      given.line?.(line, focus.row).expanded === (key === 'arrowleft') &&
      (key === 'arrowleft' || key === 'arrowright')
    )
      given.onPick?.(line, false);
    else if (!ctrl && key === ' ' && line !== null && given.onPick) given.onPick(line, event.shiftKey);
    else if (!ctrl && key === ' ' && line !== null && given.onOpen) given.onOpen(line);
    else if (key === 'delete' && given.onHide && column && focus.column >= frozen.length) given.onHide(column.key);
    else if (!ctrl && key === 's' && given.sort && column && column.sorts !== false)
      given.sort.turn(column.key, event.shiftKey);
    else {
      const page = Math.max(1, Math.floor(down.view / rowHeight) - 1);
      const local = selected && onCopyCells ? moved(selected, -first) : selected;
      const next = selectionAfter(
        local,
        { key: event.key, shift: event.shiftKey, ctrl },
        { ...extent, columns: extent.columns - first },
        page,
        !onCopyCells,
      );
      if (!next) return false;
      if (ctrl && key === 'a') selection.value = moved(next, first);
      else select(moved(next, first));
    }
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current || !press(event)) return; // keys of a field in a cell are the field's
    event.preventDefault();
    event.stopPropagation();
  };
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0 || rows.count === 0 || layout.count === 0 || isOnBar(event, scroller.current)) return;
    const focus = cellAt(event);
    if (!onCopyCells) {
      if (event.clientY >= (scroller.current?.getBoundingClientRect().top ?? 0) + head)
        selection.value = at({ ...focus, column: columnUnder(event) ?? focus.column });
      return;
    }
    selection.value = { anchor: event.shiftKey && selection.value ? selection.value.anchor : focus, focus };
    if (event.pointerType === 'touch') return; // a finger that moves scrolls
    isDragging.current = true;
    scroller.current?.setPointerCapture(event.pointerId);
  };
  const focus = selection.value?.focus;
  const shown = { given, id, layout, from, end };
  return (
    <div
      ref={scroller}
      class={['grid', onCopyCells && 'cells', given.busy && 'busy', given.class].filter(Boolean).join(' ')}
      role={given.tree ? 'treegrid' : 'grid'}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.count + Number(heads)}
      aria-colcount={extent.columns}
      aria-multiselectable="true"
      aria-busy={given.busy}
      {...(focus && focus.row < rows.count ? { 'aria-activedescendant': `${id}-${focus.row}-${focus.column}` } : {})}
      data-testid={name}
      data-rows={rows.count}
      {...(isPhone.value && rowHeight === FINGER ? { style: { '--line': `${FINGER - 1}px` } } : {})}
      onScroll={sight.onScroll}
      onKeyDown={onKeyDown}
      onPointerDown={begin}
      onPointerMove={(event) =>
        isDragging.current && selection.value && select({ anchor: selection.value.anchor, focus: cellAt(event) })
      }
      onPointerUp={() => (isDragging.current = false)}
      onPointerCancel={() => (isDragging.current = false)}
      {...(given.onPoint ? { onPointerLeave: () => given.onPoint?.(null) } : {})}
    >
      <div class="track" style={{ width: `${layout.side + across.length}px`, height: `${head + down.length}px` }} />
      <div
        class="sight"
        role="presentation"
        style={{
          width: `${size.width}px`,
          height: `${size.height}px`,
          '--scrolled': `${layout.side + layout.leftOf(from) - x}px`,
        }}
      >
        {heads && (
          <Head {...shown} banded={banded} widths={widths} marked={selection.value && areaOf(selection.value)} />
        )}
        <div class="body" role="presentation" style={{ top: `${head + base * rowHeight - y}px` }}>
          {Array.from({ length: Math.max(0, rowEnd - row) }, (_, i) => {
            const place = row + i;
            const line = given.idOf ? rows.at(place) : null;
            return (
              <Line
                key={line !== null && given.idOf ? given.idOf(line) : place}
                {...shown}
                place={place}
                top={(place - base) * rowHeight}
                selection={selection}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The height of a row that is pressed, in pixels: on a phone a finger needs more. */
export const pressedHeight = (rowHeight: number): number => (isPhone.value ? Math.max(FINGER, rowHeight) : rowHeight);

function heightOf<R>({ rowHeight, onPick, onOpen, sort }: TableProps<R>): number {
  return onPick || onOpen || sort ? pressedHeight(rowHeight) : rowHeight;
}

function shifted(area: Area, by: number): Area {
  return { ...area, column: area.column + by, columnEnd: area.columnEnd + by };
}

function moved({ anchor, focus }: Selection, by: number): Selection {
  const cell = (place: Cell): Cell => ({ ...place, column: place.column + by });
  return { anchor: cell(anchor), focus: cell(focus) };
}

/** Whether Escape has something to give up: a selection of cells, or more than one row. */
function isWide({ anchor, focus }: Selection, cells: boolean): boolean {
  return cells || anchor.row !== focus.row;
}

function columnUnder(event: PointerEvent): number | null {
  const cell = event.target instanceof Element ? event.target.closest('[aria-colindex]') : null;
  return cell ? Number(cell.getAttribute('aria-colindex')) - 1 : null;
}

/** On a scroll bar, where a press scrolls and selects nothing. */
function isOnBar(event: PointerEvent, element: HTMLElement | null): boolean {
  if (!element) return true;
  const box = element.getBoundingClientRect();
  return event.clientX - box.left >= element.clientWidth || event.clientY - box.top >= element.clientHeight;
}

/** Keeps the rules of tables in the page while there is one. */
function useTableStyles(): void {
  useLayoutEffect(() => addStylesFirst(styles), []);
}

/** A head and the rows `[first, end)`; rows that are not loaded yet are left out. */
export function exactTable<R>(
  columns: readonly Column<R>[],
  rows: Rows<R>,
  first = 0,
  end = rows.count,
): readonly (readonly Value[])[] {
  const given = columns.filter((column) => column.value);
  const table: (readonly Value[])[] = [given.map(({ title }) => title)];
  for (let place = first; place < end; place++) {
    const row = rows.at(place);
    if (row !== null) table.push(given.map((column) => column.value?.(row) ?? null));
  }
  return table;
}
