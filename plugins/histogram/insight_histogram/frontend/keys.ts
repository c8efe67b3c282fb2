import { boardKeys, stepKeys, type Key } from '@insight-host/kit';
import { type HistogramBoard } from '@insight-host/kit/histograms';

export function keys(board: HistogramBoard, host: HTMLElement): readonly Key[] {
  return [
    ['v', 'histogram.view.next', () => board.turnView()],
    ['c', 'histogram.compare.hint', () => board.compare.set(!board.compare.value, 'push')],
    ...stepKeys(board),
    ...boardKeys(board, host),
  ];
}
