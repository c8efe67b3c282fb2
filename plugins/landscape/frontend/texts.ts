import { valueText } from '@insight-host/kit';
import type { LandscapeParts } from './board';
import type { Listed } from './landscape';
import type { Look } from './plan';

/** The smallest and the largest finite loss, NaN without one. */
interface Losses {
  readonly low: number;
  readonly high: number;
}

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

/** `losses 1 to 2`; or that there is one only, or none. */
export function lossesText({ page }: LandscapeParts, { low, high }: Losses): string {
  if (Number.isNaN(low)) return page.t('status.empty');
  if (low === high) return page.t('status.constant', { loss: valueText(low) });
  return page.t('status.range', { low: valueText(low), high: valueText(high) });
}

/** Why a picture with these lines shows nothing of a landscape; null if it shows something. */
export function blankText(
  board: LandscapeParts,
  losses: Losses,
  form: Look['form'],
  levels: readonly number[],
): string | null {
  const { low, high } = losses;
  if (Number.isNaN(low)) return lossesText(board, losses);
  if (form === 'surface') return null;
  if (low === high) return lossesText(board, losses);
  if (levels.some((level) => level > low && level < high)) return null;
  return board.page.t('status.flat', { low: valueText(low), high: valueText(high) });
}
