import { useSignal } from '@preact/signals';
import type { HistogramChart, HistogramChartProps, HistogramCursor, HistogramView as View } from './props';
import type { XKind } from '@insight-host/kit/draw';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useChart, type Board, type TagInfo, type CardKey } from '@insight-host/kit';
import { mountHistogramChart } from './chart';
import { HistogramTooltip } from './tooltip';
import { errorPlaces, runRows, stepRows, type Histograms } from './answer';

export interface HistogramViewProps<Info extends TagInfo> {
  readonly board: Board<Info>;
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
export function HistogramView<Info extends TagInfo>(props: HistogramViewProps<Info>): JSX.Element {
  const { board, found, time, busy, chart } = props;
  const host = useRef<HTMLDivElement>(null);
  const cursor = useSignal<HistogramCursor | null>(null);
  const names = board.runsByName.value;
  const rows = useMemo(
    () =>
      !found
        ? []
        : found.runs.length > 0
          ? runRows(
              found,
              (run) => board.nameOf(run),
              (run) => board.colorOf(run),
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
          {board.t('histogram.nothing')}
        </p>
      )}
      {found && now && found.steps[now.row] !== undefined && (
        <HistogramTooltip board={board} found={found} view={props.view} cursor={now} host={host} />
      )}
    </div>
  );
}

/** What does not depend on the answer. */
function wordsOf<Info extends TagInfo>({
  board,
  card,
  view,
  time,
  extent,
  found,
  marked,
}: HistogramViewProps<Info>): Omit<HistogramChartProps, 'edges' | 'rows' | 'errors'> {
  const tag = board.titleOf(card.tag);
  const row =
    marked === null || marked === undefined || !found ? null : (found.runs[marked] ?? String(found.indices[marked]));
  return {
    view,
    rowKind: time,
    color:
      (card.run === null ? undefined : board.runsByName.value.get(card.run)?.color) ??
      board.theme.value.token('--accent'),
    ...(extent ? { extent } : {}),
    marked: row,
    valueLabel: board.t('histogram.value'),
    countLabel: board.t('histogram.count'),
    rowLabel: board.t(`time.kind.${time}`),
    title: card.run === null ? tag : `${tag} · ${board.nameOf(card.run)}`,
    theme: board.theme.value,
    locale: board.locale.value,
    description: board.t('histogram.description', {
      tag,
      view: board.t(`histogram.view.${view}`),
      count: found?.steps.length ?? 0,
    }),
  };
}
