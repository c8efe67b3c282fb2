import type { JSX } from 'preact';
import type { ImageParts } from './board';
import { pixelOf, type Frame } from './frames';
import type { Pixel } from './viewport';

export interface ReadoutProps {
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
