import type { Key } from '@insight-host/kit';
import type { LineageParts } from './board';
import { diffOf } from './toolbar';

export function keys(board: LineageParts): readonly Key[] {
  return [
    ['v', 'keys.view', () => board.columns.view.set(board.columns.view.value === 'model' ? 'data' : 'model', 'push')],
    ['c', 'columns.title', () => (board.dialog.value = 'columns')],
    ['p', 'plot.hint', () => board.plot.set(!board.plot.value)],
    ['a', 'analysis.hint', () => board.analysis.set(!board.analysis.value)],
    ['d', 'keys.diff', () => diffOf(board)?.()],
    ['0', 'brushes.clear', () => board.brushing.clear()],
  ];
}
