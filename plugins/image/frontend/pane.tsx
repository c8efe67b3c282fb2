import { problemOf, type CardKey } from '@insight-host/kit';
import { timeLabel } from '@insight-host/kit/steps';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ImageParts } from './board';
import { filterOf } from './light';
import { Readout } from './readout';
import { Stage } from './stage';
import { useRunPicture, useWaiting, type RunPicture } from './use_run_picture';
import type { Pixel } from './viewport';

export interface PaneProps {
  readonly board: ImageParts;
  readonly card: CardKey;
  /** The card whose zoom, light and sample all panes share. */
  readonly first: CardKey;
  readonly step: number | null;
  readonly at: number | null;
  /** Under the pointer, in whichever pane that is. */
  readonly pixel: Signal<Pixel | null>;
  /** How many pictures are not yet what is asked for. */
  readonly waiting: Signal<number>;
}

/** One run next to others. */
export function Pane({ board, card, first, step, at, pixel, waiting }: PaneProps): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const picture = useRunPicture(board, card, place, step, board.samples.of(first) ?? 0, at);
  const { frame } = picture;
  useWaiting(waiting, picture.busy);
  return (
    <figure ref={place} class="pane" data-testid="pane" data-run={card.run ?? ''} data-card-run={card.run ?? ''}>
      <RunLabel board={board} picture={picture} step={step} />
      <div class={picture.busy ? 'view busy' : 'view'}>
        {problemOf(board.page, card, picture.steps, picture) ?? (
          <Stage
            element={frame?.image ?? null}
            size={frame ?? { width: 0, height: 0 }}
            zoom={board.zooms.of(first)}
            onZoom={(zoom) => board.zooms.set(first, zoom)}
            wheel
            filter={filterOf(board.lights.of(first))}
            label={`${board.page.titleOf(card.tag)}, ${board.page.nameOf(card.run ?? '')}`}
            onPixel={(found) => (pixel.value = found)}
          />
        )}
      </div>
      <footer>
        <span class="counts">{frame && !picture.error ? `${frame.width} × ${frame.height}` : ''}</span>
        {pixel.value && frame && !picture.error && <Readout board={board} frame={frame} pixel={pixel.value} />}
      </footer>
    </figure>
  );
}

export interface RunLabelProps {
  readonly board: ImageParts;
  readonly picture: RunPicture;
  /** That all are asked for. */
  readonly step: number | null;
}

/** Run and record; marked where the run has nothing at the step that all are asked for. */
export function RunLabel({ board, picture, step }: RunLabelProps): JSX.Element {
  const { card, steps } = picture;
  const { records, index } = steps;
  const own = records && index >= 0 ? records.steps[index] : undefined;
  const other = own !== undefined && step !== null && own !== step;
  return (
    <figcaption data-hover-run={card.run ?? ''}>
      <i class="dot" style={{ background: board.page.runsByName.value.get(card.run ?? '')?.color ?? 'var(--faint)' }} />
      <span class="run" title={card.run ?? ''}>
        {board.page.nameOf(card.run ?? '')}
      </span>
      {records && index >= 0 && (
        <span class={other ? 'at other' : 'at'} title={other ? board.page.t('compare.nearest', { step }) : ''}>
          {timeLabel(records, index, board.time.value, board.page.locale.value, board.page.t)}
          {other && board.time.value !== 'step'
            ? ` (${timeLabel(records, index, 'step', board.page.locale.value, board.page.t)})`
            : ''}
        </span>
      )}
    </figcaption>
  );
}
