/** Words and sentences: for what the host says by codes, and for names that must differ. */
import type { Locale } from '@insight-host/api';
import type { Page } from '@insight-host/kit';
import type { Note, ProfileInfo, Value } from './answers/profile';
import type { StepSummary } from './answers/steps';
import type { TableAnswer } from './answers/table';
import { shareText, sizeText, timeText } from './units';

/** What has the texts: the tab, or a part of it. */
interface Texts {
  readonly page: Page;
}

const TIMES = ['time', 'p50', 'p95', 'mean', 'value', 'duration'];

function valueText(board: Texts, key: string, value: Value, locale: Locale): string {
  if (key === 'category' && typeof value === 'string') return categoryText(board, value);
  if (typeof value !== 'number') return value === null ? '' : String(value);
  if (key === 'share' || key === 'usage') return shareText(value, locale);
  if (key === 'bytes' || key === 'size') return sizeText(value, locale);
  if (TIMES.includes(key)) return timeText(value, locale);
  return value.toLocaleString(locale, { maximumFractionDigits: 3 });
}

/** The catalogue's sentence for a code, else what the host says in English. */
export function sentence(board: Texts, prefix: string, { code, values, text }: Note): string {
  const locale = board.page.locale.value;
  const key = `${prefix}.${code}`;
  if (board.page.t(key) === key) return text || code;
  return board.page.t(
    key,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(board, name, value, locale)])),
  );
}

/** A note's sentence: of what a reader noted, or of why one of several files cannot be read. */
export const noteText = (board: Texts, note: Note): string =>
  sentence(board, board.page.t(`note.${note.code}`) === `note.${note.code}` ? 'failure' : 'note', note);

/** A word of the catalogue, else the word itself. */
export function word(board: Texts, prefix: string, name: string): string {
  const key = `${prefix}.${name}`;
  const found = board.page.t(key);
  return found === key ? name.replaceAll('_', ' ') : found;
}

export const categoryText = (board: Texts, name: string): string => word(board, 'category', name);

/** How many rows of a table match. */
export const rowsText = (board: Texts, { total: shown, of: count }: Pick<TableAnswer, 'total' | 'of'>): string =>
  board.page.t('rows.shown', { shown, count });

const MOST_NAMED = 5; // outliers

/** Which steps are outliers, and which of these are warm-up. */
export function outliersText(board: Texts, { outliers, outlier_count: count, warm_up: first }: StepSummary): string {
  const steps = [outliers.slice(0, MOST_NAMED).join(', '), ...(count > MOST_NAMED ? ['…'] : [])].join(' ');
  return [
    board.page.t('steps.outliers', { count, steps }),
    ...(first > 0 ? [board.page.t('steps.warm_up', { count: first })] : []),
  ].join(' · ');
}

/** That medians and averages leave out the steps of the warm-up; "" if there are none. */
export function warmUpText(board: Texts, numbers: readonly number[] | undefined): string {
  if (!numbers || numbers.length === 0) return '';
  const [first, last] = [numbers[0], numbers.at(-1)];
  return board.page.t('averages.warm_up', { steps: first === last ? `${first}` : `${first}–${last}` });
}

/** What a source is called, with its rank where there are several. */
export function rankText(board: Texts, rank: number | null | undefined): string {
  return rank === null || rank === undefined || rank < 0 ? '' : board.page.t('rank', { rank });
}

/** What a profile is called; one that is a run's directory itself has the name of that. */
export function profileName({ run, profile, name }: ProfileInfo): string {
  return /^\.(#|$)/.test(name || profile) ? (run.split('/').at(-1) ?? run) : name || profile;
}

/** Names that tell operators apart. MindSpore numbers operators by scope, so that many are called `MatMul-op0`. */
export interface ScopedName {
  readonly name: string;
  readonly scope: string;
}

/** Of each: its name, behind as much of the end of its scope as tells it from others of that name. */
export function namesApart(operators: readonly ScopedName[]): readonly string[] {
  const alike = new Map<string, Set<string>>();
  for (const { name, scope } of operators) {
    const scopes = alike.get(name) ?? new Set<string>();
    alike.set(name, scopes.add(scope));
  }
  return operators.map(({ name, scope }) => {
    const others = [...(alike.get(name) ?? [])].filter((other) => other !== scope).map((other) => other.split('/'));
    const parts = scope.split('/');
    let kept = 0;
    while (others.length > 0 && kept < parts.length && others.some((other) => endsAlike(parts, other, kept))) kept++;
    return kept > 0 && scope ? [...parts.slice(-kept), name].join('/') : name;
  });
}

const endsAlike = (one: readonly string[], other: readonly string[], count: number): boolean =>
  Array.from({ length: count }, (_, i) => one[one.length - 1 - i] === other[other.length - 1 - i]).every(Boolean);
