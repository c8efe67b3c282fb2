import { boardKeys, onCard, stepKeys, type CardKey, type Key } from '@insight-host/kit';
import type { ImageBoard } from './board';
import { ACTUAL } from './viewport';

export function keys(board: ImageBoard, host: HTMLElement): readonly Key[] {
  const [full, , filter] = boardKeys(board, host);
  /** The comparison, where there is one, stands above all cards. */
  const onShown = (run: (card: CardKey) => void): (() => void) => {
    const elsewhere = onCard(board, run);
    return () => (board.comparing.value ? run(board.comparing.value) : elsewhere());
  };
  return [
    ...stepKeys(board),
    full,
    ['a', 'zoom.actual', onShown((card) => board.setZoom(card, board.zoomOf(card) ? null : ACTUAL))],
    ['c', 'compare', onCard(board, (card) => board.compared.set(board.compared.value ? null : card, 'push'))],
    ['Escape', 'full.leave', () => leave(board)],
    filter,
  ];
}

function leave(board: ImageBoard): void {
  if (board.lit.value) board.lit.value = null;
  else if (board.comparing.value) board.compared.set(null);
  else if (board.full.value) board.full.set(null);
}
