import { useSignal } from '@preact/signals';
import type { HistogramChart, HistogramChartProps, HistogramCursor, HistogramView as View } from './props';
import type { XKind } from '@insight-host/kit/draw';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useChart, type CardKey, type Page } from '@insight-host/kit';
import { mountHistogramChart } from './chart';
import { HistogramTooltip } from './reading';
import { errorPlaces, runRows, stepRows, type Histograms } from './answer';

export interface HistogramViewProps {
  readonly page: Page;
  readonly card: CardKey;
  /** null until the first answer. */
  readonly found: Histograms | null;
  readonly view: View;
  readonly time: XKind;
  readonly busy: boolean;
  /** Range of values to show; all there are when absent. */
  readonly extent?: readonly [number, number] | undefined;
  /** Index of the row that stands out. */
  readonly marked?: number | null;
  /** The chart, for exports. */
  readonly chart: { current: HistogramChart | null };
  /** The row under the pointer. */
  readonly onRow?: (row: number | null) => void;
}

const NOTHING = new Float64Array(2);

/** The chart of an answer, with its tooltip. */
export function HistogramView(props: HistogramViewProps): JSX.Element {
  const { page, found, time, busy, chart } = props;
  const host = useRef<HTMLDivElement>(null);
  const cursor = useSignal<HistogramCursor | null>(null);
  const names = page.runsByName.value;
  const rows = useMemo(
    () =>
      !found
        ? []
        : found.runs.length > 0
          ? runRows(
              found,
              (run) => page.nameOf(run),
              (run) => page.colorOf(run),
            )
          : stepRows(found, time),
    [found, time, names],
  );
  const errors = useMemo(() => (found && found.runs.length === 0 ? errorPlaces(found, time) : []), [found, time]);
  const drawn: HistogramChartProps = {
    ...wordsOf(props),
    edges: found?.edges ?? NOTHING,
    rows,
    errors,
    onCursor: (now) => {
      cursor.value = now;
      if (found && found.runs.length > 0) page.ctx.runs.hover(now ? found.runs.slice(now.row, now.row + 1) : []);
      props.onRow?.(now ? now.row : null);
    },
  };
  useChart(mountHistogramChart, drawn, host, chart);
  const now = cursor.value;
  const empty = useMemo(() => found !== null && !found.counts.some((count) => count > 0), [found]);
  return (
    <div class={busy ? 'view busy' : 'view'} data-testid="histogram-view" data-view={props.view}>
      <div class="histogram" ref={host} />
      {empty && (
        <p class="nothing" data-testid="histogram-nothing">
          {page.t('histogram.nothing')}
        </p>
      )}
      {found && now && found.steps[now.row] !== undefined && (
        <HistogramTooltip page={page} found={found} view={props.view} cursor={now} host={host} />
      )}
    </div>
  );
}

/** What does not depend on the answer. */
function wordsOf({
  page,
  card,
  view,
  time,
  extent,
  found,
  marked,
}: HistogramViewProps): Omit<HistogramChartProps, 'edges' | 'rows' | 'errors'> {
  const tag = page.titleOf(card.tag);
  const hovered =
    found && found.runs.length > 0 ? page.hovered.value.find((run) => found.runs.includes(run)) : undefined;
  const row =
    hovered ??
    (marked === null || marked === undefined || !found ? null : (found.runs[marked] ?? String(found.indices[marked])));
  return {
    view,
    rowKind: time,
    color:
      (card.run === null ? undefined : page.runsByName.value.get(card.run)?.color) ??
      page.theme.value.token('--accent'),
    ...(extent ? { extent } : {}),
    marked: row,
    valueLabel: page.t('histogram.value'),
    countLabel: page.t('histogram.count'),
    rowLabel: page.t(`time.kind.${time}`),
    title: card.run === null ? tag : `${tag} · ${page.nameOf(card.run)}`,
    theme: page.theme.value,
    locale: page.locale.value,
    description: page.t('histogram.description', {
      tag,
      view: page.t(`histogram.view.${view}`),
      count: found?.steps.length ?? 0,
    }),
  };
}
