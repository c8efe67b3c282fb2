/** Texts of advice in the user's language. */
import type { Reason } from '@insight-host/api';
import type { Advice, AdviceAnswer, EvidencePlace } from './answers/advice';
import type { ProfilerParts } from './board';

/** A reason by the messages of the answer, else in English. Numbers are written as the locale does. */
export function reasonText(board: ProfilerParts, { messages }: Pick<AdviceAnswer, 'messages'>, reason: Reason): string {
  const locale = board.page.locale.value;
  const text = messages[locale]?.[`reason.${reason.code ?? ''}`];
  if (text === undefined) return reason.error.charAt(0).toUpperCase() + reason.error.slice(1);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = reason.details?.[name];
    return typeof value === 'number'
      ? value.toLocaleString(locale, { maximumSignificantDigits: 6 })
      : String(value ?? '');
  });
}

const WORTH = 0.01; // less is not said

/** What a change saves: `saves about 24 % of a step`, `at most` where nothing was replayed; "" where not known. */
export function savesText(
  board: ProfilerParts,
  { saves, basis, later }: Pick<Advice, 'saves' | 'basis' | 'later'>,
): string {
  const format = new Intl.NumberFormat(board.page.locale.value, { style: 'percent', maximumSignificantDigits: 2 });
  if (later !== null) {
    const isMore = saves !== null && saves >= WORTH;
    const words = { share: format.format(saves ?? 0), later: format.format(later) };
    return board.page.t(isMore ? 'advice.saves.more_later' : 'advice.saves.later', words);
  }
  if (saves === null) return '';
  return board.page.t(basis === 'replay' ? 'advice.saves' : 'advice.saves.most', { share: format.format(saves) });
}

/** What a link to evidence is called. */
export function placeText(board: ProfilerParts, { kind, view, text, state }: EvidencePlace): string {
  if (kind === 'figure') return board.page.t(`place.figure.${state['figure'] ?? ''}`);
  if (kind === 'view') return board.page.t(`view.${view}`);
  return board.page.t(text === '' ? `place.${kind}.none` : `place.${kind}`, { name: text });
}

/** Evidence in views that the profile has. */
export function placesOf(board: ProfilerParts, { places }: Advice): readonly EvidencePlace[] {
  const views: readonly string[] = board.profiles.profile.value?.views ?? [];
  return places.filter(({ view }) => views.includes(view));
}

/** Shows the evidence; what was set in the view it leads to, and would hide it, is set back. */
export function openPlace(board: ProfilerParts, { kind, view, state }: EvidencePlace): void {
  const shown: Record<string, string | null> = { slice: null, window: null, evidence: null, view, ...state };
  if (kind === 'rank') shown['run'] = board.profiles.query.value.run;
  board.page.ctx.open('profiler', kind === 'figure' ? { map: null, stage: null, ...shown } : shown);
}
