/** The run list as a table: columns, order by several of them, groups. */
import { Icon, message } from '@insight-host/kit';
import type { Column, Sort, Widths } from '@insight-host/kit/table';
import { signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Run } from '@insight-host/api';
import { recall, remember } from '../state/memory';
import { type Page, usePage } from '../state/page';
import { pressed, triState, withRows } from '../state/selection';
import { RunLabel } from '../views/run_row';
import { Completion, CompletionList } from './completion';
import { cellOf } from './cells';
import { RunColumns, type ShownColumn } from './run_columns';
import { RunTableTools } from './table_tools';
import { type GroupLine, linesOf, pathOf, type TableLine } from './tree';
import { words } from './words';
import styles from './run_table.css?inline';
import { addStyles } from '../views/styles';

const LINE = 28; // pixels
type Tables = typeof import('@insight-host/kit/table');

/** The columns of the run list, and the table that shows them. */
export interface ColumnView {
  readonly columns: RunColumns;
  readonly Table: typeof RunTable;
  readonly Tools: typeof RunTableTools;
  readonly completion: Completion;
  readonly Completions: typeof CompletionList;
}

export function columnView(page: Page): ColumnView {
  addStyles(styles);
  const columns = new RunColumns(page);
  const completion = new Completion(columns);
  return { columns, Table: RunTable, Tools: RunTableTools, completion, Completions: CompletionList };
}

const tables = signal<Tables | null>(null);

export function RunTable({ columns }: { readonly columns: RunColumns }) {
  const page = usePage();
  useEffect(() => {
    if (tables.peek()) return;
    import('@insight-host/kit/table').then(
      (loaded) => (tables.value = loaded),
      (cause: unknown) => page.toasts.show('error', message(cause)),
    );
  }, []);
  return <div class="kit ih-runs-table">{tables.value && <Loaded tables={tables.value} columns={columns} />}</div>;
}

