import { useSignal } from '@preact/signals';
import type { Cell } from '@insight-host/api';
import { byName, Tooltip, valueText } from '@insight-host/kit';
import { useSize } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { oddText } from './bars';
import { DataPanel, type PanelProps } from './data_panel';
import { metricTitle } from './choice';
import { useMetrics, type Values } from './metrics';
import { axisOf, Plot, rangesOf, type Axis } from './plot';

const RADIUS = 4;
const REACH = 24; // pixels from the pointer to a point that it reads

interface Point {
  readonly run: string;
  readonly x: Cell;
  readonly y: Cell;
}

/** Runs that have both values. */
export function pointsOf(x: Values, y: Values): readonly Point[] {
  return [...x].flatMap(([run, at]) => {
    const other = y.get(run);
    return other === undefined ? [] : [{ run, x: at, y: other }];
  });
}

/** The texts among values, each once, where they are not all numbers. */
export function namesOf(values: readonly Cell[]): readonly string[] | undefined {
  if (values.every((value) => typeof value === 'number')) return undefined;
  return [...new Set(values.map(String))].sort(byName);
}

/** How many points one of the axes has no place for. */
export function withoutPlace(
  points: readonly Point[],
  { logX = false, logY = false }: Pick<PanelProps['panel'], 'logX' | 'logY'>,
): number {
  const isPlaced = (which: 'x' | 'y', log: boolean): ((point: Point) => boolean) =>
    namesOf(points.map((point) => point[which]))
      ? () => true
      : (point) => Number.isFinite(point[which]) && !(log && Number(point[which]) <= 0);
  const [x, y] = [isPlaced('x', logX), isPlaced('y', logY)];
  return points.filter((point) => !x(point) || !y(point)).length;
}

/** A point for each run, at two of its values. */
export function Scatter(props: PanelProps): JSX.Element {
  const { board, panel } = props;
  const answer = useMetrics(board, [panel.x ?? '', panel.y ?? '']);
  const [x, y] = answer.values ?? [];
  const points = useMemo(() => (x && y ? pointsOf(x, y) : []), [x, y]);
  const host = useRef<HTMLDivElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const titles = [panel.x, panel.y].map((text) => metricTitle(board.page, text));
  const { page } = board;
  const data = {
    head: [page.t('table.run'), ...titles],
    rows: points.map(({ run, x: at, y: value }) => [run, at, value]),
  };
  const odd = useMemo(() => withoutPlace(points, panel), [points, panel]);
  const status = [page.t('panel.runs', { count: points.length - odd }), ...oddText(page.t, odd)];
  return (
    <DataPanel {...props} answer={answer} data={() => data} picture={picture} status={status}>
      <div class="drawn" ref={host}>
        <Points {...props} points={points} titles={titles} host={host} picture={picture} />
      </div>
    </DataPanel>
  );
}

interface PointsProps extends PanelProps {
  readonly points: readonly Point[];
  readonly titles: readonly string[];
  readonly host: { readonly current: HTMLElement | null };
  readonly picture: { current: SVGSVGElement | null };
}

interface Placed extends Point {
  readonly left: number;
  readonly top: number;
}

function Points({ board, panel, points, titles, host, picture }: PointsProps): JSX.Element {
  const { page } = board;
  const { width, height } = useSize(host).value;
  const read = useSignal<string | null>(null);
  const { logX = false, logY = false } = panel;
  const [axes, placed] = useMemo(() => {
    const ranges = rangesOf(width, height);
    const axis = (which: 'x' | 'y', log: boolean): readonly [Axis, (value: Cell) => number] => {
      const values = points.map((point) => point[which]);
      const names = namesOf(values);
      const label = titles[which === 'x' ? 0 : 1] ?? '';
      const made = axisOf(values.map(Number), { range: ranges[which], log, label, ...(names ? { names } : {}) });
      return [made, (value) => made.scale.toPixel(names ? names.indexOf(String(value)) : Number(value))];
    };
    const [[x, left], [y, top]] = [axis('x', logX), axis('y', logY)];
    const all = points
      .map((point): Placed => ({ ...point, left: left(point.x), top: top(point.y) }))
      .filter((point) => Number.isFinite(point.left) && Number.isFinite(point.top));
    return [{ x, y }, all.sort((a, b) => a.left - b.left)];
  }, [points, width, height, logX, logY, titles.join('\n')]);
  const now = placed.find(({ run }) => run === read.value);
  const seek = (event: PointerEvent): void => {
    const box = host.current?.getBoundingClientRect();
    if (!box) return;
    const away = (point: Placed): number =>
      Math.hypot(box.left + point.left - event.clientX, box.top + point.top - event.clientY);
    const nearest = placed.reduce<Placed | null>(
      (best, point) => (best && away(best) <= away(point) ? best : point),
      null,
    );
    read.value = nearest && away(nearest) <= REACH ? nearest.run : null;
  };
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === 'Escape') read.value = null;
    if (by === undefined || placed.length === 0) return;
    event.preventDefault();
    const at = now ? placed.indexOf(now) + by : by > 0 ? 0 : placed.length - 1;
    read.value = placed[Math.max(0, Math.min(placed.length - 1, at))]?.run ?? null;
  };
  if (width === 0) return <></>;
  const box = host.current?.getBoundingClientRect();
  return (
    <>
      <Plot
        element={picture}
        width={width}
        height={height}
        {...axes}
        theme={page.theme.value}
        label={page.t('panel.scatter.label', { x: titles[0] ?? '', y: titles[1] ?? '', count: placed.length })}
        tabIndex={0}
        onPointerMove={seek}
        onPointerLeave={() => (read.value = null)}
        onKeyDown={step}
        onBlur={() => (read.value = null)}
      >
        {placed.map(({ run, left, top }) => (
          <circle
            key={run}
            data-run-point={run}
            cx={left}
            cy={top}
            r={run === read.value ? 1.6 * RADIUS : RADIUS}
            fill={page.colorOf(run)}
            fill-opacity="0.85"
          />
        ))}
      </Plot>
      {now && box && (
        <Tooltip x={box.left + now.left} y={box.top + now.top} label={page.t('tooltip.label')}>
          <strong>{page.nameOf(now.run)}</strong>
          <div>{`${titles[0]}: ${cellText(now.x)}`}</div>
          <div>{`${titles[1]}: ${cellText(now.y)}`}</div>
        </Tooltip>
      )}
    </>
  );
}

export function cellText(cell: Cell): string {
  return typeof cell === 'number' ? valueText(cell) : String(cell);
}
