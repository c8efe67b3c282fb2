/** A table of the server with its tools: search, unit, columns, CSV. */
import { Download } from '@insight-host/kit';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Row, TableAnswer } from '../answers/table';
import type { TimeUnit } from '../units';
import { columnsOf, type View } from './cells';
import { Grid } from './grid';
import type { TableSettings } from './settings';
import { ColumnChooser, Search, UnitChoice } from './tools';
import { useRows } from './use_rows';

export interface ServerTableProps<A extends TableAnswer> {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly label: string;
  readonly route: string;
  readonly query: Readonly<Record<string, string | number | boolean | null>>;
  readonly settings: TableSettings;
  /** By which it is sorted when nobody says; a minus for the largest first. */
  readonly sort: string;
  /** Names of columns in the order in which they stand first; others follow. */
  readonly order?: readonly string[];
  /** Shown only when they are chosen. */
  readonly hidden?: readonly string[];
  readonly unitFor?: (answer: A) => number | null;
  readonly tools?: ComponentChildren;
  /** Above the table, below its tools. */
  readonly above?: (answer: A, unit: TimeUnit) => ComponentChildren;
  /** Called with what the server says, once for each answer. */
  readonly onAnswer?: (answer: A) => void;
  readonly status?: (answer: A, unit: TimeUnit) => string;
  readonly views?: Readonly<Record<string, View>>;
  readonly widths?: Readonly<Record<string, number>>;
  readonly titles?: Readonly<Record<string, string>>;
  readonly onOpen?: (row: Row, answer: A) => void;
  readonly isOpen?: (row: Row, answer: A) => boolean;
}

/** The value of a column in a row. */
export function valueOf(answer: Pick<TableAnswer, 'columns'>, row: Row, name: string): Row[number] {
  const at = answer.columns.findIndex((column) => column.name === name);
  return at < 0 ? null : (row[at] ?? null);
}

export function ServerTable<A extends TableAnswer>(props: ServerTableProps<A>): JSX.Element {
  const {
    board,
    name,
    label,
    route,
    settings,
    sort,
    order = [],
    hidden = [],
    views = {},
    widths = {},
    titles = {},
  } = props;
  const { t: say } = board.page;
  const { rows, question, query } = useRows<A>(board, route, { ...props.query, ...settings.ask(sort) });
  const answer = rows.head.value;
  useEffect(() => {
    if (answer) props.onAnswer?.(answer);
  }, [answer]);
  const longest = answer ? (props.unitFor?.(answer) ?? longestOf(answer)) : null;
  const unit = board.units.of(
    `${name}-${question.length > 0 ? JSON.stringify(props.query['by'] ?? props.query['group'] ?? '') : ''}`,
    longest,
  );
  const known = answer?.columns ?? [];
  const inOrder = useMemo(() => {
    const place = (column: string): number => (order.includes(column) ? order.indexOf(column) : order.length);
    return [...known].sort((a, b) => place(a.name) - place(b.name));
  }, [known.map((column) => column.name).join()]);
  const chosen = settings.columns.value.filter((column) => known.some((one) => one.name === column));
  const shown =
    chosen.length > 0
      ? inOrder.filter((column) => chosen.includes(column.name)).map((column) => column.name)
      : inOrder.map((column) => column.name).filter((column) => !hidden.includes(column));
  const columns = columnsOf({
    columns: known,
    shown,
    unit,
    locale: board.page.locale.value,
    say,
    has: (key) => say(key) !== key,
    views,
    widths,
    titles,
  });
  const { onOpen, isOpen } = props;
  const error = rows.error.value;
  return (
    <section class="table-view" aria-label={label}>
      <div class="table-tools" role="toolbar" aria-label={label}>
        {props.tools}
        {settings.fields.length > 0 && (
          <Search board={board} settings={settings} name={name} error={rows.waits.value ? null : error} />
        )}
        <span class="count" data-testid={`${name}-count`}>
          {answer && (props.status?.(answer, unit) ?? say('rows.shown', { shown: answer.total, count: answer.of }))}
        </span>
        <span class="ends">
          <UnitChoice board={board} />
          <ColumnChooser board={board} settings={settings} columns={inOrder} shown={shown} />
          <Download
            label={say('export.csv')}
            href={board.page.ctx.data.href(route, { ...query, columns: shown.join(','), format: 'csv' })}
          />
        </span>
      </div>
      {error !== null && (
        <p class={rows.waits.value ? 'hint waits' : 'problem'} role="status">
          {error}{' '}
          {!rows.waits.value && (
            <button type="button" data-action="retry" onClick={() => rows.retry()}>
              {say('retry')}
            </button>
          )}
        </p>
      )}
      {answer && props.above?.(answer, unit)}
      {answer ? (
        answer.total === 0 ? (
          <p class="nothing" data-testid="no-rows">
            {say(answer.of > 0 ? 'rows.no_match' : 'rows.none')}
          </p>
        ) : (
          <Grid
            board={board}
            name={name}
            label={label}
            rows={rows}
            columns={columns}
            sort={settings.sorted(sort)}
            onSort={({ key, kind }) => settings.turn(key, kind === 'text', sort)}
            question={question}
            busy={rows.busy.value}
            {...(onOpen ? { onOpen: (row: Row) => onOpen(row, answer) } : {})}
            {...(isOpen ? { isOpen: (row: Row) => isOpen(row, answer) } : {})}
          />
        )
      ) : (
        error === null && <div class="waiting" aria-busy="true" />
      )}
    </section>
  );
}

/** The longest time of the rows that are here. */
function longestOf({ columns, rows }: TableAnswer): number | null {
  const times = columns.flatMap(({ unit }, at) => (unit === 'ns' ? [at] : []));
  let longest = 0;
  for (const row of rows) for (const at of times) longest = Math.max(longest, Math.abs(Number(row[at] ?? 0)));
  return longest > 0 ? longest / 5 : null;
}
