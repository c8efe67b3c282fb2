/** Texts of advice in the user's language. */
import type { Reason } from '@insight-host/api';
import type { Advice, AdviceAnswer, EvidencePlace } from './answers/advice';
import type { ProfilerParts } from './board';

/** A reason by the messages of the answer, else in English. Numbers are written as the locale does. */
export function reasonText(board: ProfilerParts, { messages }: Pick<AdviceAnswer, 'messages'>, reason: Reason): string {
  const locale = board.page.locale.value;
  const text = messages[locale]?.[`error.${reason.code ?? ''}`];
  if (text === undefined) return reason.error.charAt(0).toUpperCase() + reason.error.slice(1);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = reason.details?.[name];
    return typeof value === 'number'
      ? value.toLocaleString(locale, { maximumSignificantDigits: 6 })
      : String(value ?? '');
  });
}

/** What a change saves: `saves about 24 % of a step`, `at most` where nothing was replayed; "" where not known. */
export function savesText(board: ProfilerParts, { saves, basis }: Pick<Advice, 'saves' | 'basis'>): string {
  if (saves === null) return '';
  const format = new Intl.NumberFormat(board.page.locale.value, { style: 'percent', maximumSignificantDigits: 2 });
  return board.page.t(basis === 'replay' ? 'advice.saves' : 'advice.saves.most', { share: format.format(saves) });
}

/** What a link to evidence is called. */
export function placeText(board: ProfilerParts, { kind, view, text }: EvidencePlace): string {
  if (kind === 'view') return board.page.t(`view.${view}`);
  return board.page.t(text === '' ? `place.${kind}.none` : `place.${kind}`, { name: text });
}

/** Shows the evidence. */
export function openPlace(board: ProfilerParts, { view, state }: EvidencePlace): void {
  board.page.ctx.open('profiler', { slice: null, window: null, view, ...state });
}
