/** Sentences for what the host says by codes. */
import type { Locale } from '@insight-host/api';
import type { ProfilerParts } from './board';
import type { Note, ProfileInfo, Value } from './answers/profile';
import type { StepSummary } from './answers/steps';
import { shareText, sizeText, timeText } from './units';

const TIMES = ['time', 'p50', 'p95', 'mean', 'value', 'duration'];

function valueText(board: ProfilerParts, key: string, value: Value, locale: Locale): string {
  if (key === 'category' && typeof value === 'string') return categoryText(board, value);
  if (typeof value !== 'number') return value === null ? '' : String(value);
  if (key === 'share' || key === 'usage') return shareText(value, locale);
  if (key === 'bytes' || key === 'size') return sizeText(value, locale);
  if (TIMES.includes(key)) return timeText(value, locale);
  return value.toLocaleString(locale, { maximumFractionDigits: 3 });
}

/** The catalogue's sentence for a code, else what the host says in English. */
export function sentence(board: ProfilerParts, prefix: string, { code, values, text }: Note): string {
  const locale = board.page.locale.value;
  const key = `${prefix}.${code}`;
  if (board.page.t(key) === key) return text || code;
  return board.page.t(
    key,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(board, name, value, locale)])),
  );
}

/** A word of the catalogue, else the word itself. */
export function word(board: ProfilerParts, prefix: string, name: string): string {
  const key = `${prefix}.${name}`;
  const found = board.page.t(key);
  return found === key ? name.replaceAll('_', ' ') : found;
}

export const categoryText = (board: ProfilerParts, name: string): string => word(board, 'category', name);

const MOST_NAMED = 5; // outliers

/** Which steps are outliers, and which of these are warm-up. */
export function outliersText(
  board: ProfilerParts,
  { outliers, outlier_count: count, warm_up: first }: StepSummary,
): string {
  const steps = [outliers.slice(0, MOST_NAMED).join(', '), ...(count > MOST_NAMED ? ['…'] : [])].join(' ');
  return [
    board.page.t('steps.outliers', { count, steps }),
    ...(first > 0 ? [board.page.t('steps.warm_up', { count: first })] : []),
  ].join(' · ');
}

/** That medians and averages leave out the steps of the warm-up; "" if there are none. */
export function warmUpText(board: ProfilerParts, numbers: readonly number[] | undefined): string {
  if (!numbers || numbers.length === 0) return '';
  const [first, last] = [numbers[0], numbers.at(-1)];
  return board.page.t('averages.warm_up', { steps: first === last ? `${first}` : `${first}–${last}` });
}

/** What a source is called, with its rank where there are several. */
export function rankText(board: ProfilerParts, rank: number | null | undefined): string {
  return rank === null || rank === undefined || rank < 0 ? '' : board.page.t('rank', { rank });
}

/** What a profile is called; one that is a run's directory itself has the name of that. */
export function profileName({ run, profile, name }: ProfileInfo): string {
  return /^\.(#|$)/.test(name || profile) ? (run.split('/').at(-1) ?? run) : name || profile;
}
