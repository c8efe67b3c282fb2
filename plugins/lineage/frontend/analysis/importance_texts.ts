/** Shares, coefficients and best values of parameters as people read them. */
import { valueText } from '@insight-host/kit';
import type { Best, ImportanceAnswer, Parameter } from '../answers';
import type { LineageParts } from '../board';

/** The values with the best results; empty where they are not known. */
export function bestText(board: LineageParts, name: string, best: Best | null): string {
  if (!best) return '';
  if ('texts' in best) return best.texts.join(board.page.t('list.separator'));
  const column = board.frame.value?.columns.get(name);
  const text = (value: number): string => {
    const short = Number(value.toPrecision(3));
    return column?.isWhole ? column.numberText(short) : valueText(short);
  };
  return best.from === best.to ? text(best.from) : `${text(best.from)} – ${text(best.to)}`;
}

export function percent(board: LineageParts, share: number): string {
  const shown = Math.max(0, share);
  return new Intl.NumberFormat(board.page.locale.value, {
    style: 'percent',
    maximumFractionDigits: shown > 0 && shown < 0.1 ? 1 : 0,
  }).format(shown);
}

export function coefficientText(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return value < 0 && Number(text) > 0 ? `−${text}` : text;
}

export const titleOf = (board: LineageParts, name: string): string => board.columns.all.value.get(name)?.title ?? name;

/** Why a parameter has no bar; null if it has one. */
export function refusalOf(
  board: LineageParts,
  { count, reason, follows, correlation }: Parameter,
  { used, explained }: Pick<ImportanceAnswer, 'used' | 'explained'>,
): string | null {
  const { t: say } = board.page;
  if (count === 0 && used > 0) return say('reason.absent', { count: used });
  if (reason) return say(`reason.${reason}`, { count: used, name: follows === null ? '' : titleOf(board, follows) });
  if (explained || correlation.pearson !== null) return null;
  const why = correlation.reason ?? 'too_few';
  return say(`reason.${why}`, { count: why === 'constant' ? used : correlation.count });
}
