import { useSignal } from '@preact/signals';
import type { HistogramChart } from 'insight-host';
import { CardHead, decodeHistograms, ErrorCell, HistogramStatus, HistogramTable, HistogramView, Latest, portions, sameCard, StepSlider, urgencyOf, type CardKey, type CardSteps, type Histograms, type Place, type Records } from 'insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { HistogramBoard } from './board';
import { Exports } from './exports';

const MOST = 100; // runs in one picture
const LAST = Number.MAX_SAFE_INTEGER; // the step nearest to it is the last one

export interface ComparisonBodyProps {
  readonly board: HistogramBoard;
  readonly card: CardKey;
  readonly place: Place;
}

/** One tag of several runs, each at the step that is nearest to the slider. */
export function ComparisonBody({ board, card, place }: ComparisonBodyProps): JSX.Element {
  const chart = useRef<HistogramChart | null>(null);
  const latest = useMemo(() => new Latest<Histograms>(board.queue, () => urgencyOf(place)), []);
  const [pointed, picked] = [useSignal<number | null>(null), useSignal<number | null>(null)]; // rows under the pointer: in the chart, in the table
  const all = board.runsByTag.value.get(card.tag)?.map((run) => run.name) ?? [];
  const runs = portions(all)[0]?.slice(0, MOST) ?? [];
  const found = latest.answer.value?.value ?? null;
  const records = useMemo(() => found && recordsOf(found, board.attempts.value), [found, board.attempts.value]);
  const index = records ? board.indexOf(card, records) : -1;
  const isLast = !records || index >= records.steps.length - 1;
  const query = { run: runs, tag: card.tag, step: isLast ? LAST : (records.steps[index] as number), attempts: board.attempts.value, bins: board.binCount.value || null, ignore_outliers: board.outliers.value ? 1 : null };
  const key = JSON.stringify([query, board.version(card.tag, runs)]);
  const visible = board.visible.value;
  useEffect(() => {
    if (visible && runs.length > 0) latest.want(key, async (signal) => decodeHistograms(await board.ctx.data.columns('comparison', { ...query, format: 'safetensors' }, { signal })));
  }, [key, visible]);
  useEffect(() => () => latest.rest(), []);

  const failure = latest.error.value?.reason ?? null;
  const steps: CardSteps = { records, error: failure, index, move: (to) => records && board.move(card, records, to), retry: () => latest.retry() };
  const number = (n: number): string => n.toLocaleString(board.locale.value);
  const text = runs.length < all.length ? board.t('compare.some', { shown: number(runs.length), runs: number(all.length) }) : board.t('compare.runs', { count: runs.length });
  const full = sameCard(board.full.value, card);
  return (
    <>
      <CardHead board={board} card={card}>
        <Exports board={board} card={card} chart={chart} found={found} query={query} />
      </CardHead>
      {failure !== null && !found ? (
        <div class="view"><ErrorCell board={board} card={card} reason={failure} onRetry={() => latest.retry()} /></div>
      ) : (
        <div class="parts">
          <HistogramView board={board} card={card} found={found} view="front" time="step" busy={latest.busy.value} marked={picked.value} chart={chart} onRow={(row) => (pointed.value = row)} />
          {full && found && <HistogramTable board={board} found={found} marked={pointed.value} onRow={(row) => (picked.value = row)} />}
        </div>
      )}
      <StepSlider board={board} card={card} steps={steps} busy={latest.busy.value} kind="step" />
      <HistogramStatus board={board} found={found} failure={found ? failure : null} onRetry={() => latest.retry()} text={text} />
    </>
  );
}

/** The steps of all runs as what a slider goes over. */
function recordsOf(found: Histograms, attempts: 'last' | 'all'): Records {
  const none = new Float64Array(found.axis.length).fill(NaN);
  return { steps: found.axis, wallTimes: none, sizes: none, points: none.length, kept: none.length, hidden: 0, attempts };
}
