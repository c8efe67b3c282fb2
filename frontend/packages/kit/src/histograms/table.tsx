import type { JSX } from 'preact';
import type { Reason } from '@insight-host/api';
import { useMemo } from 'preact/hooks';
import { copyTable, durationText, exactAt, timeText, valueText, type Page } from '@insight-host/kit';
import { rowsOf, Table, useWidths, type CellLook, type Column } from '@insight-host/kit/table';
import type { HistogramError, Histograms } from './answer';

export interface HistogramTableProps {
  readonly page: Page;
  readonly found: Histograms;
  /** Index of the row under the pointer in the chart. */
  readonly marked: number | null;
  readonly onRow: (row: number | null) => void;
}

type Entry = { readonly row: number } | { readonly error: HistogramError };

/** Statistics of every row; unreadable records are listed in step order. */
export function HistogramTable({ page, found, marked, onRow }: HistogramTableProps): JSX.Element {
  const locale = page.locale.value;
  const rows = useMemo(() => rowsOf(entriesOf(found)), [found]);
  const [first, columns] = useMemo(() => {
    const all = columnsOf(page, found);
    return [all.slice(0, 1), all.slice(1)];
  }, [found, locale]);
  return (
    <Table<Entry>
      name="histogram-table"
      class="histogram-table"
      label={page.t('histogram.table')}
      rows={rows}
      frozen={first}
      columns={columns}
      rowHeight={22}
      widths={useWidths(page.ctx.memory, 'histograms')}
      line={(entry) =>
        'row' in entry
          ? {
              class: entry.row === marked ? 'pointed' : '',
              title: timeText(found.wallTimes[entry.row] as number, locale),
            }
          : { class: 'error', data: { testid: 'histogram-error' } }
      }
      onPoint={(entry) => onRow(entry && 'row' in entry ? entry.row : null)}
      onCopyRows={(table, all) => void copyTable(page, table, all)}
    />
  );
}

function columnsOf(page: Page, found: Histograms): readonly Column<Entry>[] {
  const locale = page.locale.value;
  const number = <N extends number | bigint>(
    key: string,
    title: string,
    width: number,
    of: (row: number) => N,
    text: (value: N) => string,
    look?: (value: N) => string,
  ): Column<Entry> => ({
    key,
    title,
    kind: 'number',
    width,
    cell: (entry) => ('row' in entry ? { content: text(of(entry.row)), class: look?.(of(entry.row)) } : NOTHING),
    value: (entry) => ('row' in entry ? of(entry.row) : null),
  });
  const count = (value: number | bigint): string => value.toLocaleString(locale);
  const value = (one: number): string => (Number.isNaN(one) ? '–' : valueText(one));
  const odd = (
    [
      ['NaN', found.nans],
      ['+Inf', found.posInfs],
      ['−Inf', found.negInfs],
    ] as const
  ).filter(([, column]) => column.some((many) => many > 0));
  const step = number('step', page.t('time.kind.step'), 56, (row) => exactAt(found.steps, row), count);
  const numbers = [
    ...(found.runs.length > 0
      ? []
      : [
          number(
            'relative',
            page.t('time.kind.relative'),
            70,
            (row) => (found.wallTimes[row] as number) - found.origin,
            (seconds) => durationText(seconds, locale, 4),
          ),
        ]),
    number('total', page.t('histogram.total'), 58, (row) => found.totals[row] as number, count),
    ...(['min', 'mean', 'max'] as const).map((name) =>
      number(name, page.t(`histogram.${name}`), 98, (row) => found[`${name}s`][row] as number, value),
    ),
    ...odd.map(([name, column]) =>
      number(
        name,
        name,
        60,
        (row) => column[row] as number,
        count,
        (many) => (many > 0 ? 'bad' : ''),
      ),
    ),
  ];
  return [
    ...(found.runs.length > 0 ? [runColumn(page, found)] : []),
    {
      ...step,
      cell: (entry) => ('row' in entry ? step.cell(entry) : { content: count(entry.error.step) }),
      value: (entry) => ('row' in entry ? exactAt(found.steps, entry.row) : entry.error.step),
    },
    // The reason of an unreadable record takes the room of its statistics.
    ...numbers.map((column, at): Column<Entry> =>
      at > 0
        ? column
        : {
            ...column,
            cell: (entry) =>
              'row' in entry
                ? column.cell(entry)
                : { content: causeOf(page, entry.error), title: page.reason(entry.error), class: 'reason' },
          },
    ),
  ];
}

const NOTHING: CellLook = { content: null };

function runColumn(page: Page, found: Histograms): Column<Entry> {
  const runOf = (entry: Entry): string => ('row' in entry ? (found.runs[entry.row] ?? '') : entry.error.run);
  return {
    key: 'run',
    title: page.t('histogram.run'),
    kind: 'text',
    width: 150,
    cell: (entry) => ({
      content: (
        <>
          <i class="swatch" style={{ background: page.colorOf(runOf(entry)) }} /> {page.nameOf(runOf(entry))}
        </>
      ),
      title: runOf(entry),
    }),
    value: runOf,
  };
}

/** Without the place, which the row says. */
function causeOf(page: Page, error: HistogramError): string {
  const cause = error.details?.['cause'];
  if (typeof cause === 'string') return cause;
  return page.reason((cause as Reason | undefined) ?? error);
}

function entriesOf(found: Histograms): Entry[] {
  const entries: (Entry & { readonly index: number })[] = Array.from(found.steps, (_, row) => ({
    row,
    index: found.runs.length > 0 ? row : (found.indices[row] as number),
  }));
  for (const error of found.errors) entries.push({ error, index: found.runs.length > 0 ? Infinity : error.index });
  return entries.sort((a, b) => a.index - b.index);
}
