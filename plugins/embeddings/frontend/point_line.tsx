import type { JSX } from 'preact';
import type { EmbeddingParts } from './board';
import { Thumbnail } from './thumbnail';

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
