/** The run list as a table: columns, order by several of them, groups. */
import { captured, NAME_PART } from '../coloring/grouping';
import { copyTable } from '@insight-host/kit';
import { type Column, type GroupStep, RunTable as KitTable, stepsOf } from '@insight-host/kit/runs';
import type { CellLook, Sort, Widths } from '@insight-host/kit/table';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Run } from '@insight-host/api';
import type { ColumnView } from '../state/late';
import { recall, remember } from '../state/browser';
import { type Page, usePage } from '../state/page';
import { pressed, withRows } from '../state/selection';
import { RunLabel } from '../views/run_list';
import { cellOf } from './cells';
import { ColumnChooser, RunTableTools } from './column_tools';
import { Completion, CompletionList } from './completion';
import { RunColumns, words } from './run_columns';
import styles from './run_table.css?inline';
import { addStyles } from '../views/parts';

export function columnView(page: Page): ColumnView {
  addStyles(styles);
  const columns = new RunColumns(page);
  const completion = new Completion(columns);
  return {
    columns,
    Table: () => <RunTable columns={columns} />,
    Tools: RunTableTools,
    Chooser: () => <ColumnChooser columns={columns} />,
    completion,
    Completions: () => <CompletionList completion={completion} />,
  };
}

/** What this browser remembers of the table. */
function useRemembered<T>(key: string, first: T): { value: T } {
  const held = useSignal(first);
  return {
    get value() {
      return held.value;
    },
    set value(next) {
      held.value = next;
      remember('page', key, next instanceof Map ? [...next] : next);
    },
  };
}

