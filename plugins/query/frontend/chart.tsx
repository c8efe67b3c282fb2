/** Lines of an answer over a column. */
import { hash, oklch, Tooltip, useChart, valueText } from '@insight-host/kit';
import { mountLineChart, type Cursor, type Line, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { linesOf, type Answer, type Axes } from './answer';
import type { QueryBoard } from './board';

const MOST = 100; // lines
const SHOWN = 12; // lines of the tooltip

interface ChartProps {
  readonly board: QueryBoard;
  readonly answer: Answer;
  readonly axes: Axes;
}

export function Chart({ board, answer, axes }: ChartProps): JSX.Element {
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
