/** A table of the server, drawn as the host declares it, with its tools: filters, search, unit, columns, CSV. */
import { Choice, Download, type Setting } from '@insight-host/kit';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Row, TableAnswer, TableInfo } from '../answers/table';
import type { ProfilerParts } from '../board';
import type { TimeUnit } from '../units';
import { rowsText } from '../words';
import { columnsOf, Grid, type View } from './cells';
import { type Query, useRows } from './rows';
import { ColumnChooser, Search, UnitChoice } from './tools';

export interface ServerTableProps<A extends TableAnswer> {
  readonly board: ProfilerParts;
  /** Its name in the declarations of the host, which is that of its route. */
  readonly table: string;
  /** Goes into the question, besides what the declaration names and in its place. */
  readonly query?: Query;
  /** Values of filters, where not all that are declared make sense. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Settings that make no sense: filters without a choice, and nothing of them is asked. */
  readonly without?: readonly string[];
  /** Called with the choice of a filter, in place of setting it. */
  readonly onFilter?: (filter: Setting<string>, value: string) => void;
  readonly unitFor?: (answer: A) => number | null;
  /** Before and after the filters. */
  readonly first?: ComponentChildren;
  readonly tools?: ComponentChildren;
  /** Above the table, below its tools. */
  readonly above?: (answer: A, unit: TimeUnit) => ComponentChildren;
  /** Called with what the server says, once for each answer. */
  readonly onAnswer?: (answer: A) => void;
  readonly status?: (answer: A, unit: TimeUnit) => string;
  readonly views?: Readonly<Record<string, View>>;
  readonly onOpen?: (row: Row, answer: A) => void;
  readonly isOpen?: (row: Row, answer: A) => boolean;
}

/** The value of a column in a row. */
export function valueOf(answer: Pick<TableAnswer, 'columns'>, row: Row, name: string): Row[number] {
  const at = answer.columns.findIndex((column) => column.name === name);
  return at < 0 ? null : (row[at] ?? null);
}

export function ServerTable<A extends TableAnswer = TableAnswer>(props: ServerTableProps<A>): JSX.Element {
  const info = props.board.profiles.profile.value?.tables?.[props.table];
  return info ? <DeclaredTable<A> {...props} info={info} /> : <div class="waiting" aria-busy="true" />;
}

interface DeclaredProps<A extends TableAnswer> extends ServerTableProps<A> {
  readonly info: TableInfo;
}

function DeclaredTable<A extends TableAnswer>({ info, ...props }: DeclaredProps<A>): JSX.Element {
  const { board, table, without = [], onOpen, isOpen } = props;
  const { t: say } = board.page;
  const settings = board.tables(info.address);
  const filters = info.filters
    .filter(({ name }) => !without.includes(name))
    .map(({ name, words, values: all }) => {
      const values = props.values?.[name] ?? all;
      const chosen = board.filters[name]?.value ?? '';
      return { name, words, values, value: values.includes(chosen) ? chosen : (values[0] ?? chosen) };
    });
  const wanted: Query = {
    ...Object.fromEntries(info.asks.map((name) => [name, board.asks[name]?.value ?? null])),
    ...Object.fromEntries(filters.map(({ name, value }) => [name, value])),
    ...Object.fromEntries(without.map((name) => [name, null])),
    ...props.query,
  };
  const { rows, question, query } = useRows<A>(board, table, { ...wanted, ...settings.ask(info) });
  const answer = rows.head.value;
  useEffect(() => {
    if (answer) props.onAnswer?.(answer);
  }, [answer]);
  const grouping = filters.map(({ value }) => value).join();
  const unit = board.units.of(`${table}-${grouping}`, answer ? (props.unitFor?.(answer) ?? longestOf(answer)) : null);
  const known = answer?.columns ?? [];
  const inOrder = useMemo(() => {
    const place = ({ name }: { readonly name: string }): number =>
      name === wanted['by'] ? -1 : info.columns.includes(name) ? info.columns.indexOf(name) : info.columns.length;
    return [...known].sort((a, b) => place(a) - place(b));
  }, [info, known.map((column) => column.name).join(), grouping]);
  const names = inOrder.map(({ name }) => name);
  const chosen = settings.columns.value.filter((column) => names.includes(column));
  const shown =
    chosen.length > 0
      ? names.filter((name) => chosen.includes(name))
      : names.filter((name) => !info.hidden.includes(name));
  const columns = columnsOf({
    table,
    columns: known,
    shown,
    unit,
    locale: board.page.locale.value,
    say,
    ...(props.views ? { views: props.views } : {}),
    widths: info.widths,
    grouping: String(wanted['by'] ?? ''),
  });
  const error = rows.error.value;
  const label = say(info.label);
  return (
    <section class="table-view" aria-label={label}>
      <div class="table-tools" role="toolbar" aria-label={label}>
        {props.first}
        {filters.map(({ name, words, values, value }) => {
          const setting = board.filters[name];
          return (
            setting &&
            values.length > 1 && (
              <Choice
                key={name}
                say={say}
                name={name}
                label={say(words)}
                words={words}
                values={values}
                setting={{
                  value,
                  set: (next) => (props.onFilter ? props.onFilter(setting, next) : setting.set(next, 'push')),
                }}
              />
            )
          );
        })}
        {props.tools}
        {info.fields.length > 0 && (
          <Search
            board={board}
            settings={settings}
            fields={info.fields}
            name={table}
            error={rows.waits.value ? null : error}
          />
        )}
        <span class="ends">
          <UnitChoice board={board} />
          <ColumnChooser board={board} settings={settings} table={table} columns={inOrder} shown={shown} />
          <Download
            label={say('export.csv')}
            href={board.page.ctx.data.href(table, { ...query, columns: shown.join(','), format: 'csv' })}
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
            name={table}
            label={label}
            rows={rows}
            columns={columns}
            sort={settings.sorted(info.sort)}
            onSort={({ key, kind }) => settings.turn(key, kind === 'text', info.sort)}
            question={question}
            busy={rows.busy.value}
            {...(onOpen ? { onOpen: (row: Row) => onOpen(row, answer) } : {})}
            {...(isOpen ? { isOpen: (row: Row) => isOpen(row, answer) } : {})}
          />
        )
      ) : (
        error === null && <div class="waiting" aria-busy="true" />
      )}
      <p class="count table-count" data-testid={`${table}-count`}>
        {answer && (props.status?.(answer, unit) ?? rowsText(board, answer))}
      </p>
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