function RunTable({ columns }: { readonly columns: RunColumns }) {
  const page = usePage();
  const { runs } = page;
  const t = page.t.value;
  const widths = useRemembered<Widths>(
    'run_table.widths',
    new Map(recall<[string, number][]>('page', 'run_table.widths', [])),
  );
  const showsEqual = useRemembered('run_table.equal', recall('page', 'run_table.equal', false));
  const anchor = useRef<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const frame = columns.frame.value;
  const offered = page.aboutOne.value;
  const one = page.oneOf(page.front.value?.name ?? '', runs).value ?? '';
  const selected = offered ? new Set([one]) : runs.selectedSet.value;
  const listed = offered ?? runs.rows.value;
  const only = (run: Run): void => (offered ? runs.one.set(run.name, 'push') : runs.selectOnly(run));
  const byName = useMemo(() => new Map(listed.map((run) => [run.name, run])), [listed]);
  const rows = useMemo(() => Int32Array.from(listed, (run) => frame.rowOf.get(run.name) ?? -1), [listed, frame]);
  const shown = useComputed(() => columns.shown.value.flatMap(({ key }) => columns.frame.value.columns.get(key) ?? []));
  const group = columns.group.value;
  const groups = useMemo(() => stepsOfRuns(page, columns, frame.runs), [group, frame, runs.sort.value]);
  const folded = useMemo(() => new Set(columns.folded.value), [columns.folded.value]);
  const runAt = (row: number): Run | undefined => byName.get(frame.runs[row] ?? '');
  const lineOf = (element: Element | null): Run | undefined =>
    byName.get(element?.closest<HTMLElement>('[role=row]')?.dataset['run'] ?? '');
  /** Enter selects a run alone; F2 renames. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const active = document.getElementById((event.target as HTMLElement).getAttribute('aria-activedescendant') ?? '');
    const run = lineOf(active);
    const box = active?.closest('[role=row]')?.querySelector<HTMLInputElement>('.group-label input');
    if (event.key === 'Enter' && run) only(run);
    else if (event.key === 'Enter' && box) box.click();
    else if (event.key === 'F2' && run && page.session.annotations.writable.value) page.naming.value = run.name;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const by = runs.sort.value.flatMap((key): Sort | never[] =>
    key === 'name' ? { key, down: false } : /^[+-]/.test(key) ? { key: key.slice(1), down: key.startsWith('-') } : [],
  );
  return (
    <div
      ref={place}
      class="kit ih-runs-table"
      onKeyDownCapture={onKeyDown}
      onDblClick={(event) => {
        const run = lineOf(event.target as Element);
        if (run) only(run);
      }}
    >
      <KitTable
        name="run-table"
        label={t('runs')}
        say={(key, values) => words(page, key as Parameters<typeof words>[1], values)}
        frame={frame}
        columns={shown.value}
        rows={rows}
        groups={groups}
        folded={folded}
        onFold={({ id, open }) => {
          const others = columns.folded.value.filter((one) => one !== id);
          columns.folded.set(open ? [...others, id] : others);
        }}
        title={t('runs.sort.name')}
        runKey="name"
        nameOf={(row) => runAt(row)?.displayName ?? frame.runs[row] ?? ''}
        run={(row, short) => {
          const run = runAt(row);
          return (
            run && (
              <RunLabel
                run={run}
                short={short}
                selected={selected.has(run.name)}
                naming={page.naming.value === run.name}
                onNamed={() => place.current?.querySelector<HTMLElement>('[role$=grid]')?.focus()}
              />
            )
          );
        }}
        hint={(row) => frame.runs[row] ?? ''}
        selected={selected}
        onSelect={(names, on) => {
          const own = names.flatMap((name) => byName.get(name) ?? []);
          if (offered && own[0]) only(own[0]);
          else runs.select(withRows(selected, own, on));
        }}
        onPick={(row, range, inSight) => {
          const run = runAt(row);
          if (!run) return;
          if (page.comparing.value?.pick(run.name)) return;
          if (offered) return only(run);
          const others = inSight.flatMap((one) => runAt(one) ?? []);
          const next = pressed(selected, range ? others : listed, run.name, range ? anchor.current : null);
          runs.select(next.selected);
          anchor.current = next.anchor;
        }}
        onPoint={(own) => page.hovered.set(own ? Array.from(own, (row) => frame.runs[row] as string) : [])}
        cell={(column, row) => drawn(columns, column, frame.runs[row] as string)}
        sort={{
          by,
          hint: words(page, 'rt.sort.hint'),
          turn: (key, more) =>
            key === 'name' ? runs.sort.set(by[0]?.key === 'name' ? ['time'] : ['name']) : columns.turn(key, more),
        }}
        widths={widths}
        showsEqual={showsEqual}
        lineClass={(row) => (runAt(row)?.archived ? 'ih-archived' : '')}
        onMove={(key, before) => columns.move(key, before?.name ?? null)}
        onHide={(key) => columns.choose(key, false)}
        onCopyRows={(table, all) => void copyTable(copying(page), table, all)}
      />
      {listed.length === 0 && runs.all.value.length > 0 && <p class="ih-muted ih-run-none">{t('runs.none')}</p>}
    </div>
  );
}

/** What a table that is copied needs of the page. */
const copying = (page: Page): Parameters<typeof copyTable>[0] => ({
  ctx: { notify: (level, text) => page.toasts.show(level, text) },
  t: (key, values) => words(page, key as Parameters<typeof words>[1], values),
});

/** The groups that a row is in: by its directories, by parts of its name, or by columns; null: none. */
export function stepsOfRuns(
  page: Page,
  columns: RunColumns,
  runs: readonly string[],
): ((row: number) => readonly GroupStep[]) | null {
  const { value: group } = columns.group;
  if (group.includes('path'))
    return (row) =>
      (runs[row] ?? '')
        .split('/')
        .slice(0, -1)
        .map((part) => ({ id: part, title: part }));
  const by = group.flatMap((key) => columns.frame.value.columns.get(key) ?? []);
  const titleOf = ({ title }: Column, text: string | null): string => `${title}: ${text ?? '–'}`;
  const downwards = page.runs.sort.value.flatMap((key) => (key.startsWith('-') ? key.slice(1) : []));
  const ofColumns = by.length > 0 ? stepsOf(by, titleOf, downwards) : null;
  const partsOf = group.flatMap((key) => (key.startsWith(NAME_PART) ? captured(key.slice(NAME_PART.length)) : []));
  if (partsOf.length === 0) return ofColumns;
  return (row) => {
    const parts = partsOf.map((partOf) => partOf(runs[row] ?? '') ?? '–');
    return [...parts.map((part) => ({ id: part, title: part })), ...(ofColumns?.(row) ?? [])];
  };
}

/** A cell that a plugin has drawn; undefined: it is a text. */
function drawn(columns: RunColumns, { name }: Column, run: string): CellLook | undefined {
  const column = columns.columnOf(name);
  const value = column?.look && cellOf(column, run);
  if (!column || value === undefined || value === null) return undefined;
  const shown = column.look?.cell(value, run);
  if (typeof shown === 'string' || !shown) return undefined;
  return { content: <Drawn element={shown} />, title: columns.text(column, value) };
}

/** An element that a plugin has made. */
function Drawn({ element }: { readonly element: Element }) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => host.current?.replaceChildren(element), [element]);
  return <div ref={host} />;
}
