import type { JSX } from 'preact';
import type { EmbeddingParts } from './board';
import { Thumbnail } from './thumbnail';

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
