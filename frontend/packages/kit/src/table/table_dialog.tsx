import { Button, copyTable, csvOf, Dialog, fileName, Segments, valueText, type Page } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { ordered, rowsOf, turned, type Column, type Sort, type Value } from './contract';
import { pressedHeight, Table } from './table';

const LINE = 26; // pixels
const MOST_LINES = 20;
const LOOKED_AT = 200; // rows whose texts count for the width

/** What a chart draws: a head, and rows of exact values. */
export interface ChartData {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

export interface TableDialogProps {
  readonly page: Page;
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  readonly data: ChartData;
  readonly onClose: () => void;
}

type Row = readonly Value[];

/** What a chart draws, as a table to read, sort, copy and save. */
export function TableDialog({ page, name, title, data, onClose }: TableDialogProps): JSX.Element {
  const { head, rows } = data;
  const sorts = useSignal<readonly Sort[]>([]);
  const [first, columns] = useMemo(() => {
    const all = head.map((_, at) => columnOf(data, at));
    return [all.slice(0, 1), all.slice(1)];
  }, [data]);
  const inOrder = useMemo(
    () => ordered(rows, sorts.value, (row, key) => row[Number(key)] ?? null),
    [rows, sorts.value],
  );
  const shown = useMemo(() => rowsOf(inOrder), [inOrder]);
  const lines = Math.min(MOST_LINES, rows.length) + 1;
  return (
    <Dialog name="table" title={title} onClose={onClose}>
      <div class="row between">
        <span class="count">{page.t('table.lines', { count: rows.length })}</span>
        <TableFiles page={page} name={name} table={() => [head, ...inOrder]} />
      </div>
      <div class="table-place" style={{ height: `${lines * pressedHeight(LINE) + 16}px` }}>
        <Table<Row>
          name="chart-table"
          label={title}
          rows={shown}
          frozen={first}
          columns={columns}
          rowHeight={LINE}
          sort={{ by: sorts.value, turn: (key, more) => (sorts.value = turned(sorts.value, key, more, false)) }}
          onCopyRows={(table, all) => void copyTable(page, table, all)}
        />
      </div>
    </Dialog>
  );
}

function columnOf({ head, rows }: ChartData, at: number): Column<Row> {
  const title = head[at] as string;
  const looked = rows.slice(0, LOOKED_AT);
  const letters = looked.reduce((most, row) => Math.max(most, textOf(row[at] ?? null).length), title.length + 2);
  const isNumber =
    looked.some((row) => typeof row[at] === 'number' || typeof row[at] === 'bigint') &&
    !looked.some((row) => typeof row[at] === 'string');
  const cell = (row: Row): { content: string; title: string } => ({
    content: textOf(row[at] ?? null),
    title: String(row[at] ?? ''),
  });
  return {
    key: String(at),
    title,
    kind: isNumber ? 'number' : 'text',
    width: Math.min(320, Math.max(70, letters * 8 + 26)),
    grows: true,
    cell,
    value: (row) => row[at] ?? null,
  };
}

function textOf(value: Value): string {
  if (value === null) return '–';
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? valueText(value)
    : String(value).replace(/^-(?=\d)/, '−');
}

export interface TableFilesProps {
  readonly page: Page;
  /** Of the file. */
  readonly name: string;
  /** Head and rows, exact; asked when a button is pressed. */
  readonly table: () => readonly (readonly Value[])[];
}

/** Buttons that copy a table and save it as CSV. */
export function TableFiles({ page, name, table }: TableFilesProps): JSX.Element {
  const { t: say } = page;
  const save = (): void =>
    page.ctx.ui.download(fileName(name, 'csv', 'table'), new Blob([csvOf(table())], { type: 'text/csv' }));
  return (
    <span class="table-files">
      <Button
        action="copy-table"
        icon="copy"
        text={say('table.copy')}
        label={say('table.copy')}
        onPress={() => void copyTable(page, table())}
      />
      <Button action="save-table" icon="export" text={say('table.csv')} label={say('table.csv')} onPress={save} />
    </span>
  );
}

/** The tabs of the group of this one as its modes, all in sight; nothing for a tab that stands alone. */
export function Modes({ page }: { readonly page: Page }): JSX.Element | null {
  const modes = useMemo(() => page.follow(page.ctx.modes), [page]).value;
  if (modes.length < 2) return null;
  return (
    <Segments
      name="mode"
      label={modes[0]?.title ?? ''}
      value={page.ctx.name}
      options={modes.map(({ plugin, title }) => ({ value: plugin, text: title }))}
      onPick={(plugin) => void page.ctx.open(plugin)}
    />
  );
}
