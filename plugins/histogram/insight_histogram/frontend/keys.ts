import { boardKeys, stepKeys, type Key } from 'insight-host/kit';
import type { HistogramBoard } from './board';

export function keys(board: HistogramBoard, host: HTMLElement): readonly Key[] {
  return [['v', 'keys.view', () => board.turnView()], ['c', 'compare.hint', () => board.compare.set(!board.compare.value, 'push')], ...stepKeys(board), ...boardKeys(board, host)];
}
