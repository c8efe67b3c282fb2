/** The answer about advice, and its texts in the language of the user. */
import type { Messages, Reason } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import { percentText } from '../units';

/** What the texts and places need of the tab. */
interface Board {
  readonly page: Page;
  readonly profiles: {
    readonly profile: { readonly value: { readonly views: readonly string[] } | null };
    readonly query: { readonly value: { readonly run: string } };
  };
}

/** A reason by the messages of the answer, else in English. Numbers are written as the locale does. */
export function reasonText(board: Board, { messages }: Pick<AdviceAnswer, 'messages'>, reason: Reason): string {
  const locale = board.page.locale.value;
  const text = messages[locale]?.[`reason.${reason.code ?? ''}`];
  if (text === undefined) return reason.error.charAt(0).toUpperCase() + reason.error.slice(1);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = reason.details?.[name];
    if (typeof value === 'object' && value !== null && 'error' in value)
      return reasonText(board, { messages }, value as Reason);
    return typeof value === 'number'
      ? value.toLocaleString(locale, { maximumSignificantDigits: 6 })
      : String(value ?? '');
  });
}

const WORTH = 0.01; // less is not said

type SaysSaves = Pick<Advice, 'saves' | 'most' | 'basis' | 'later'>;

/** What a change saves: `saves 20 % to 24 % of a step`, `at most` where nothing was replayed; "" where not known. */
export function savesText(board: Board, { saves, most, basis, later }: SaysSaves): string {
  const { value: locale } = board.page.locale;
  const format = (share: number): string => percentText(share, locale, { maximumSignificantDigits: 2 });
  if (later !== null) {
    const isMore = saves !== null && saves >= WORTH;
    const words = { share: format(saves ?? 0), later: format(later) };
    return board.page.t(isMore ? 'advice.saves.more_later' : 'advice.saves.later', words);
  }
  if (saves === null) return '';
  const [low, high] = [format(saves), format(most ?? saves)];
  if (low !== high && (most ?? saves) - saves >= WORTH)
    return board.page.t(saves < WORTH ? 'advice.saves.up_to' : 'advice.saves.range', { low, high });
  return board.page.t(basis === 'replay' ? 'advice.saves' : 'advice.saves.most', { share: format(saves) });
}

/** The same as a figure with a note below it: `−20 to −24 %`, `of a step`; null where it is not known. */
export function shortSaves(board: Board, advice: SaysSaves): { readonly share: string; readonly note: string } | null {
  const { saves, most, basis, later } = advice;
  const { t: say } = board.page;
  const number = new Intl.NumberFormat(board.page.locale.value, { maximumSignificantDigits: 2 });
  const shares = (low: number, high = low): string =>
    say(low === high ? 'advice.share' : low < WORTH ? 'advice.share.up_to' : 'advice.share.range', {
      low: number.format(100 * low),
      high: number.format(100 * high),
    });
  if (later !== null)
    return saves !== null && saves >= WORTH
      ? { share: shares(saves), note: say('advice.note.later', { later: shares(later) }) }
      : { share: shares(later), note: say('advice.note.only_later') };
  if (saves === null) return null;
  const high = most ?? saves;
  const note = say(basis === 'replay' ? 'advice.note' : 'advice.note.most');
  return { share: high - saves >= WORTH ? shares(saves, high) : shares(saves), note };
}

/** What a link to evidence is called. */
export function placeText(board: Board, { kind, view, text, state }: EvidencePlace): string {
  if (kind === 'figure') return board.page.t(`place.figure.${state['figure'] ?? ''}`);
  if (kind === 'view') return board.page.t(`view.${view}`);
  return board.page.t(text === '' ? `place.${kind}.none` : `place.${kind}`, { name: text });
}

/** Evidence in views that the profile has. */
export function placesOf(board: Board, { places }: Advice): readonly EvidencePlace[] {
  const views: readonly string[] = board.profiles.profile.value?.views ?? [];
  return places.filter(({ view }) => views.includes(view));
}

/** Shows the evidence; what was set in the view it leads to, and would hide it, is set back. */
export function openPlace(board: Board, { kind, view, state }: EvidencePlace): void {
  const shown: Record<string, string | null> = { slice: null, window: null, evidence: null, view, ...state };
  if (kind === 'rank') shown['run'] = board.profiles.query.value.run;
  board.page.ctx.open('profiler', kind === 'figure' ? { map: null, stage: null, ...shown } : shown);
}

/** Where evidence is: a view, with keys of the tab's URL. `text` names the operator, kernel, step, slice or rank. */
export interface EvidencePlace {
  readonly kind: 'operator' | 'kernel' | 'step' | 'range' | 'rank' | 'figure' | 'view';
  readonly view: string;
  readonly text: string;
  readonly state: Readonly<Record<string, string>>;
}

export interface Advice {
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly saw: Reason;
  /** Why it matters; null for rules of other plugins. */
  readonly why: Reason | null;
  readonly change: Reason | null;
  readonly places: readonly EvidencePlace[];
  /** The share of the time of a step that the change saves, estimated: from, and to. */
  readonly saves: number | null;
  readonly most: number | null;
  /** What the estimate rests on. */
  readonly assumes: Reason | null;
  /** How that was estimated: by replaying steps, or as the share that the cause takes. */
  readonly basis: 'replay' | 'share' | null;
  /** What it saves once the host keeps up with the device, where that is much more than now. */
  readonly later: number | null;
}

export interface CheckedRule {
  readonly id: string;
  readonly title: Reason;
  readonly state: 'found' | 'nothing' | 'unchecked';
  /** Why it could not be checked. */
  readonly reason: Reason | null;
  /** It can be once more is read. */
  readonly may_change: boolean;
}

/** Ranks of the job that are read and that are not, and bytes of all; of a profile of one rank all are 0. */
export interface RanksProgress {
  readonly shown: number;
  readonly unread: number;
  readonly read: number;
  readonly total: number;
}

export interface AdviceAnswer {
  /** Empty while the profile is being read. */
  readonly rules: readonly CheckedRule[];
  readonly advice: readonly Advice[];
  /** What the critical path of a step consists of, ns in the mean; null where the profile does not say what
   * waits for what. */
  readonly path: Readonly<Record<string, number>> | null;
  /** How well the device is used: shares by name, empty without work of a device. */
  readonly figures: Readonly<Record<string, number>>;
  /** How long a step takes without the profiler, ns, from and to; null where the trace does not tell. */
  readonly unprofiled: readonly [low: number, high: number] | null;
  readonly ranks: RanksProgress;
  readonly messages: Messages;
}