function Loaded({ tables: { Table, rowsOf }, columns }: { readonly tables: Tables; readonly columns: RunColumns }) {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const widths = useSignal<Widths>(new Map(recall<[string, number][]>('page', 'run_table.widths', [])));
  const anchor = useRef<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const selected = runs.selectedSet.value;
  const lines = useComputed(() => linesOf(runs.rows.value, pathOf(columns), new Set(columns.folded.value))).value;
  const rows = useMemo(() => rowsOf(lines), [lines]);
  const isGrouped = columns.group.value.length > 0;

  const fold = ({ id, open }: GroupLine): void => {
    const others = columns.folded.value.filter((one) => one !== id);
    columns.folded.set(open ? [...others, id] : others);
  };
  const press = (run: Run, range: boolean): void => {
    const shown = lines.flatMap((line) => (line.kind === 'run' ? line.run : []));
    const next = pressed(selected, shown, run.name, range ? anchor.current : null);
    runs.select(next.selected);
    anchor.current = next.anchor;
  };
  const lineOf = (element: Element | null): TableLine | undefined => {
    const { run, group } = element?.closest<HTMLElement>('[role=row]')?.dataset ?? {};
    return lines.find((line) => (line.kind === 'run' ? line.run.name === run : line.id === group));
  };
  /** Enter selects a run alone, or all runs of a group; F2 renames. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const grid = event.target as HTMLElement;
    const line = lineOf(document.getElementById(grid.getAttribute('aria-activedescendant') ?? ''));
    if (event.key === 'Enter' && line?.kind === 'run') runs.selectOnly(line.run);
    else if (event.key === 'Enter' && line?.kind === 'group') tick(line);
    else if (event.key === 'F2' && line?.kind === 'run' && page.session.annotations.writable.value)
      page.naming.value = line.run.name;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const tick = (line: GroupLine): void =>
    runs.select(withRows(selected, line.runs, triState(selected, line.runs) !== 'all'));
  const name: Column<TableLine> = {
    key: 'name',
    title: t('runs.sort.name'),
    kind: 'text',
    width: 250,
    cell: (line) => ({
      content:
        line.kind === 'group' ? (
          <GroupLabel line={line} onFold={() => fold(line)} onTick={() => tick(line)} />
        ) : (
          <span class="ih-run-label" style={isGrouped ? { paddingLeft: `${(line.level - 1) * 16}px` } : {}}>
            <RunLabel
              run={line.run}
              selected={selected.has(line.run.name)}
              naming={page.naming.value === line.run.name}
              onNamed={() => place.current?.querySelector<HTMLElement>('[role$=grid]')?.focus()}
            />
          </span>
        ),
    }),
    value: (line) => (line.kind === 'run' ? line.run.name : line.title),
  };
  const by = runs.sort.value.flatMap((key): Sort | never[] =>
    key === 'name' ? { key, down: false } : /^[+-]/.test(key) ? { key: key.slice(1), down: key.startsWith('-') } : [],
  );
  return (
    <div
      ref={place}
      class="ih-runs-grid"
      onKeyDownCapture={onKeyDown}
      onDblClick={(event) => {
        const line = lineOf(event.target as Element);
        if (line?.kind === 'run') runs.selectOnly(line.run);
      }}
    >
      <Table<TableLine>
        name="run-table"
        label={t('runs')}
        rows={rows}
        frozen={[name]}
        columns={columns.shown.value.map((column) => tableColumn(columns, column))}
        rowHeight={LINE}
        idOf={(line) => (line.kind === 'run' ? `run ${line.run.name}` : `group ${line.id}`)}
        tree={isGrouped}
        line={(line) =>
          line.kind === 'group'
            ? { class: 'ih-group-line', expanded: line.open, level: line.level, data: { group: line.id } }
            : {
                class: line.run.archived ? 'ih-archived' : '',
                selected: selected.has(line.run.name),
                data: { run: line.run.name, 'hover-run': line.run.name },
                title: line.run.name,
                ...(isGrouped ? { level: line.level } : {}),
              }
        }
        sort={{
          by,
          hint: words(page, 'columns.sort.hint'),
          turn: (key, more) =>
            key === 'name' ? runs.sort.set(by[0]?.key === 'name' ? ['time'] : ['name']) : columns.turn(key, more),
        }}
        widths={{
          get value() {
            return widths.value;
          },
          set value(next) {
            widths.value = next;
            remember('page', 'run_table.widths', [...next]);
          },
        }}
        onPick={(line, range) => (line.kind === 'group' ? fold(line) : press(line.run, range))}
        onPoint={(line) =>
          page.hovered.set(!line ? [] : line.kind === 'run' ? [line.run.name] : line.runs.map(({ name }) => name))
        }
        onMove={(key, to) => columns.move(key, to)}
        onHide={(key) => columns.choose(key, false)}
      />
      {lines.length === 0 && runs.all.value.length > 0 && <p class="ih-muted ih-run-none">{t('runs.none')}</p>}
    </div>
  );
}

/** The heading of a group, with a box for all its runs. */
interface GroupLabelProps {
  readonly line: GroupLine;
  readonly onFold: () => void;
  readonly onTick: () => void;
}

function GroupLabel({ line, onFold, onTick }: GroupLabelProps) {
  const page = usePage();
  const { runs } = page;
  const selected = runs.selectedSet.value;
  const state = triState(selected, line.runs);
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some';
  });
  return (
    <span class="ih-run-label" style={{ paddingLeft: `${(line.level - 1) * 16}px` }}>
      <button
        type="button"
        class="ih-fold"
        tabIndex={-1}
        aria-label={words(page, line.open ? 'group.fold' : 'group.open', { group: line.title })}
        onClick={(event) => {
          event.stopPropagation();
          onFold();
        }}
      >
        <Icon name={line.open ? 'open' : 'closed'} />
      </button>
      <input
        ref={box}
        type="checkbox"
        class="ih-checkbox"
        tabIndex={-1}
        checked={state === 'all'}
        aria-label={words(page, 'group.all', { group: line.title })}
        onClick={(event) => event.stopPropagation()}
        onChange={onTick}
      />
      <span class="ih-run-name">
        <span class="ih-run-head">{line.title}</span>
      </span>
      <span class="ih-muted">{line.runs.length.toLocaleString()}</span>
    </span>
  );
}

function tableColumn(columns: RunColumns, column: ShownColumn): Column<TableLine> {
  const isNumber = column.kind === 'number' || column.kind === 'duration';
  return {
    key: column.key,
    title: column.title,
    hint: column.key,
    kind: isNumber ? 'number' : 'text',
    width: column.kind === 'time' ? 160 : 110,
    cell: (line) => {
      if (line.kind === 'group') return { content: isNumber ? meanText(columns, column, line.runs) : '' };
      const value = cellOf(column, line.run.name);
      if (value === undefined) return { content: '' };
      const plain = columns.text(column, value);
      const shown = column.look?.cell(value, line.run.name) ?? plain;
      return { content: typeof shown === 'string' ? shown : <Drawn element={shown} />, title: plain };
    },
    value: (line) => (line.kind === 'run' ? (cellOf(column, line.run.name) ?? null) : null),
  };
}

/** The mean over the runs of a group with a finite value. */
function meanText(columns: RunColumns, column: ShownColumn, runs: readonly Run[]): string {
  const values = runs.map((run) => cellOf(column, run.name)).filter((value) => typeof value === 'number');
  if (values.length === 0) return '';
  return `⌀ ${columns.text(column, values.reduce((sum, value) => sum + value, 0) / values.length)}`;
}

/** An element that a plugin has made. */
function Drawn({ element }: { readonly element: Element }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => host.current?.replaceChildren(element), [element]);
  return <div ref={host} />;
}
