import { useSignal } from '@preact/signals';
import type { Cell } from '@insight-host/api';
import { copyTable } from '@insight-host/kit';
import { ordered, rowsOf, Table, turned, type Column, type Sort } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { DataPanel, type PanelProps } from './data_panel';
import { useMetrics } from './metrics';
import { MOST_TAGS } from './panels';
import { cellText } from './scatter';
import { chosenTags, emptiness } from './choice';

const WIDTHS = { run: 126, value: 92 } as const;
const LINE = 26; // pixels

interface Row {
  readonly run: string;
  readonly cells: readonly (Cell | null)[];
}

/** A row for each run, a column for each tag: its last value. */
export function LastValues(props: PanelProps): JSX.Element {
  const { board, panel } = props;
  const { page } = board;
  const chosen = chosenTags(panel, board.tags.runsByTag.value.keys());
  const tags = chosen.slice(0, MOST_TAGS);
  const answer = useMetrics(
    board,
    tags.map((tag) => `last/${tag}`),
  );
  const sorts = useSignal<readonly Sort[]>([]);
  const runs = page.runs.value;
  const rows = useMemo(() => {
    const found = runs.map(({ name }): Row => ({
      run: name,
      cells: (answer.values ?? []).map((values) => values.get(name) ?? null),
    }));
    return found.filter(({ cells }) => cells.some((cell) => cell !== null));
  }, [answer.values, runs]);
  const inOrder = ordered(rows, sorts.value, (row, key) =>
    key === 'run' ? row.run : (row.cells[Number(key)] ?? null),
  );
  const runColumn: Column<Row> = {
    key: 'run',
    title: page.t('table.run'),
    kind: 'text',
    width: WIDTHS.run,
    grows: true,
    cell: ({ run }) => ({
      content: (
        <>
          <i class="swatch" style={{ background: page.colorOf(run) }} />
          {page.nameOf(run)}
        </>
      ),
      title: run,
    }),
    value: ({ run }) => run,
  };
  const columns = tags.map((tag, at): Column<Row> => ({
    key: String(at),
    title: page.titleOf(tag),
    kind: 'number',
    width: WIDTHS.value,
    grows: true,
    cell: ({ cells }) => ({ content: cells[at] === null || cells[at] === undefined ? '' : cellText(cells[at]) }),
    value: ({ cells }) => cells[at] ?? null,
  }));
  const head = [page.t('table.run'), ...tags.map((tag) => page.titleOf(tag))];
  const data = { head, rows: inOrder.map(({ run, cells }) => [run, ...cells]) };
  const hidden = chosen.length - tags.length;
  const empty = emptiness(panel, board.tags.runsByTag.value.keys());
  const status = [
    page.t('panel.runs', { count: rows.length }),
    page.t('panel.of.last.short'),
    ...(empty ? [page.t(empty.key, { reason: empty.reason })] : []),
    ...(hidden > 0 ? [page.t('panel.more_tags', { count: hidden })] : []),
  ];
  return (
    <DataPanel {...props} answer={answer} data={() => data} status={status}>
      <div class="table">
        <Table<Row>
          name="panel-table"
          label={page.titleOf(props.card.tag)}
          rows={rowsOf(inOrder)}
          frozen={[runColumn]}
          columns={columns}
          rowHeight={LINE}
          idOf={({ run }) => run}
          sort={{ by: sorts.value, turn: (key, more) => (sorts.value = turned(sorts.value, key, more, key !== 'run')) }}
          onCopyRows={(table, all) => void copyTable(page, table, all)}
        />
      </div>
    </DataPanel>
  );
}
