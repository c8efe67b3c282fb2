import { computed, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Column, TableProps } from './contract';
import { isEven, type Layout } from './layout';
import { areaOf, type Selection } from './selection';

export interface Shown<R> {
  readonly given: TableProps<R>;
  readonly id: string;
  readonly layout: Layout;
  /** The columns that scroll and are in sight: `[from, end)`. */
  readonly from: number;
  readonly end: number;
}

export interface LineProps<R> extends Shown<R> {
  readonly place: number;
  readonly top: number;
  readonly selection: ReadonlySignal<Selection | null>;
}

const NONE: readonly never[] = [];

export function columnOf<R>({ frozen = NONE, columns }: TableProps<R>, at: number): Column<R> | undefined {
  if (at < frozen.length) return frozen[at];
  return isEven(columns) ? columns.at(at - frozen.length) : columns[at - frozen.length];
}

/** Of the cells of a line, the columns that are marked and the column that keys act on. */
interface Marks {
  readonly column: number;
  readonly columnEnd: number;
  readonly focus: number;
}

function marksOf(selection: Selection | null, place: number): Marks | null {
  if (!selection) return null;
  const { row, rowEnd, column, columnEnd } = areaOf(selection);
  return place < row || place >= rowEnd
    ? null
    : { column, columnEnd, focus: selection.focus.row === place ? selection.focus.column : -1 };
}

/** One row of a table; drawn again only if what it shows changes. */
export function Line<R>({ given, id, layout, from, end, place, top, selection }: LineProps<R>): JSX.Element {
  const { frozen = NONE, rows, rowHeight, heads = true, line, onOpen, onPick, onPoint, onCopyCells } = given;
  // A computed of a text: the other lines do not change when the selection moves.
  const marked = useMemo(
    () => computed(() => JSON.stringify(marksOf(selection.value, place))),
    [selection, place],
  ).value;
  const marks = JSON.parse(marked) as Marks | null;
  const row = rows.at(place);
  const look = row === null ? undefined : line?.(row, place);
  const isMarked = (column: number): boolean => marks !== null && column >= marks.column && column < marks.columnEnd;
  const cell = (at: number, left: number, width: number): JSX.Element => {
    const column = columnOf(given, at) as Column<R>;
    const stays = at < frozen.length;
    const shown = row === null ? null : column.cell(row);
    const classes = [
      'cell',
      column.kind,
      stays && 'stays',
      !shown && 'absent',
      onCopyCells && isMarked(at) && 'marked',
      marks?.focus === at && 'focus',
      shown?.class,
    ];
    return (
      <div
        key={column.key}
        id={`${id}-${place}-${at}`}
        role={stays ? 'rowheader' : 'gridcell'}
        class={classes.filter(Boolean).join(' ')}
        aria-colindex={at + 1}
        {...(onCopyCells && !stays ? { 'aria-selected': isMarked(at) } : {})}
        data-column={column.key}
        title={shown?.title}
        style={{ left: `${left}px`, width: `${width}px`, ...shown?.style }}
        {...(stays && onPick && row !== null ? { onClick: (event: MouseEvent) => onPick(row, event.shiftKey) } : {})}
      >
        {shown?.content}
      </div>
    );
  };
  const { data = {}, expanded, level, selected, title } = look ?? {};
  const start = layout.leftOf(from);
  return (
    <div
      class={['line', marks && !onCopyCells && 'active', onOpen && 'opens', look?.class].filter(Boolean).join(' ')}
      role="row"
      aria-rowindex={place + 1 + Number(heads)}
      aria-selected={onCopyCells ? undefined : (selected ?? false)}
      aria-expanded={expanded}
      aria-level={level}
      title={title}
      {...Object.fromEntries(Object.entries(data).map(([key, value]) => [`data-${key}`, value]))}
      style={{ top: `${top}px`, height: `${rowHeight}px` }}
      {...(onPoint ? { onPointerEnter: () => onPoint(row) } : {})}
      {...(onOpen && row !== null ? { onClick: () => onOpen(row) } : {})}
    >
      {layout.frozen.map(({ left, width }, at) => cell(at, left, width))}
      <div class="scrolled" role="presentation">
        {Array.from({ length: end - from }, (_, i) =>
          cell(frozen.length + from + i, layout.leftOf(from + i) - start, layout.widthOf(from + i)),
        )}
      </div>
    </div>
  );
}
