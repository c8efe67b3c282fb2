import { useSignal } from '@preact/signals';
import type { HistogramChart, HistogramView as View } from './props';
import type { Query } from '@insight-host/api';
import type { XKind } from '@insight-host/kit/draw';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  CardHead,
  urgencyOf,
  type Place,
  sameCard,
  type CardKey,
  csvOf,
  ErrorCell,
  Menu,
  type MenuItem,
  portions,
  fileName,
  message,
  useTableView,
} from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import { recordsAt, StepSlider, type CardSteps } from '@insight-host/kit/steps';
import type { HistogramParts } from './parts';
import { HistogramStatus } from './reading';
import { HistogramTable } from './table';
import { HistogramView } from './view';
import { chartData, decodeHistograms, histogramTable, type Histograms } from './answer';

const MOST = 100; // runs in one picture
const LAST = Number.MAX_SAFE_INTEGER; // the step nearest to it is the last one

export interface HistogramCardProps {
  readonly board: HistogramParts;
  readonly card: CardKey;
  readonly place: Place;
}

/** Histograms on a card: of one series over steps, or of all runs of a tag at one step. */
export function HistogramCard(props: HistogramCardProps): JSX.Element {
  return props.card.run === null ? <RunHistograms {...props} /> : <SeriesHistograms {...props} run={props.card.run} />;
}

function SeriesHistograms({ board, card, place, run }: HistogramCardProps & { readonly run: string }): JSX.Element {
  const query = { run, tag: card.tag, steps: board.histograms.stepCount.value, ...commonQuery(board) };
  const latest = useLatest(board, place);
  useWish(board, latest, 'histograms', query, board.versions.of(card.tag, [run]));
  const found = latest.answer.value?.value ?? null;
  useEffect(() => {
    if (found && found.steps.length > 0)
      board.ranges.set(card, [found.edges[0] as number, found.edges[found.edges.length - 1] as number]);
  }, [found]);
  return (
    <Picture
      board={board}
      card={card}
      route="histograms"
      query={query}
      latest={latest}
      view={board.histograms.view.value}
      time={board.time.value}
      extent={board.ranges.of(card.tag)}
    />
  );
}

/** Each run at the step that is nearest to the slider. */
function RunHistograms({ board, card, place }: HistogramCardProps): JSX.Element {
  const all = board.page.inPanelOrder(board.tags.runsOf(card.tag)).map(({ name }) => name);
  const runs = portions(all)[0]?.slice(0, MOST) ?? [];
  const latest = useLatest(board, place);
  const axis = latest.answer.value?.value.axis;
  const attempts = board.attempts.value;
  const records = useMemo(() => (axis ? recordsAt(axis, attempts) : null), [axis, attempts]);
  const index = records ? board.stands.indexOf(card, records) : -1;
  const isLast = !records || index >= records.steps.length - 1;
  const query = {
    run: runs,
    tag: card.tag,
    step: isLast ? LAST : (records.steps[index] as number),
    ...commonQuery(board),
  };
  useWish(board, latest, 'comparison', query, board.versions.of(card.tag, runs));
  const number = (n: number): string => n.toLocaleString(board.page.locale.value);
  const text =
    runs.length < all.length
      ? board.page.t('histogram.runs.some', { shown: number(runs.length), runs: number(all.length) })
      : board.page.t('histogram.runs', { count: runs.length });
  const steps: CardSteps = {
    records,
    error: latest.error.value?.reason ?? null,
    index,
    move: (to) => records && board.stands.move(card, records, to),
    retry: () => latest.retry(),
  };
  return (
    <Picture
      board={board}
      card={card}
      route="comparison"
      query={query}
      latest={latest}
      view="front"
      time="step"
      text={text}
    >
      <StepSlider board={board} card={card} steps={steps} busy={latest.busy.value} kind="step" />
    </Picture>
  );
}

function commonQuery(board: HistogramParts): Query {
  return {
    attempts: board.attempts.value,
    bins: board.histograms.binCount.value || null,
    ignore_outliers: board.histograms.outliers.value ? 1 : null,
  };
}

function useLatest(board: HistogramParts, place: Place): Latest<Histograms> {
  const latest = useMemo(() => new Latest<Histograms>(board.queue, () => urgencyOf(place)), []);
  useEffect(() => () => latest.rest(), []);
  return latest;
}

