import type { HistogramChart } from 'insight-host';
import { CardHead, csvOf, decodeHistograms, ErrorCell, fileName, HistogramStatus, HistogramTable, histogramTable, HistogramView, Latest, Menu, message, sameCard, urgencyOf, type CardKey, type Histograms, type MenuItem, type Place } from 'insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TensorBoard } from './board';

export interface DistributionBodyProps {
  readonly board: TensorBoard;
  readonly card: CardKey;
  readonly place: Place;
}

/** How the values of one tag in one run are distributed, over steps. */
export function DistributionBody({ board, card, place }: DistributionBodyProps): JSX.Element {
  const chart = useRef<HistogramChart | null>(null);
  const latest = useMemo(() => new Latest<Histograms>(board.queue, () => urgencyOf(place)), []);
  const [pointed, picked] = [useSignal<number | null>(null), useSignal<number | null>(null)]; // rows under the pointer: in the chart, in the table
  const query = { run: card.run, tag: card.tag, attempts: board.attempts.value, steps: board.stepCount.value, bins: board.binCount.value || null };
  const key = JSON.stringify([query, board.version(card)]);
  const visible = board.visible.value;
  useEffect(() => {
    if (visible) latest.want(key, async (signal) => decodeHistograms(await board.ctx.data.columns('histograms', { ...query, format: 'safetensors' }, { signal })));
  }, [key, visible]);
  useEffect(() => () => latest.rest(), []);
  const found = latest.answer.value?.value ?? null;
  const failure = latest.error.value?.reason ?? null;
  const [unread] = found?.errors ?? [];
  const save = (extension: string, content: Blob | Promise<Blob>): void => {
    const name = fileName(`${card.tag}_${card.run ?? ''}`, extension, 'histograms');
    Promise.resolve(content).then((blob) => board.ctx.ui.download(name, blob), (error: unknown) => board.ctx.notify('error', message(error)));
  };
  const items = (): readonly MenuItem[] => [
    { action: 'export-csv', text: board.t('histogram.export.csv'), onPress: () => found && save('csv', new Blob([csvOf(histogramTable(found))], { type: 'text/csv' })) },
    { action: 'export-json', text: board.t('histogram.export.json'), href: board.ctx.data.href('histograms', query), download: fileName(card.tag, 'json', 'histograms') },
    { action: 'export-svg', text: board.t('histogram.export.svg'), onPress: () => chart.current && save('svg', new Blob([chart.current.toSVG()], { type: 'image/svg+xml' })) },
    { action: 'export-png', text: board.t('histogram.export.png'), onPress: () => chart.current && save('png', chart.current.toPNG()) },
  ];
  return (
    <>
      <CardHead board={board} card={card}>
        <Menu action="export" icon="export" label={board.t('export.title')} items={items} />
      </CardHead>
      {failure !== null && !found ? (
        <div class="view"><ErrorCell board={board} card={card} reason={failure} onRetry={() => latest.retry()} /></div>
      ) : unread && found?.steps.length === 0 ? (
        <div class="view"><ErrorCell board={board} card={card} step={unread.step} reason={unread.error} /></div>
      ) : (
        <div class="parts">
          <HistogramView board={board} card={card} found={found} view={board.view.value} time={board.time.value} busy={latest.busy.value} marked={picked.value} chart={chart} onRow={(row) => (pointed.value = row)} />
          {sameCard(board.full.value, card) && found && <HistogramTable board={board} found={found} marked={pointed.value} onRow={(row) => (picked.value = row)} />}
        </div>
      )}
      <HistogramStatus board={board} found={found} failure={found ? failure : null} onRetry={() => latest.retry()} />
    </>
  );
}
