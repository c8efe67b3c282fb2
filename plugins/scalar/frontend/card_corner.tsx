import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ScalarParts } from './board';
import { dragged, pressed, sizeFrom, type CardSizes } from './card_size';
import { Corner } from './corner';

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
