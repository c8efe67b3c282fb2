import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { LABELS } from './axes';
import type { LineageBoard } from './board';
import { Cell } from './cells';
import { between, placed, ROW_HEIGHT, RUN_WIDTH, type Placed } from './columns';
import { summaryOf, type RowGroup } from './ordering';
import { TableHead } from './table_head';

const OVERSCAN = 4;
const CELL = 'lineage-cell'; // that keys act on

/** The runs that brushes left, one below the other; only what is in sight is drawn. */
export function Table({ board }: { readonly board: LineageBoard }): JSX.Element {
  const say = board.t.bind(board);
  const scroller = useRef<HTMLDivElement>(null);
  const sight = useSignal({ left: 0, top: 0, width: 800, height: 400 });
  const active = useSignal<number>(0);
  const current = useSignal<string | null>(null); // the column of the cell that keys act on; null is the run
  const look = (): void => {
    const element = scroller.current;
    if (element) sight.value = { left: element.scrollLeft, top: element.scrollTop, width: element.clientWidth, height: element.clientHeight };
  };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const columns = board.table.value;
  const all = useMemo(() => placed(columns), [columns]);
  const wide = RUN_WIDTH + (all.at(-1)?.left ?? 0) + (all.at(-1)?.width ?? 0);
  const lines = board.lines.value;
  const { left, top, width, height } = sight.value;
  const inSight = between(all, left - 100, left + width);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - OVERSCAN);
  const last = Math.min(lines.length, Math.ceil((top + height - ROW_HEIGHT) / ROW_HEIGHT) + OVERSCAN);
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(lines.length - 1, to));
    active.value = at;
    const element = scroller.current;
    if (!element) return;
    const y = at * ROW_HEIGHT;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + 2 * ROW_HEIGHT > element.scrollTop + element.clientHeight) element.scrollTop = y + 2 * ROW_HEIGHT - element.clientHeight;
    pointTo(board, lines[at]);
  };
  const turn = (by: number): void => {
    const at = Math.max(-1, Math.min(all.length - 1, all.findIndex(({ column }) => column.name === current.value) + by));
    const cell = all[at];
    current.value = cell?.column.name ?? null;
    const element = scroller.current;
    if (!element) return;
    const room = element.clientWidth - RUN_WIDTH;
    if (!cell || cell.left < element.scrollLeft) element.scrollLeft = cell?.left ?? 0;
    else if (cell.left + cell.width > element.scrollLeft + room) element.scrollLeft = cell.left + cell.width - room;
  };
  const open = (line: number | undefined): void => {
    const button = scroller.current?.querySelector<HTMLElement>(`#${CELL} button`);
    if (button) button.click();
    else press(board, line);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return; // a field in a cell
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 2);
    const { value: at } = active;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: lines.length - 1 }[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') turn(event.key === 'ArrowLeft' ? -1 : 1);
    else if (event.key === 'Enter' || event.key === 'F2') open(lines[at]);
    else if (event.key === ' ') press(board, lines[at]);
    else if (event.key.toLowerCase() === 's') board.turnSort(current.value ?? 'run', event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={scroller}
      class="runs-table"
      role="grid"
      tabIndex={0}
      aria-label={say('table.label')}
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={lines.length === 0 ? undefined : current.value === null ? `lineage-line-${Math.min(active.value, lines.length - 1)}` : CELL}
      data-testid="runs-table"
      data-rows={board.rows.value.length}
      onScroll={look}
      onKeyDown={onKeyDown}
      onPointerLeave={() => (board.pointed.value = null)}
    >
      <div class="sheet" style={{ width: `${wide}px`, height: `${(lines.length + 1) * ROW_HEIGHT}px` }}>
        <TableHead board={board} columns={inSight} />
        {[...lines.subarray(first, last)].map((line, at) => {
          const place = first + at;
          const group = line < 0 ? board.rowGroups.value?.[-line - 1] : undefined;
          const common = { board, columns: inSight, place, active: place === active.value, current: current.value };
          if (line >= 0) return <RowLine key={`r${line}`} {...common} row={line} />;
          return group ? <GroupLine key={`g${group.key}`} {...common} group={group} /> : null;
        })}
      </div>
    </div>
  );
}

