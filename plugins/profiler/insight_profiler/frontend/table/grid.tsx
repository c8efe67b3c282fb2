import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ProfilerBoard } from '../board';
import type { Row } from '../contract';
import type { TimeUnit } from '../units';
import { cellText, valueWithUnit, type Column } from './cells';
import type { Rows } from './rows';
import type { Sort } from './settings';

const LINE = 28; // px
const OVERSCAN = 6;

export interface GridProps {
  readonly board: ProfilerBoard;
  readonly name: string;
  readonly label: string;
  readonly rows: Rows;
  readonly columns: readonly Column[];
  readonly unit: TimeUnit;
  readonly sort?: Sort;
  readonly onSort?: (column: Column) => void;
  /** A press on a row, or Enter. */
  readonly onOpen?: (row: Row) => void;
  readonly isOpen?: (row: Row) => boolean;
  /** What names what is shown: when it changes the table begins at its top. */
  readonly question?: string;
  readonly busy?: boolean;
}

/** Rows one below the other, their heads always in sight; only what is in sight is drawn and asked for. */
export function Grid({ board, name, label, rows, columns, unit, sort, onSort, onOpen, isOpen, question = '', busy = false }: GridProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const sight = useSignal({ top: 0, height: 400 });
  const active = useSignal(0);
  const look = (): void => {
    const element = scroller.current;
    if (element) sight.value = { top: element.scrollTop, height: element.clientHeight };
  };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    active.value = 0;
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [question]);
  const { total } = rows;
  const first = Math.max(0, Math.floor(sight.value.top / LINE) - OVERSCAN);
  const last = Math.min(total, Math.ceil((sight.value.top + sight.value.height) / LINE) + OVERSCAN);
  useEffect(() => rows.look(first, last));
  const template = columns.map(({ width, isNumber }, at) => (at === 0 && !isNumber ? `minmax(${width}px, 1fr)` : `${width}px`)).join(' ');
  const wide = columns.reduce((sum, { width }) => sum + width, 0);
  const move = (to: number): void => {
    active.value = Math.max(0, Math.min(total - 1, to));
    const element = scroller.current;
    if (!element) return;
    const y = active.value * LINE;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + 2 * LINE > element.scrollTop + element.clientHeight) element.scrollTop = y + 2 * LINE - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor(sight.value.height / LINE) - 2);
    const { value: at } = active;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: total - 1 }[event.key];
    if (to !== undefined) move(to);
    else if ((event.key === 'Enter' || event.key === ' ') && onOpen) {
      const row = rows.row(at);
      if (row) onOpen(row);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const locale = board.locale.value;
  return (
    <div
      ref={scroller}
      class={busy ? 'grid busy' : 'grid'}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-activedescendant={total > 0 ? `profiler-${name}-${active.value}` : undefined}
      data-testid={`grid-${name}`}
      data-rows={total}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div class="sheet" style={{ minWidth: `${wide}px`, height: `${(total + 1) * LINE}px` }}>
        <div class="line head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {columns.map((column) => (
            <Head key={column.name} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => {
          const at = first + i;
          const row = rows.row(at);
          const open = row !== null && isOpen?.(row) === true;
          return (
            <div
              key={at}
              id={`profiler-${name}-${at}`}
              class={['line', at === active.value && 'active', open && 'open', onOpen && 'opens'].filter(Boolean).join(' ')}
              role="row"
              aria-rowindex={at + 2}
              aria-selected={open}
              data-row={at}
              style={{ top: `${(at + 1) * LINE}px`, gridTemplateColumns: template }}
              onClick={() => {
                active.value = at;
                if (row && onOpen) onOpen(row);
              }}
            >
              {columns.map((column, place) => {
                const value = row?.[column.at] ?? null;
                const text = row ? cellText(value, column.unit, unit, locale) : '';
                return (
                  <div key={column.name} role={place === 0 ? 'rowheader' : 'gridcell'} class={column.isNumber ? 'cell number' : 'cell'} data-column={column.name} title={row && !column.view ? valueWithUnit(value, column.unit, locale) : undefined}>
                    {row && column.view ? column.view(value, row, unit) : text}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  readonly column: Column;
  readonly sort: Sort | undefined;
  readonly onSort: ((column: Column) => void) | undefined;
}

function Head({ column, sort, onSort }: HeadProps): JSX.Element {
  const direction = sort?.column !== column.name ? 'none' : sort.down ? 'descending' : 'ascending';
  return (
    <div class={column.isNumber ? 'cell number' : 'cell'} role="columnheader" data-column={column.name} aria-sort={direction} title={column.hint}>
      {onSort ? (
        <button type="button" class="sort" tabIndex={-1} data-action="sort" onClick={() => onSort(column)}>
          <span class="name">{column.title}</span>
          {direction !== 'none' && <span class="arrow">{direction === 'ascending' ? '▲' : '▼'}</span>}
        </button>
      ) : (
        <span class="name">{column.title}</span>
      )}
    </div>
  );
}
