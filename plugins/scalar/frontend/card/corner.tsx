import { drag } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { dragged, pressed, sizeFrom, type CardSizes } from './card_size';

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

interface CardCornerProps {
  readonly board: ScalarParts;
  /** The card. */
  readonly place: { readonly current: HTMLElement | null };
}

/** The corner of a card of the board: all cards follow, as all have one size. */
export function CardCorner({ board, place }: CardCornerProps): JSX.Element {
  const before = useRef<{ readonly chosen: CardSizes; readonly size: CardSizes; readonly width: number } | null>(null);
  const { size } = board;
  const current = (): CardSizes => {
    const { offsetWidth: width = 0, offsetHeight: height = 0 } = place.current ?? {};
    return sizeFrom(size.setting.value, { width, height });
  };
  const boardWidth = (): number => place.current?.closest('.groups')?.clientWidth ?? 0;
  return (
    <Corner
      label={board.page.t('size.corner')}
      onMove={(dx, dy) => {
        before.current ??= { chosen: size.setting.value, size: current(), width: boardWidth() };
        size.set(dragged(before.current.size, dx, dy, before.current.width));
      }}
      onEnd={(isKept) => {
        if (!isKept && before.current) size.set(before.current.chosen);
        before.current = null;
      }}
      onKey={(key) => {
        const next = pressed(key, current(), boardWidth());
        if (next) size.set(next);
        return next !== null;
      }}
    />
  );
}
