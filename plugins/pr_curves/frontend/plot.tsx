import { Empty, useChart } from '@insight-host/kit';
import {
  mountLineChart,
  type Cursor,
  type Dot,
  type Line,
  type LineChart,
  type LineChartProps,
} from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { axesOf, indexAt, indexOnPath, pathOf, type Curves, type PrParts, type View } from './board';

interface PlotProps {
  readonly board: PrParts;
  readonly title: string;
  readonly found: Curves | null;
  readonly view: View;
  readonly busy: boolean;
  readonly chart: { current: LineChart | null };
  readonly threshold: number;
  /** The threshold of the point under the pointer; null: the pointer left. */
  readonly onPoint: (threshold: number | null) => void;
}

type Window = readonly [number, number];
const WHOLE: Window = [0, 1];
const TALL: Window = [0, 1.02]; // so that a line at 1 is whole

/** The curves of all runs, with a dot on each at the threshold. */
export function CurvePlot({ board, title, found, view, busy, chart, threshold, onPoint }: PlotProps): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const host = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<{ readonly x: Window | null; readonly y: Window | null }>({ x: null, y: null });
  useEffect(() => setZoom({ x: null, y: null }), [view]);
  const runs = page.runsByName.value;
  const curves = found?.curves ?? [];
  const shown = curves.filter(({ rocArea }) => view === 'pr' || rocArea !== null);
  const lines = useMemo(
    () =>
      shown.map((curve): Line => {
        const dash = runs.get(curve.run)?.dash ?? [];
        return {
          id: curve.run,
          label: page.nameOf(curve.run),
          color: page.colorOf(curve.run),
          runs: [curve.run],
          ...(dash.length > 0 ? { dash } : {}),
          ...pathOf(curve, view),
        };
      }),
    [found, view, runs],
  );
  const dots = shown.map((curve): Dot => {
    const [x, y] = axesOf(curve, view);
    const at = indexAt(curve, threshold);
    return { x: x[at] ?? NaN, y: y[at] ?? NaN, color: page.colorOf(curve.run) };
  });
  const thresholdOf = (cursor: Cursor): number | null => {
    const point = cursor.nearest[0];
    const curve = shown.find(({ run }) => run === point?.id);
    return (point && curve?.thresholds[indexOnPath(curve, view, point.index)]) ?? null;
  };
  const props: LineChartProps = {
    lines,
    dots,
    pending: found === null,
    xKind: 'number',
    xLabel: say(view === 'pr' ? 'recall' : 'false_rate'),
    yLabel: say(view === 'pr' ? 'precision' : 'true_rate'),
    title,
    xExtent: WHOLE,
    xWindow: zoom.x,
    yWindow: zoom.y ?? TALL,
    theme: page.theme.value,
    locale: page.locale.value,
    description: say(`chart.${view}`, { tag: title, count: lines.length }),
    onView: (next, how) => setZoom(how === 'reset' ? { x: null, y: null } : next),
    onCursor: (cursor) => {
      onPoint(cursor && thresholdOf(cursor));
      page.ctx.runs.hover(cursor?.nearest[0] && cursor.nearest[0].distance < 12 ? [cursor.nearest[0].id] : []);
    },
    onClick: (cursor) => {
      const chosen = thresholdOf(cursor);
      if (chosen !== null) board.threshold.set(chosen);
    },
  };
  useChart(mountLineChart, props, host, chart);
  const hovered = page.hovered.value;
  useEffect(() => chart.current?.hover(hovered), [hovered, found]);
  const [without] = view === 'roc' && lines.length === 0 ? curves : [];
  return (
    <div class={busy ? 'view busy' : 'view'}>
      <div
        class="plot"
        ref={host}
        hidden={without !== undefined}
        data-threshold={threshold}
        data-lines={lines.length}
      />
      {without && <Empty title={say('roc.none')} text={without.noRoc ? page.reason(without.noRoc) : ''} />}
    </div>
  );
}
