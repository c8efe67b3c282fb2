import { fullScreenKeys, type Key } from '@insight-host/kit';
import type { GraphParts } from './board';
import { fit, zoomBy } from './stage';

/** Keys of the tab; those of the drawing itself (arrows, Enter, Escape) are the drawing's while it has the focus. */
export function keys(board: GraphParts, host: HTMLElement): readonly Key[] {
  return [
    ['t', 'keys.search', () => host.querySelector<HTMLInputElement>('[data-control=search]')?.focus()],
    ['d', 'keys.drawing', () => host.querySelector<SVGElement>('svg.canvas')?.focus()],
    ['0', 'zoom.fit', () => fit(board)],
    ['+', 'zoom.in', () => zoomBy(board, 1.4)],
    ['-', 'zoom.out', () => zoomBy(board, 1 / 1.4)],
    ['o', 'keys.readable', () => board.readable.set(!board.readable.value)],
    ...fullScreenKeys(board.screen),
  ];
}
