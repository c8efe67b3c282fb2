import { boardKeys, onCard, type CardKey, type Key } from '@insight-host/kit';
import { stepKeys } from '@insight-host/kit/steps';
import type { ImageParts } from './board';
import { ACTUAL } from './viewport';

export function keys(board: ImageParts, host: HTMLElement): readonly Key[] {
  const [full, , filter] = boardKeys(board, host);
  /** The comparison, where there is one, stands above all cards. */
  const onShown = (run: (card: CardKey) => void): (() => void) => {
    const elsewhere = onCard(board, run);
    return () => (board.comparing.card.value ? run(board.comparing.card.value) : elsewhere());
  };
  return [
    ...stepKeys(board),
    full,
    ['a', 'zoom.actual', onShown((card) => board.zooms.set(card, board.zooms.of(card) ? null : ACTUAL))],
    [
      'c',
      'compare',
      onCard(board, (card) => board.comparing.wanted.set(board.comparing.wanted.value ? null : card, 'push')),
    ],
    ['Escape', 'full.leave', () => leave(board)],
    filter,
  ];
}

function leave(board: ImageParts): void {
  if (board.lights.lit.value) board.lights.lit.value = null;
  else if (board.comparing.card.value) board.comparing.wanted.set(null);
  else if (board.cards.full.value) board.cards.full.set(null);
}
