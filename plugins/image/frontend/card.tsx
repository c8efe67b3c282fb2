import {
  Button,
  bytesText,
  CardHead,
  Download,
  exactAt,
  NumberBox,
  problemOf,
  sameCard,
  Seldom,
  TableButton,
  type CardKey,
  type ContentOfCard,
} from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import { recordNotes, StepSlider, timeLabel, useSteps, type Records } from '@insight-host/kit/steps';
import type { ChartData } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { hasBatches, LARGE, pictureOf, queryOf, type ImageParts } from './board';
import { filterOf } from './light';
import { Readout } from './pane';
import { Stage } from './stage';
import { ActualSize, LightPanel, OwnIcon } from './toolbar';
import { useNeighbours, usePicture } from './use_picture';
import { ACTUAL, type Pixel } from './viewport';

/** The pictures of one tag in one run. */
export function CardBody({ board, card, place }: ContentOfCard<ImageParts>): JSX.Element {
  const { t: say } = board.page;
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const pixel = useSignal<Pixel | null>(null);
  const inspected = useSignal(false);
  const full = sameCard(board.cards.full.value, card);
  const zoom = board.zooms.of(card);
  const sample = board.samples.of(card) ?? 0;
  const info = board.tags.infoOf(card.run ?? '', card.tag);
  const there = records !== null && index >= 0;
  const whole = full || zoom !== null || inspected.value;
  const shown = usePicture(board, card, place, there ? pictureOf(card, records, index, sample, whole) : null);
  const { frame, error, busy } = shown;
  const near = full || sameCard(board.cards.current.value, card) || sameCard(board.playback.playing.value, card);
  useNeighbours(
    board,
    there && near && !busy && board.page.visible.value,
    () => (records ? neighbours(records, index).map((i) => pictureOf(card, records, i, sample, whole)) : []),
    `${index} ${sample} ${whole}`,
  );
  const label = there
    ? say('picture.label', {
        tag: board.page.titleOf(card.tag),
        run: board.page.nameOf(card.run ?? ''),
        at: timeLabel(records, index, board.time.value, board.page.locale.value, say),
      })
    : '';
  const lit = sameCard(board.lights.lit.value, card);
  const light = filterOf(board.lights.of(card));
  const others = (board.tags.runsByTag.value.get(card.tag)?.length ?? 0) > 1;
  return (
    <>
      <CardHead board={board} card={card}>
        <Seldom>
          <ActualSize board={board} card={card} />
          <Button
            action="light"
            icon={<OwnIcon name="contrast" />}
            label={say('light')}
            pressed={lit || board.lights.hasOwn(card)}
            onPress={() => (board.lights.lit.value = lit ? null : card)}
          />
          {others && (
            <Button
              action="compare"
              icon="compare"
              label={say('compare')}
              onPress={() => board.comparing.wanted.set(card, 'push')}
            />
          )}
          <TableButton
            page={board.page}
            name={`${card.tag}_${card.run}`}
            title={`${board.page.titleOf(card.tag)}, ${board.page.nameOf(card.run ?? '')}`}
            data={() => records && recordsTable(board, records)}
            load={() => import('@insight-host/kit/table')}
          />
        </Seldom>
        {there && (
          <Download
            label={say('download')}
            href={board.page.ctx.data.href('image', { ...queryOf(card, records, index, sample), download: 1 })}
          />
        )}
      </CardHead>
      <div class={busy ? 'view busy' : 'view'} data-step={there ? records.steps[index] : undefined}>
        {problemOf(board.page, card, steps, shown) ?? (
          <Stage
            element={frame?.image ?? null}
            size={frame ?? { width: 0, height: 0 }}
            zoom={frame?.reduced ? null : zoom}
            onZoom={(next) => board.zooms.set(card, next)}
            wheel={full}
            filter={light}
            label={label}
            onPixel={(at) => {
              pixel.value = at;
              if (at && frame?.reduced) inspected.value = true;
              if (!at) inspected.value = false;
            }}
            onOpen={() => (full ? board.zooms.set(card, zoom ? null : ACTUAL) : board.cards.full.set(card, 'push'))}
          />
        )}
        {lit && <LightPanel board={board} card={card} />}
      </div>
      {/* a comparison has a slider of its own that plays */}
      <StepSlider board={board} card={card} steps={steps} busy={busy || board.comparing.card.value !== null} />
      <footer data-testid="card-status">
        {info && hasBatches(info) && there && (
          <SampleChoice board={board} card={card} records={records} index={index} />
        )}
        <span class="counts">
          {there &&
            counts(board, records, index, frame && !frame.reduced && !error ? `${frame.width} × ${frame.height}` : '')}
        </span>
        {pixel.value && frame && !frame.reduced && !error && (
          <Readout board={board} frame={frame} pixel={pixel.value} />
        )}
      </footer>
    </>
  );
}

/** Records that are likely to be wanted next, unless that would keep what is wanted now waiting. */
function neighbours({ sizes }: Records, index: number): readonly number[] {
  return [index + 1, index - 1, index + 2].filter((i) => i >= 0 && i < sizes.length && (sizes[i] ?? 0) <= LARGE);
}

function counts(board: ImageParts, records: Records, index: number, size: string): string {
  const bytes = records.sizes[index] ?? -1;
  return [size, bytes >= 0 ? bytesText(bytes, board.page.locale.value) : '', ...recordNotes(board.page, records)]
    .filter((part) => part)
    .join(' · ');
}

interface RecordInfo {
  readonly samples: number;
}

interface SampleChoiceProps {
  readonly board: ImageParts;
  readonly card: CardKey;
  readonly records: Records;
  readonly index: number;
}

/** Names the picture of a batch that is shown, and their number; empty for a batch of one. */
function SampleChoice({ board, card, records, index }: SampleChoiceProps): JSX.Element | null {
  const sample = board.samples.of(card) ?? 0;
  const query = queryOf(card, records, index, 0);
  const { value: found } = useAnswer(
    JSON.stringify(query),
    (signal) => board.page.ctx.data.json<RecordInfo>('info', query, { signal }),
    { queue: board.queue, visible: board.page.visible.value },
  );
  const count = found?.samples;
  if (sample === 0 && (count === undefined || count === 1)) return null;
  const last = Math.max(0, (count ?? sample + 1) - 1);
  const label = board.page.t('sample.label');
  return (
    <label class="sample" title={board.page.t('sample.hint')}>
      <span>{label}</span>
      <NumberBox
        name="sample"
        label={label}
        value={sample}
        low={0}
        high={last}
        live
        onPick={(value) => board.samples.set(card, value || null)}
      />
      <span data-testid="sample-count">{count === undefined ? '' : board.page.t('sample.of', { last, count })}</span>
    </label>
  );
}

/** A row for each record that the slider goes over: step, date and time in ISO 8601 (UTC), and size in bytes. */
function recordsTable(board: ImageParts, { steps, wallTimes, sizes }: Records): ChartData {
  return {
    head: [board.page.t('time.kind.step'), board.page.t('table.time'), board.page.t('table.size')],
    rows: Array.from(steps, (_, i) => [
      exactAt(steps, i),
      momentOf(wallTimes[i]),
      (sizes[i] ?? -1) < 0 ? null : (sizes[i] as number),
    ]),
  };
}

function momentOf(seconds = NaN): string | null {
  const moment = new Date(1000 * seconds);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}