function pointTo(board: LineageBoard, line: number | undefined): void {
  board.pointed.value = line !== undefined && line >= 0 ? line : null;
}

/** Ticks a run, or opens and closes a group. */
function press(board: LineageBoard, line: number | undefined): void {
  if (line === undefined) return;
  if (line >= 0) board.toggleRun(board.frame.value?.runs[line] as string);
  else board.toggleGroup(board.rowGroups.value?.[-line - 1]?.key ?? '');
}

interface LineProps {
  readonly board: LineageBoard;
  readonly columns: readonly Placed[];
  readonly place: number;
  readonly active: boolean;
  /** The column of its cell that keys act on, if it is active. */
  readonly current: string | null;
}

// Not a transform: a list that opens in a cell is placed in the window.
const lineStyle = (place: number): { readonly top: string } => ({ top: `${(place + 1) * ROW_HEIGHT}px` });

function RowLine({ board, columns, place, active, current, row }: LineProps & { readonly row: number }): JSX.Element {
  const run = board.frame.value?.runs[row] as string;
  const selected = board.selectedNames.value.has(run);
  const name = board.nameOf(run);
  const { palette, codes } = board.coloring.value;
  const classes = ['line', active && 'active', selected && 'selected', board.pointed.value === row && 'pointed'].filter(Boolean).join(' ');
  return (
    <div id={`lineage-line-${place}`} class={classes} role="row" aria-rowindex={place + 2} aria-selected={selected} data-run={run} style={lineStyle(place)} onPointerEnter={() => (board.pointed.value = row)}>
      <div class="run-cell" role="rowheader" title={name === run ? run : `${name}\n${run}`} onClick={() => board.toggleRun(run)}>
        <input type="checkbox" tabIndex={-1} checked={selected} aria-label={board.t('run.select', { run: name })} />
        <span class="dot" style={{ background: palette[codes[row] ?? 0] }} />
        <span class={name === run ? 'name' : 'name given'}>{name}</span>
      </div>
      {columns.map(({ column, left, width }) => (
        <Cell key={column.name} {...(active && column.name === current ? { id: CELL } : {})} board={board} column={column} row={row} run={run} left={RUN_WIDTH + left} width={width} />
      ))}
    </div>
  );
}

function GroupLine({ board, columns, place, active, group }: LineProps & { readonly group: RowGroup }): JSX.Element {
  const closed = board.closedGroups.value.has(group.key);
  const say = board.t.bind(board);
  return (
    <div id={`lineage-line-${place}`} class={active ? 'line heading active' : 'line heading'} role="row" aria-rowindex={place + 2} aria-expanded={!closed} data-group={group.text ?? ''} style={lineStyle(place)}>
      <button type="button" tabIndex={-1} class="run-cell" onClick={() => board.toggleGroup(group.key)}>
        <span class="fold">{closed ? '▸' : '▾'}</span>
        <span class="name">{group.text ?? say('value.none')}</span>
        <span class="count">{group.rows.length.toLocaleString(board.locale.value)}</span>
      </button>
      {columns.map(({ column, left, width }) => {
        const summary = column.isNumeric && !LABELS.includes(column.name) ? summaryOf(column, group.rows) : null;
        return (
          <div key={column.name} role="gridcell" class="cell number" data-column={column.name} style={{ left: `${RUN_WIDTH + left}px`, width: `${width}px` }} title={summary ? say('group.range', { low: column.numberText(summary.low), high: column.numberText(summary.high), count: summary.count }) : ''}>
            {summary && `⌀ ${column.numberText(summary.mean)}`}
          </div>
        );
      })}
    </div>
  );
}
