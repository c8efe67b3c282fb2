import { useChart } from '@insight-host/kit';
/** Lines over steps or time, with the zoom and files of all line charts of the page. */
import { mountLineChart, type Line, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { ChartData } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Zoom } from '../zooms';
import { save } from './files';
import { Figure } from './figure';
import { Legend } from './legend';
import { useTip, Tip } from './tip';

export const NO_MARKS: NonNullable<LineChartProps['marks']> = [];

export interface CurvesProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly title: string;
  readonly hint?: string;
  readonly lines: readonly Line[];
  readonly xLabel: string;
  readonly yLabel: string;
  readonly height?: number;
  readonly busy?: boolean;
  readonly marks?: LineChartProps['marks'];
  /** A value of x, as people read it. */
  readonly xText?: (x: number) => string;
  readonly yText: (y: number) => string;
  readonly onPress?: (x: number, extend: boolean) => void;
  readonly tools?: JSX.Element | null;
}

export function Curves({
  board,
  name,
  title,
  hint,
  lines,
  xLabel,
  yLabel,
  height = 220,
  busy = false,
  marks = NO_MARKS,
  xText = String,
  yText,
  onPress,
  tools = null,
}: CurvesProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const zoom = board.zooms.value.get(name) ?? null;
  const setZoom = (to: Zoom | null): void => {
    const next = new Map(board.zooms.peek());
    if (to && (to.x || to.y)) next.set(name, to);
    else next.delete(name);
    board.zooms.set(next);
  };
  const tip = useTip();
  const shift = useRef(false);
  const props: LineChartProps = {
    lines,
    xKind: 'step',
    xLabel,
    yLabel,
    title,
    theme: board.page.theme.value,
    locale: board.page.locale.value,
    description: `${title}: ${lines.map(({ label }) => label).join(', ')}`,
    xWindow: zoom?.x ?? null,
    yWindow: zoom?.y ?? null,
    marks,
    onView: (view, how) => setZoom(how === 'reset' ? null : view),
    onCursor(cursor) {
      const place = host.current?.getBoundingClientRect();
      if (!cursor || !place || cursor.nearest.length === 0) {
        tip.value = null;
        return;
      }
      const rows = cursor.nearest.slice(0, 12).map(({ id, y }): readonly [string, string, string?] => {
        const line = lines.find((one) => one.id === id);
        return [line?.label ?? id, yText(y), line?.color ?? ''];
      });
      tip.value = {
        x: place.left + cursor.px,
        y: place.top + cursor.py,
        title: xText(cursor.nearest[0]?.x ?? cursor.x),
        lines: rows,
      };
    },
    ...(onPress ? { onClick: (cursor) => onPress(cursor.nearest[0]?.x ?? cursor.x, shift.current) } : {}),
  };
  useChart(mountLineChart, props, host, chart);
  const { t: say } = board.page;
  const data = (): ChartData => ({
    head: ['line', 'x', 'y'],
    rows: lines
      .filter(({ role }) => role !== 'raw')
      .flatMap(({ label, x, y }) => Array.from(x, (at, i) => [label, at, y[i] ?? null])),
  });
  const items = (): ReturnType<NonNullable<Parameters<typeof Figure>[0]['items']>> => [
    {
      action: 'export-svg',
      text: say('export.svg'),
      onPress: () =>
        save(board, name, 'svg', () => new Blob([chart.current?.toSVG() ?? ''], { type: 'image/svg+xml' })),
    },
    {
      action: 'export-png',
      text: say('export.png'),
      onPress: () =>
        save(board, name, 'png', async () => (await chart.current?.toPNG()) ?? Promise.reject(new Error(''))),
    },
  ];
  return (
    <Figure
      board={board}
      name={name}
      title={title}
      {...(hint ? { hint } : {})}
      content="chart"
      data={data}
      busy={busy}
      items={items}
      tools={
        <>
          {tools}
          {zoom && (
            <button type="button" class="tool text" data-action="zoom-reset" onClick={() => setZoom(null)}>
              {say('zoom.reset')}
            </button>
          )}
        </>
      }
    >
      <div
        ref={host}
        class="curve"
        style={{ height: `${height}px` }}
        onPointerDown={(event) => (shift.current = event.shiftKey)}
        onPointerLeave={() => (tip.value = null)}
      />
      <div class="below-curve">
        <Legend entries={lines.map(({ id, color, label }) => ({ key: id, color, label }))} />
        <span class="count">{xLabel}</span>
      </div>
      <Tip tip={tip} />
    </Figure>
  );
}