function useWish(
  board: HistogramParts,
  latest: Latest<Histograms>,
  route: string,
  query: Query,
  version: number,
): void {
  const key = JSON.stringify([query, version]);
  const visible = board.page.visible.value;
  useEffect(() => {
    if (visible)
      latest.want(key, async (signal) =>
        decodeHistograms(await board.page.ctx.data.columns(route, { ...query, format: 'safetensors' }, { signal })),
      );
  }, [key, visible]);
}

interface PictureProps {
  readonly board: HistogramParts;
  readonly card: CardKey;
  readonly route: string;
  readonly query: Query;
  readonly latest: Latest<Histograms>;
  readonly view: View;
  readonly time: XKind;
  readonly extent?: readonly [number, number] | undefined;
  /** Says what is shown, when it is not steps of one series. */
  readonly text?: string;
  /** Below the picture. */
  readonly children?: ComponentChildren;
}

function Picture({ board, card, route, query, latest, view, time, extent, text, children }: PictureProps): JSX.Element {
  const chart = useRef<HistogramChart | null>(null);
  // rows under the pointer: in the chart, in the table
  const [pointed, picked] = [useSignal<number | null>(null), useSignal<number | null>(null)];
  const found = latest.answer.value?.value ?? null;
  const failure = latest.error.value?.reason ?? null;
  const [unread] = found?.errors ?? [];
  const retry = (): void => latest.retry();
  const table = useTableView(
    board.page,
    card.tag,
    board.page.titleOf(card.tag),
    () => found && chartData(found),
    () => import('@insight-host/kit/table'),
  );
  return (
    <>
      <CardHead board={board} card={card}>
        <Menu
          action="export"
          icon="export"
          label={board.page.t('export.title')}
          items={() => [table.item, ...exportsOf(board, card, route, query, found, chart.current)]}
        />
      </CardHead>
      {table.dialog}
      {failure !== null && !found ? (
        <div class="view">
          <ErrorCell page={board.page} card={card} reason={failure} onRetry={retry} />
        </div>
      ) : unread && found?.steps.length === 0 ? (
        <div class="view">
          <ErrorCell page={board.page} card={card} step={unread.step} reason={board.page.reason(unread)} />
        </div>
      ) : (
        <div class="parts">
          <HistogramView
            page={board.page}
            card={card}
            found={found}
            view={view}
            time={time}
            busy={latest.busy.value}
            extent={extent}
            marked={picked.value}
            chart={chart}
            onRow={(row) => (pointed.value = row)}
          />
          {sameCard(board.cards.full.value, card) && found && (
            <HistogramTable
              page={board.page}
              found={found}
              marked={pointed.value}
              onRow={(row) => (picked.value = row)}
            />
          )}
        </div>
      )}
      {children}
      <HistogramStatus
        page={board.page}
        found={found}
        failure={found ? failure : null}
        onRetry={retry}
        {...(text === undefined ? {} : { text })}
      />
    </>
  );
}

function exportsOf(
  board: HistogramParts,
  card: CardKey,
  route: string,
  query: Query,
  found: Histograms | null,
  chart: HistogramChart | null,
): readonly MenuItem[] {
  const name = (extension: string): string =>
    fileName(card.run === null ? card.tag : `${card.tag}_${card.run}`, extension, 'histograms');
  const save = (extension: string, content: Blob | Promise<Blob>): void => {
    Promise.resolve(content).then(
      (blob) => board.page.ctx.ui.download(name(extension), blob),
      (error: unknown) => board.page.ctx.notify('error', message(error)),
    );
  };
  return [
    {
      action: 'export-csv',
      text: board.page.t('histogram.export.csv'),
      onPress: () => found && save('csv', new Blob([csvOf(histogramTable(found))], { type: 'text/csv' })),
    },
    {
      action: 'export-json',
      text: board.page.t('histogram.export.json'),
      href: board.page.ctx.data.href(route, query),
      download: name('json'),
    },
    {
      action: 'export-svg',
      text: board.page.t('histogram.export.svg'),
      onPress: () => chart && save('svg', new Blob([chart.toSVG()], { type: 'image/svg+xml' })),
    },
    {
      action: 'export-png',
      text: board.page.t('histogram.export.png'),
      onPress: () => chart && save('png', chart.toPNG()),
    },
  ];
}
