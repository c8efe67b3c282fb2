import type { LandscapeParts } from './board';
import type { Listed } from './landscape';

/** `epochs 1 to 3`, `final`, or the id of one that cannot be read. */
export function intervalText(board: LandscapeParts, { id, kind, interval, unit, error }: Listed): string {
  const again = id.includes('~') ? ` (${id.slice(id.indexOf('~') + 1)})` : '';
  if (error !== undefined) return board.page.t('interval.damaged', { id });
  if (kind === 'final') return board.page.t('interval.final') + again;
  if (!interval) return id;
  if (interval[0] === interval[1]) return atText(board, unit, interval[0]) + again;
  return (
    board.page.t(unit === 'step' ? 'interval.steps' : 'interval.epochs', { first: interval[0], last: interval[1] }) +
    again
  );
}

/** `epoch 3`. */
export function atText(board: LandscapeParts, unit: string | undefined, at: number): string {
  return board.page.t(unit === 'step' ? 'at.step' : 'at.epoch', { at });
}
