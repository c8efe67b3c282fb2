/** The answer of a query, as a table or as a chart. */
import { bytesText, copyTable, hash, oklch, Segments, Select, Tooltip, useChart, valueText } from '@insight-host/kit';
import { mountLineChart, type Cursor, type Line, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import { ordered, rowsOf, Table, TableFiles, turned, useWidths, type Column, type Sort } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { isNumeric, linesOf, NO_GROUPS, tableOf, valueAt, type Answer, type Axes } from './answer';
import type { QueryBoard } from './board';

export function Results({ board, answer }: { readonly board: QueryBoard; readonly answer: Answer }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const axes = board.axes.value;
  const isChart = board.view.value === 'chart' && axes !== null;
  const numbers = answer.columns.filter(isNumeric).map(({ name }) => ({ value: name, text: name }));
  return (
    <div class="results">
      <div class="bar">
        <Status board={board} answer={answer} />
        {axes && (
          <Segments
            name="view"
            label={say('view')}
            value={board.view.value}
            options={[
              { value: 'table', text: say('view.table') },
              { value: 'chart', text: say('view.chart') },
            ]}
            onPick={(view) => board.view.set(view)}
          />
        )}
        {isChart && (
          <>
            <label>
              {say('x')}{' '}
              <Select name="x" label={say('x')} value={axes.x} options={numbers} onPick={(x) => board.x.set(x)} />
            </label>
            <label>
              {say('y')}{' '}
              <Select
                name="y"
                label={say('y')}
                value={axes.y}
                options={numbers.filter(({ value }) => value !== axes.x)}
                onPick={(y) => board.y.set(y)}
              />
            </label>
            <label>
              {say('by')}{' '}
              <Select
                name="by"
                label={say('by')}
                value={axes.by}
                options={[
                  { value: NO_GROUPS, text: say('by.none') },
                  ...answer.columns
                    .filter(({ name }) => name !== axes.x && name !== axes.y)
                    .map(({ name }) => ({ value: name, text: name })),
                ]}
                onPick={(by) => board.by.set(by)}
              />
            </label>
          </>
        )}
        <TableFiles page={page} name="query" table={() => tableOf(answer)} />
      </div>
      {isChart ? <Chart board={board} answer={answer} axes={axes} /> : <Rows board={board} answer={answer} />}
    </div>
  );
}

function Status({ board, answer }: { readonly board: QueryBoard; readonly answer: Answer }): JSX.Element {
  const { t: say, locale } = board.page;
  const count = (value: number): string => value.toLocaleString(locale.value);
  return (
    <span class="count" role="status">
      {say(answer.is_cut ? 'rows.cut' : 'rows', { count: answer.rows })}
      {answer.read.rows > 0 &&
        ` · ${say('read', { rows: count(answer.read.rows), bytes: bytesText(answer.read.bytes, locale.value) })}`}
      {` · ${say('seconds', { seconds: valueText(answer.seconds) })}`}
      {board.isOld.value && <strong> · {say('old')}</strong>}
    </span>
  );
}

function Rows({ board, answer }: { readonly board: QueryBoard; readonly answer: Answer }): JSX.Element {
  const { page } = board;
  const [sorts, setSorts] = useState<readonly Sort[]>([]);
  const locale = page.locale.value;
  const columns = useMemo(() => answer.columns.map((_, at) => columnOf(answer, at, locale)), [answer, locale]);
  const rows = useMemo(() => {
    const places = Array.from({ length: answer.rows }, (_, row) => row);
    return rowsOf(ordered(places, sorts, (row, key) => valueAt(answer, Number(key), row)));
  }, [answer, sorts]);
  return (
    <Table<number>
      name="query-table"
      label={page.t('rows.label')}
      rows={rows}
      columns={columns}
      rowHeight={24}
      widths={useWidths(page.ctx.memory, `query ${answer.columns.map(({ name }) => name).join(' ')}`)}
      sort={{
        by: sorts,
        turn: (key, more) =>
          setSorts(turned(sorts, key, more, isNumeric(answer.columns[Number(key)] ?? { type: 'text' }))),
      }}
      onCopyRows={(table, all) => void copyTable(page, table, all)}
      question={page.t('rows', { count: answer.rows }) + answer.seconds}
    />
  );
}

function columnOf(answer: Answer, at: number, locale: string): Column<number> {
  const { name, type } = answer.columns[at] as Answer['columns'][number];
  const kind = isNumeric({ type }) ? 'number' : 'text';
  const longest = (answer.values[at] ?? [])
    .slice(0, 200)
    .reduce<number>(
      (most, value) =>
        Math.max(
          most,
          kind === 'text' ? String(value ?? '').length : typeof value === 'string' ? value.length * 1.4 : 9,
        ),
      name.length + 2,
    );
  return {
    key: String(at),
    title: name,
    kind,
    width: Math.max(64, Math.min(420, 8 * longest + 20)),
    cell(row) {
      const value = valueAt(answer, at, row);
      if (value === null) return { content: '–', class: 'missing' };
      if (typeof value === 'bigint') return { content: value.toLocaleString(locale), title: String(value) };
      if (typeof value !== 'number') return { content: String(value), title: String(value) };
      const text = type === 'integer' && Number.isFinite(value) ? value.toLocaleString(locale) : valueText(value);
      return { content: text, title: String(value) };
    },
    value: (row) => valueAt(answer, at, row),
  };
}

const MOST = 100; // lines
const SHOWN = 12; // lines of the tooltip

interface ChartProps {
  readonly board: QueryBoard;
  readonly answer: Answer;
  readonly axes: Axes;
}

/** Lines of an answer over a column. */
function Chart({ board, answer, axes }: ChartProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const theme = page.theme.value;
  const all = useMemo(() => linesOf(answer, axes), [answer, axes]);
  const lines = useMemo(
    () =>
      all.slice(0, MOST).map(({ name, x, y }): Line => {
        const run = axes.by === 'run' ? page.runsByName.value.get(name) : undefined;
        return {
          id: name,
          label: run ? page.nameOf(name) : name,
          color: run ? page.colorOf(name) : oklch(theme.mode === 'dark' ? 0.75 : 0.55, 0.15, hash(name) % 360),
          x,
          y,
          ...(run && { runs: [name] }),
        };
      }),
    [all, theme, page.runsByName.value],
  );
  const [view, setView] = useState<Pick<LineChartProps, 'xWindow' | 'yWindow'>>({});
  const props: LineChartProps = {
    lines,
    xKind: axes.x === 'wall_time' ? 'wall' : 'step',
    xLabel: axes.x,
    yLabel: axes.y,
    title: `${axes.y} / ${axes.x}`,
    theme,
    locale: page.locale.value,
    description: say('chart', { x: axes.x, y: axes.y, count: lines.length }),
    ...view,
    onView: ({ x, y }, how) => setView(how === 'reset' ? {} : { xWindow: x, yWindow: y }),
    onCursor: setCursor,
  };
  useChart(mountLineChart, props, host, chart);
  return (
    <>
      {all.length > MOST && <p class="hint">{say('chart.cut', { count: MOST, total: all.length })}</p>}
      <div class="chart" ref={host} />
      <ul class="legend">
        {lines.slice(0, 40).map(({ id, label, color }) => (
          <li key={id}>
            <span class="swatch" style={{ background: color }} /> {label}
          </li>
        ))}
      </ul>
      <Nearest cursor={cursor} lines={lines} host={host} x={axes.x} />
    </>
  );
}

interface NearestProps {
  readonly cursor: Cursor | null;
  readonly lines: readonly Line[];
  readonly host: { readonly current: HTMLElement | null };
  readonly x: string;
}

function Nearest({ cursor, lines, host, x }: NearestProps): JSX.Element | null {
  const place = host.current?.getBoundingClientRect();
  if (!cursor || !place || cursor.nearest.length === 0) return null;
  return (
    <Tooltip x={place.left + cursor.px} y={place.top + cursor.py}>
      <strong>
        {x} {valueText(cursor.nearest[0]?.x ?? cursor.x)}
      </strong>
      <table>
        <tbody>
          {cursor.nearest.slice(0, SHOWN).map(({ id, y }) => {
            const line = lines.find((one) => one.id === id);
            return (
              <tr key={id}>
                <th>
                  <span class="swatch" style={{ background: line?.color }} /> {line?.label ?? id}
                </th>
                <td class="number">{valueText(y)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Tooltip>
  );
}
