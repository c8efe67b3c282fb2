import { drag } from '@insight-host/kit';
import type { JSX } from 'preact';

interface CornerProps {
  readonly label: string;
  /** The corner was moved so far, in pixels, since it was pressed. */
  readonly onMove: (dx: number, dy: number) => void;
  /** It was released, or put back. */
  readonly onEnd: (isKept: boolean) => void;
  /** Whether the key resizes. */
  readonly onKey: (key: string) => boolean;
}

/** The corner by which a card is resized: dragged, or with arrow keys. */
export function Corner({ label, onMove, onEnd, onKey }: CornerProps): JSX.Element {
  return (
    <button
      type="button"
      class="corner"
      data-action="resize"
      aria-label={label}
      title={label}
      onKeyDown={(event) => {
        if (onKey(event.key)) event.preventDefault();
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        drag(event, {
          move: (_, dx, dy) => onMove(dx, dy),
          end: () => onEnd(true),
          cancel: () => onEnd(false),
        });
      }}
    />
  );
}
