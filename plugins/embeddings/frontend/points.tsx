/** One point for people: its picture, its line in a list, the box beside the pointer. */
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

interface PointLineProps {
  readonly board: EmbeddingParts;
  readonly point: number;
  /** At the end of the line. */
  readonly note?: string;
}

/** A point in a list: a press chooses it, and it stands out while the line has the pointer or the focus. */
export function PointLine({ board, point, note }: PointLineProps): JSX.Element {
  const show = (): void => void (board.hovered.value = point);
  const hide = (): void => void (board.hovered.value = null);
  return (
    <li>
      <button
        type="button"
        aria-pressed={board.focused.value === point}
        data-point={point}
        onClick={() => board.point.set(board.focused.value === point ? null : point)}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
      >
        {board.source.sprite.value ? (
          <Thumbnail board={board} point={point} side={18} />
        ) : (
          <i class="dot" style={{ background: board.colorOf(point) }} />
        )}
        <span class="name">{board.labelOf(point)}</span>
        {note !== undefined && <span class="counts">{note}</span>}
      </button>
    </li>
  );
}

interface ReadingProps {
  readonly board: EmbeddingParts;
  readonly point: number;
  readonly at: readonly [x: number, y: number];
}

/** The point under the pointer: its picture, its label, and what its colour stands for. */
export function Reading({ board, point, at: [x, y] }: ReadingProps): JSX.Element {
  const color = board.colorColumn.value;
  const isRight = x > 240;
  return (
    <div
      class="reading"
      data-testid="reading"
      style={{
        transform: `translate(${Math.round(x + (isRight ? -14 : 14))}px, ${Math.round(Math.max(4, y - 20))}px)${
          isRight ? ' translateX(-100%)' : ''
        }`,
      }}
    >
      <Thumbnail board={board} point={point} side={40} />
      <div>
        <b>{board.labelOf(point)}</b>
        {color && color !== board.labelColumn.value && (
          <div class="line">
            <i class="dot" style={{ background: board.colorOf(point) }} />
            {color.name}: {color.labels[color.codes[point] ?? -1]}
          </div>
        )}
      </div>
    </div>
  );
}
