import {
  bytesText,
  Button,
  CardHead,
  Download,
  problemOf,
  recordNotes,
  sameCard,
  Seldom,
  StepSlider,
  TableButton,
  timeLabel,
  useSteps,
  type CardKey,
  type Place,
  type Records,
} from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { hasBatches, LARGE, type ImageBoard } from './board';
import { LightPanel } from './light_panel';
import { filterOf } from './light';
import { Readout } from './readout';
import { recordsTable } from './records_table';
import { SampleChoice } from './samples';
import { Stage } from './stage';
import { useNeighbours, usePicture } from './use_picture';
import { ACTUAL, type Pixel } from './viewport';

export interface CardBodyProps {
  readonly board: ImageBoard;
  readonly card: CardKey;
  readonly place: Place;
}

/** The pictures of one tag in one run. */
export function CardBody({ board, card, place }: CardBodyProps): JSX.Element {
  const say = board.t;
  const steps = useSteps(board, card);
  const { records, index } = steps;
  const pixel = useSignal<Pixel | null>(null);
  const inspected = useSignal(false);
  const full = sameCard(board.full.value, card);
  const zoom = board.zoomOf(card);
  const sample = board.sampleOf(card);
  const info = board.infoOf(card.run ?? '', card.tag);
  const there = records !== null && index >= 0;
  const whole = full || zoom !== null || inspected.value;
  const shown = usePicture(board, card, place, there ? board.pictureOf(card, records, index, sample, whole) : null);
  const { frame, error, busy } = shown;
  const near = full || sameCard(board.current.value, card) || sameCard(board.playing.value, card);
  useNeighbours(
    board,
    there && near && !busy && board.visible.value,
    () => (records ? neighbours(records, index).map((i) => board.pictureOf(card, records, i, sample, whole)) : []),
    `${index} ${sample} ${whole}`,
  );
  const label = there
    ? say('picture.label', {
        tag: board.titleOf(card.tag),
        run: board.nameOf(card.run ?? ''),
        at: timeLabel(records, index, board.time.value, board.locale.value, say),
      })
    : '';
  const lit = sameCard(board.lit.value, card);
  const light = filterOf(board.lightOf(card));
  const others = (board.runsByTag.value.get(card.tag)?.length ?? 0) > 1;
  return (
    <>
      <CardHead board={board} card={card}>
        <Seldom>
          <Button
            action="actual"
            icon="actual"
            label={say(zoom ? 'zoom.fit' : 'zoom.actual')}
            pressed={zoom !== null}
            onPress={() => board.setZoom(card, zoom ? null : ACTUAL)}
          />
          <Button
            action="light"
            icon="contrast"
            label={say('light')}
            pressed={lit || board.hasOwnLight(card)}
            onPress={() => (board.lit.value = lit ? null : card)}
          />
          {others && (
            <Button
              action="compare"
              icon="compare"
              label={say('compare')}
              onPress={() => board.compared.set(card, 'push')}
            />
          )}
          <TableButton
            page={board}
            name={`${card.tag}_${card.run}`}
            title={`${board.titleOf(card.tag)}, ${board.nameOf(card.run ?? '')}`}
            data={() => records && recordsTable(board, records)}
            load={() => import('@insight-host/kit/table')}
          />
        </Seldom>
        {there && <Download label={say('download')} href={board.downloadOf(card, records, index, sample)} />}
      </CardHead>
      <div class={busy ? 'view busy' : 'view'} data-step={there ? records.steps[index] : undefined}>
        {problemOf(board, card, steps, shown) ?? (
          <Stage
            element={frame?.image ?? null}
            size={frame ?? { width: 0, height: 0 }}
            zoom={frame?.reduced ? null : zoom}
            onZoom={(next) => board.setZoom(card, next)}
            wheel={full}
            filter={light}
            label={label}
            onPixel={(at) => {
              pixel.value = at;
              if (at && frame?.reduced) inspected.value = true;
              if (!at) inspected.value = false;
            }}
            onOpen={() => (full ? board.setZoom(card, zoom ? null : ACTUAL) : board.full.set(card, 'push'))}
          />
        )}
        {lit && <LightPanel board={board} card={card} />}
      </div>
      {/* a comparison has a slider of its own that plays */}
      <StepSlider board={board} card={card} steps={steps} busy={busy || board.comparing.value !== null} />
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

function counts(board: ImageBoard, records: Records, index: number, size: string): string {
  const bytes = records.sizes[index] ?? -1;
  return [size, bytes >= 0 ? bytesText(bytes, board.locale.value) : '', ...recordNotes(board, records)]
    .filter((part) => part)
    .join(' · ');
}
