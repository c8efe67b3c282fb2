/** Panels of bars: one for each run, or one for each range of values. */
import { valueText, type Page } from '@insight-host/kit';
import { linearTicks, makeScale } from '@insight-host/kit/draw';
import { useSize } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { metricTitle } from './choice';
import { DataPanel, type PanelProps } from './data_panel';
import { barsOf, DrawnBars, MOST } from './drawn_bars';
import { useMetrics } from './metrics';
import { axisOf, Plot, rangesOf, type Axis } from './plot';

/** A bar for each run. */
export function Bars(props: PanelProps): JSX.Element {
  const { board, panel } = props;
  const { page } = board;
  const answer = useMetrics(board, [panel.y ?? '']);
  const values = answer.values?.[0];
  const bars = useMemo(() => (values ? barsOf(values) : []), [values]);
  const host = useRef<HTMLDivElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const title = metricTitle(page, panel.y);
  const odd = (values?.size ?? 0) - bars.length;
  const status = [page.t('panel.runs', { count: bars.length }), ...oddText(page.t, odd)];
  if (bars.length > MOST) status.push(page.t('panel.more_runs', { count: bars.length - MOST }));
  const data = { head: [page.t('table.run'), title], rows: bars.map(({ run, value }) => [run, value]) };
  return (
    <DataPanel {...props} answer={answer} data={() => data} picture={picture} status={status}>
      <div class="bars" ref={host} tabIndex={0} role="group" aria-label={title}>
        <DrawnBars board={board} bars={bars} title={title} host={host} picture={picture} />
      </div>
    </DataPanel>
  );
}

/** What the last line says of values that cannot be drawn. */
export function oddText(say: PanelProps['board']['page']['t'], count: number): readonly string[] {
  return count > 0 ? [say('panel.odd', { count })] : [];
}

const BINS = { least: 5, most: 60 } as const;

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Bins of one width (with `log` of one ratio) over the finite values, about the square root of their number. */
export function binsOf(values: readonly number[], log = false): readonly Bin[] {
  const shown = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (shown.length === 0) return [];
  const [place, back] = log ? [Math.log, Math.exp] : [(value: number) => value, (value: number) => value];
  const [low, high] = [place(Math.min(...shown)), place(Math.max(...shown))];
  const count = low === high ? 1 : Math.min(BINS.most, Math.max(BINS.least, Math.ceil(Math.sqrt(shown.length))));
  const width = (high - low) / count || Math.abs(low) * 0.1 || 1;
  const first = low === high ? low - width / 2 : low;
  const counts = Array.from({ length: count }, () => 0);
  for (const value of shown) {
    const at = Math.max(0, Math.min(count - 1, Math.floor((place(value) - first) / width)));
    counts[at] = (counts[at] as number) + 1;
  }
  return counts.map((n, at) => ({ from: back(first + at * width), to: back(first + (at + 1) * width), count: n }));
}

/** How many runs have which values. */
export function Histogram(props: PanelProps): JSX.Element {
  const { board, panel } = props;
  const { page } = board;
  const answer = useMetrics(board, [panel.y ?? '']);
  const values = answer.values?.[0];
  const log = panel.logX === true;
  const bins = useMemo(() => {
    const numbers = [...(values?.values() ?? [])].filter((value) => typeof value === 'number');
    return binsOf(numbers, log);
  }, [values, log]);
  const host = useRef<HTMLDivElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  const title = metricTitle(page, panel.y);
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const data = {
    head: [page.t('limits.from'), page.t('limits.to'), page.t('panel.runs.axis')],
    rows: bins.map(({ from, to, count }) => [from, to, count]),
  };
  const status = [page.t('panel.runs', { count: total }), ...oddText(page.t, (values?.size ?? 0) - total)];
  return (
    <DataPanel {...props} answer={answer} data={() => data} picture={picture} status={status}>
      <div class="drawn" ref={host}>
        <DrawnBins page={page} bins={bins} log={log} title={title} host={host} picture={picture} />
      </div>
    </DataPanel>
  );
}

interface DrawnBinsProps {
  readonly page: Page;
  readonly bins: readonly Bin[];
  readonly log: boolean;
  readonly title: string;
  readonly host: { readonly current: HTMLElement | null };
  readonly picture: { current: SVGSVGElement | null };
}

function DrawnBins({ page, bins, log, title, host, picture }: DrawnBinsProps): JSX.Element | null {
  const { width, height } = useSize(host).value;
  if (width === 0) return null;
  const theme = page.theme.value;
  const ranges = rangesOf(width, height);
  const edges = bins.flatMap(({ from, to }) => [from, to]);
  const x = axisOf(edges, { range: ranges.x, log, label: title });
  const y = countAxis(Math.max(1, ...bins.map(({ count }) => count)), ranges.y, page.t('panel.runs.axis'));
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const label = page.t('panel.histogram.label', { metric: title, count: total });
  return (
    <Plot element={picture} width={width} height={height} x={x} y={y} theme={theme} label={label}>
      {bins.map(({ from, to, count }) => {
        const [left, right, top] = [x.scale.toPixel(from), x.scale.toPixel(to), y.scale.toPixel(count)];
        return (
          <rect
            key={from}
            data-count={count}
            x={left + 0.5}
            y={top}
            width={Math.max(1, right - left - 1)}
            height={Math.max(0, y.scale.toPixel(0) - top)}
            fill={theme.token('--accent')}
            fill-opacity="0.75"
          >
            <title>{`${valueText(from)} – ${valueText(to)}: ${count}`}</title>
          </rect>
        );
      })}
    </Plot>
  );
}

/** An axis of numbers of runs, from none. */
function countAxis(most: number, range: readonly [number, number], label: string): Axis {
  const scale = makeScale([0, most * 1.05], range);
  const ticks = linearTicks(scale.domain, Math.abs(range[1] - range[0]) / 50);
  return { scale, ticks: ticks.filter(({ value }) => Number.isInteger(value)), label };
}
