import { problemOf, type CardKey } from '@insight-host/kit';
import { timeLabel } from '@insight-host/kit/steps';
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ImageParts } from './board';
import { pixelOf, type Frame } from './frames';
import { filterOf } from './light';
import { Stage } from './stage';
import { useRunPicture, useWaiting, type RunPicture } from './use_picture';
import type { Pixel } from './viewport';

interface PaneProps {
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

/** Shows one run next to others. */
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

interface RunLabelProps {
  readonly board: ImageParts;
  readonly picture: RunPicture;
  /** The step that all runs are asked for. */
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

interface ReadoutProps {
  readonly board: ImageParts;
  readonly frame: Frame;
  readonly pixel: Pixel;
  /** The run that it is of, where several are shown in one place. */
  readonly run?: string;
}

/**
 * Red, green and blue, 0 to 255, and alpha of a pixel that is not opaque: browsers keep its colours multiplied by
 * alpha, which gives them back only nearly, and not at all where alpha is 0.
 */
export function pixelText([red, green, blue, alpha]: readonly [number, number, number, number]): string {
  if (alpha === 0) return '– – – 0';
  return alpha === 255 ? `${red} ${green} ${blue}` : `≈ ${red} ${green} ${blue} ${alpha}`;
}

/** The value of one pixel. */
export function Readout({ board, frame, pixel, run }: ReadoutProps): JSX.Element | null {
  if (pixel.x >= frame.width || pixel.y >= frame.height) return null;
  const value = pixelOf(frame.image, pixel.x, pixel.y);
  const [red, green, blue, alpha] = value;
  return (
    <span class="readout" data-testid="pixel" title={board.page.t('pixel.hint')}>
      {run !== undefined && (
        <i
          class="dot"
          title={board.page.nameOf(run)}
          style={{ background: board.page.runsByName.value.get(run)?.color ?? 'var(--faint)' }}
        />
      )}
      <i class="swatch" style={{ background: `rgb(${red} ${green} ${blue} / ${alpha / 255})` }} />
      <span class="at">{board.page.t('pixel.at', { x: pixel.x, y: pixel.y })}</span>
      <b>{pixelText(value)}</b>
    </span>
  );
}
