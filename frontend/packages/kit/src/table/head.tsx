import type { JSX, TargetedPointerEvent } from 'preact';
import { drag } from '@insight-host/kit/lab';
import type { Column } from './contract';
import { clamp, isEven, NARROWEST, WIDEST, type Widths } from './layout';
import { columnOf, type Shown } from './line';
import type { Area } from './selection';

export const BAND = 20; // pixels over the heads

export interface HeadProps<R> extends Shown<R> {
  readonly banded: boolean;
  readonly widths: { value: Widths };
  readonly marked: Area | null;
}

/** The heads of the columns: a press sorts, with Shift by several columns; the edge changes the width. */
export function Head<R>({ given, id, layout, from, end, banded, widths, marked }: HeadProps<R>): JSX.Element {
  const { frozen = [], rowHeight } = given;
  const start = layout.leftOf(from);
  /** Drags a head along the others; the press of a button in it stays a press within the slop. */
  const carry = (event: TargetedPointerEvent<HTMLElement>, key: string): void => {
    const carried = event.currentTarget;
    const row = carried.parentElement?.getBoundingClientRect();
    const rest = (): void => {
      carried.style.translate = '';
      carried.classList.remove('carried');
    };
    drag(event, {
      slop: 6,
      move: (_, dx) => {
        carried.style.translate = `${dx}px`;
        carried.classList.add('carried');
      },
      end: (last, moved) => {
        rest();
        if (moved) given.onMove?.(key, layout.columnAt(Math.max(0, last.clientX - (row?.left ?? 0) + start)));
      },
      cancel: rest,
    });
  };
  const head = (at: number, left: number, width: number): JSX.Element => {
    const column = columnOf(given, at) as Column<R>;
    const isMarked = marked !== null && given.onCopyCells && at >= marked.column && at < marked.columnEnd;
    const direction = given.sort ? directionOf(given, column) : undefined;
    return (
      <div
        key={column.key}
        id={`${id}-head-${at}`}
        role="columnheader"
        class={['cell', column.kind, at < frozen.length && 'stays', isMarked && 'marked'].filter(Boolean).join(' ')}
        aria-colindex={at + 1}
        aria-sort={direction}
        data-column={column.key}
        title={column.hint}
        style={{ left: `${left}px`, width: `${width}px` }}
        {...(given.onMove && at >= frozen.length ? { onPointerDown: (event) => carry(event, column.key) } : {})}
      >
        {column.tool}
        {given.sort && column.sorts !== false ? (
          <button
            type="button"
            tabIndex={-1}
            class="sort"
            data-action="sort"
            title={given.sort.hint && [column.hint, given.sort.hint].filter(Boolean).join('\n')}
            onClick={(event) => given.sort?.turn(column.key, event.shiftKey)}
          >
            <HeadText column={column} />
            {direction !== 'none' && <span class="arrow">{direction === 'ascending' ? '▲' : '▼'}</span>}
          </button>
        ) : (
          <HeadText column={column} />
        )}
        {!isEven(given.columns) && <Edge column={column.key} width={width} widths={widths} />}
      </div>
    );
  };
  return (
    <div
      class={banded ? 'line head banded' : 'line head'}
      role="row"
      aria-rowindex={1}
      style={{ height: `${rowHeight + (banded ? BAND : 0)}px` }}
    >
      {layout.frozen.map(({ left, width }, at) => head(at, left, width))}
      <div class="scrolled" role="presentation">
        {banded && <Bands given={given} layout={layout} from={from} end={end} />}
        {Array.from({ length: end - from }, (_, i) =>
          head(frozen.length + from + i, layout.leftOf(from + i) - start, layout.widthOf(from + i)),
        )}
      </div>
    </div>
  );
}

function HeadText<R>({ column }: { readonly column: Column<R> }): JSX.Element {
  return (
    <span class="name">
      {column.title}
      {column.small && <small>{column.small}</small>}
    </span>
  );
}

/** What columns that stand side by side have in common, over the heads of those in sight. */
function Bands<R>({ given, layout, from, end }: Pick<HeadProps<R>, 'given' | 'layout' | 'from' | 'end'>): JSX.Element {
  const start = layout.leftOf(from);
  const bandOf = (at: number): string => columnOf(given, (given.frozen?.length ?? 0) + at)?.band ?? '';
  const bands: { readonly text: string; readonly from: number; end: number }[] = [];
  for (let at = from; at < end; at++) {
    const [text, last] = [bandOf(at), bands.at(-1)];
    if (last?.text === text) last.end = at + 1;
    else bands.push({ text, from: at, end: at + 1 });
  }
  return (
    <>
      {bands.map((band, at) => (
        <span
          key={band.from}
          class={at === 0 ? 'band first' : 'band'}
          aria-hidden="true"
          style={{
            left: `${layout.leftOf(band.from) - start}px`,
            width: `${layout.leftOf(band.end) - layout.leftOf(band.from)}px`,
            height: `${BAND}px`,
            '--side': `${layout.side}px`,
          }}
        >
          {band.text}
        </span>
      ))}
    </>
  );
}

function directionOf<R>({ sort }: Shown<R>['given'], column: Column<R>): 'ascending' | 'descending' | 'none' {
  const by = sort?.by.find(({ key }) => key === column.key);
  return by ? (by.down ? 'descending' : 'ascending') : 'none';
}

/** Sets the width of a column, within limits; null gives it back its own. */
export function resize(widths: { value: Widths }, key: string, width: number | null): void {
  const next = new Map(widths.value);
  if (width === null) next.delete(key);
  else next.set(key, Math.max(NARROWEST, clamp(Math.round(width), WIDEST)));
  widths.value = next;
}

interface EdgeProps {
  readonly column: string;
  readonly width: number;
  readonly widths: { value: Widths };
}

/** The right edge of a head: a drag changes the width of the column, a double click resets it. */
function Edge({ column, width, widths }: EdgeProps): JSX.Element {
  return (
    <span
      class="edge"
      role="separator"
      aria-orientation="vertical"
      onClick={(event) => event.stopPropagation()}
      onDblClick={() => resize(widths, column, null)}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.preventDefault();
        const before = widths.value;
        drag(event, { move: (_, dx) => resize(widths, column, width + dx), cancel: () => (widths.value = before) });
      }}
    />
  );
}
