import { boardKeys, type Key } from '@insight-host/kit';
import { stepKeys } from '@insight-host/kit/steps';
import { turnView, type HistogramParts } from '@insight-host/kit/histograms';

export function keys(board: HistogramParts, host: HTMLElement): readonly Key[] {
  return [
    ['v', 'histogram.view.next', () => turnView(board.histograms)],
    ['c', 'histogram.compare.hint', () => board.histograms.compare.set(!board.histograms.compare.value, 'push')],
    ...stepKeys(board),
    ...boardKeys(board, host),
  ];
}
