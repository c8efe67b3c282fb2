import { useSignal } from '@preact/signals';
import type { HistogramChart } from 'insight-host';
import { CardHead, decodeHistograms, ErrorCell, HistogramStatus, HistogramTable, HistogramView, Latest, sameCard, urgencyOf, type CardKey, type Histograms, type Place } from 'insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { HistogramBoard } from './board';
import { Exports } from './exports';

export interface SeriesBodyProps {
  readonly board: HistogramBoard;
  readonly card: CardKey;
  readonly run: string;
  readonly place: Place;
}

/** One tag of one run over steps. */
export function SeriesBody({ board, card, run, place }: SeriesBodyProps): JSX.Element {
  const chart = useRef<HistogramChart | null>(null);
  const latest = useMemo(() => new Latest<Histograms>(board.queue, () => urgencyOf(place)), []);
  const [pointed, picked] = [useSignal<number | null>(null), useSignal<number | null>(null)]; // rows under the pointer: in the chart, in the table
  const query = { run, tag: card.tag, attempts: board.attempts.value, steps: board.stepCount.value, bins: board.binCount.value || null, ignore_outliers: board.outliers.value ? 1 : null };
  const key = JSON.stringify([query, board.version(card.tag, [run])]);
  const visible = board.visible.value;
  useEffect(() => {
    if (visible) latest.want(key, async (signal) => decodeHistograms(await board.ctx.data.columns('histograms', { ...query, format: 'safetensors' }, { signal })));
  }, [key, visible]);
  useEffect(() => () => latest.rest(), []);
  const found = latest.answer.value?.value ?? null;
  useEffect(() => {
    if (found && found.steps.length > 0) board.setRange(card, [found.edges[0] as number, found.edges[found.edges.length - 1] as number]);
  }, [found]);

  const failure = latest.error.value?.reason ?? null;
  const [unread] = found?.errors ?? [];
  const full = sameCard(board.full.value, card);
  return (
    <>
      <CardHead board={board} card={card}>
        <Exports board={board} card={card} chart={chart} found={found} query={query} />
      </CardHead>
      {failure !== null && !found ? (
        <div class="view"><ErrorCell board={board} card={card} reason={failure} onRetry={() => latest.retry()} /></div>
      ) : unread && found?.steps.length === 0 ? (
        <div class="view"><ErrorCell board={board} card={card} step={unread.step} reason={unread.error} /></div>
      ) : (
        <div class="parts">
          <HistogramView
            board={board}
            card={card}
            found={found}
            view={board.view.value}
            time={board.time.value}
            busy={latest.busy.value}
            extent={board.rangeOf(card.tag)}
            marked={picked.value}
            chart={chart}
            onRow={(row) => (pointed.value = row)}
          />
          {full && found && <HistogramTable board={board} found={found} marked={pointed.value} onRow={(row) => (picked.value = row)} />}
        </div>
      )}
      <HistogramStatus board={board} found={found} failure={found ? failure : null} onRetry={() => latest.retry()} />
    </>
  );
}
