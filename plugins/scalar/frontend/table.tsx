import { byName, copyTable, message, valueText } from '@insight-host/kit';
import {
  exactTable,
  ordered,
  rowsOf,
  Table,
  TableFiles,
  turned,
  useWidths,
  type CellLook,
  type Column,
  type Sort,
} from '@insight-host/kit/table';
import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ScalarParts } from './board';
import { summary, type SortKey, type SummaryRow } from './feed/series';
import { useGeneration, wholeQuery } from './panels/metrics';

const COLUMNS: readonly SortKey[] = ['tag', 'last', 'step', 'min', 'minStep', 'max', 'maxStep', 'points'];

/** Run by tag: last, smallest and largest value of each, exact. */
export function SummaryTable({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const found = useSignal<readonly SummaryRow[]>([]);
  const error = useSignal<string | null>(null);
  const sorts = useSignal<readonly Sort[]>([{ key: 'tag', down: false }]);
  const wanted = useComputed(() =>
    JSON.stringify(
      board.filter.shown.value.map((tag) => [tag, board.tags.runsByTag.value.get(tag)?.map((run) => run.name)]),
    ),
  );
  const generation = useGeneration(board);
  useEffect(() => {
    const stop = new AbortController();
    load(board, stop.signal).then(
      (rows) => {
        found.value = rows;
        error.value = null;
      },
      (reason: unknown) => {
        if (!stop.signal.aborted) error.value = message(reason);
      },
    );
    return () => stop.abort();
  }, [wanted.value, board.attempts.value, generation]);
  const rows = useMemo(
    () => rowsOf(ordered(found.value, sorts.value, (row, key) => row[key as SortKey])),
    [found.value, sorts.value],
  );
  const [runs, columns] = useMemo(
    () => [[columnOf(board, 'run')], COLUMNS.map((key) => columnOf(board, key))],
    [locale],
  );
  return (
    <div class="table">
      <div class="row between">
        <span class="count">{say('table.rows', { count: rows.count })}</span>
        <TableFiles page={board.page} name="scalars" table={() => exactTable([...runs, ...columns], rows)} />
      </div>
      {error.value && (
        <p class="problem" role="alert">
          {error.value}
        </p>
      )}
      <Table<SummaryRow>
        name="compare-table"
        label={say('show.table')}
        rows={rows}
        frozen={runs}
        columns={columns}
        rowHeight={28}
        widths={useWidths(board.page.ctx.memory, 'summary')}
        idOf={({ run, tag }) => `${run}\n${tag}`}
        sort={{
          by: sorts.value,
          turn: (key, more) => (sorts.value = turned(sorts.value, key, more, key !== 'run' && key !== 'tag')),
        }}
        line={({ run }) => ({ data: { 'hover-run': run } })}
        onPoint={(row) => board.page.ctx.runs.hover(row ? [row.run] : [])}
        onCopyRows={(table, all) => void copyTable(board.page, table, all)}
      />
    </div>
  );
}

const WIDTHS: Readonly<Record<SortKey, number>> = {
  run: 200,
  tag: 180,
  last: 100,
  step: 96,
  min: 100,
  minStep: 78,
  max: 100,
  maxStep: 78,
  points: 78,
};

function columnOf(board: ScalarParts, key: SortKey): Column<SummaryRow> {
  const count = (n: number | bigint): string => (Number.isNaN(n) ? '' : n.toLocaleString(board.page.locale.value));
  const isName = key === 'run' || key === 'tag';
  const cell = (row: SummaryRow): CellLook => {
    if (key === 'run') return { content: <RunName board={board} run={row.run} />, title: row.run };
    if (key === 'tag') return { content: board.page.titleOf(row.tag), title: board.page.titleOf(row.tag) };
    return { content: key === 'last' || key === 'min' || key === 'max' ? valueText(row[key]) : count(row[key]) };
  };
  return {
    key,
    title: board.page.t(`table.${key}`),
    kind: isName ? 'text' : 'number',
    width: WIDTHS[key],
    grows: key === 'tag',
    cell,
    value: (row) => row[key],
  };
}

function RunName({ board, run }: { readonly board: ScalarParts; readonly run: string }): JSX.Element {
  return (
    <>
      <i class="swatch" style={{ background: board.page.runsByName.value.get(run)?.color ?? 'gray' }} />
      {board.page.nameOf(run)}
    </>
  );
}

/** One column of the plot is enough: its smallest, largest and last value are exact. */
async function load(board: ScalarParts, signal: AbortSignal): Promise<SummaryRow[]> {
  const { source } = board.feeds;
  const found = await Promise.all(
    [...board.filter.shown.value].sort(byName).map((tag) => {
      return source.current(wholeQuery(board, tag), board.tags.runNames(tag), {
        signal,
        urgency: () => 1e6,
      });
    }),
  );
  return found.flatMap((series) => series.map(summary).sort((a, b) => byName(a.run, b.run)));
}
