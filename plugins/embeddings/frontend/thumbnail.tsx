import type { JSX } from 'preact';
import type { EmbeddingParts } from './board';

interface ThumbnailProps {
  readonly board: Pick<EmbeddingParts, 'source' | 'chosen'>;
  readonly point: number;
  /** Of the longer side, in pixels. */
  readonly side: number;
}

/** The picture of a point, cut out of the one that holds all; nothing without one. */
export function Thumbnail({ board, point, side }: ThumbnailProps): JSX.Element | null {
  const [image, size] = [board.source.sprite.value, board.chosen.entry.value?.picture_size];
  if (!image || !size) return null;
  const [width, height] = size;
  const columns = Math.max(1, Math.floor(image.naturalWidth / width));
  const scale = side / Math.max(width, height);
  const [left, top] = [(point % columns) * width, Math.floor(point / columns) * height];
  return (
    <i
      class="thumbnail"
      aria-hidden="true"
      style={{
        width: `${width * scale}px`,
        height: `${height * scale}px`,
        backgroundImage: `url("${image.src}")`,
        backgroundSize: `${image.naturalWidth * scale}px auto`,
        backgroundPosition: `${-left * scale}px ${-top * scale}px`,
      }}
    />
  );
}
