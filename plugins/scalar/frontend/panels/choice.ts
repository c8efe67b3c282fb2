/** What a panel shows, by name: metrics of runs, tags, and those that a regular expression matches. */
import { byName, searcher, type Page } from '@insight-host/kit';

export const SUMMARIES = ['last', 'min', 'max'] as const;
export type Summary = (typeof SUMMARIES)[number];

/** A metric as panels name it: `last/loss`, `min/loss`, `max/loss`, `column/lineage/lr`. */
export type Metric =
  | { readonly of: Summary; readonly tag: string }
  | { readonly of: 'column'; readonly column: string };

/** null for a text that names no metric. */
export function metricOf(text: string | undefined): Metric | null {
  const [, of = '', name = ''] = /^(\w+)\/(.+)$/su.exec(text ?? '') ?? [];
  if (of === 'column') return { of, column: name };
  const found = SUMMARIES.find((one) => one === of);
  return found && name ? { of: found, tag: name } : null;
}

export function textOf(metric: Metric): string {
  return `${metric.of}/${metric.of === 'column' ? metric.column : metric.tag}`;
}

/** What people read for a metric as panels name it: of a column its name, of a tag which of its values. */
export function metricTitle(page: Page, text: string | undefined, otherwise = ''): string {
  const metric = metricOf(text);
  if (!metric) return otherwise;
  if (metric.of === 'column') return metric.column.slice(metric.column.indexOf('/') + 1);
  return page.t(`panel.of.${metric.of}`, { tag: page.titleOf(metric.tag) });
}

/** Which tags a panel shows: those that are named, and those that a regular expression matches. */
interface TagChoice {
  readonly tags?: readonly string[];
  readonly regex?: string;
}

interface Matcher {
  readonly matches: (tag: string) => boolean;
  /** Why the expression cannot be used, a text of the catalogue and what it names; nothing matches then. */
  readonly error: { readonly key: string; readonly reason: string } | null;
}

const KEPT = 200; // expressions
const made = new Map<string, Matcher>();

/** A regular expression over tags, in small and large letters as written. An empty one matches nothing. */
export function matcher(pattern: string): Matcher {
  const known = made.get(pattern);
  if (known) return known;
  if (made.size >= KEPT) made.clear();
  const found = pattern ? matcherOf(pattern) : { matches: () => false, error: null };
  made.set(pattern, found);
  return found;
}

function matcherOf(pattern: string): Matcher {
  try {
    const matches = searcher(pattern);
    return {
      matches,
      get error() {
        return matches.isSlow.value ? { key: 'panel.regex.slow', reason: pattern } : null;
      },
    };
  } catch (error) {
    return { matches: () => false, error: { key: 'panel.regex.bad', reason: (error as Error).message } };
  }
}

/** Why a panel with an expression shows no tag, as a text of the catalogue; null if it shows some or has none. */
export function emptiness({ tags = [], regex = '' }: TagChoice, known: Iterable<string>): Matcher['error'] {
  if (!regex) return null;
  const { error } = matcher(regex);
  return error ?? (chosenTags({ tags, regex }, known).length > 0 ? null : { key: 'panel.regex.none', reason: regex });
}

/** The tags that are named, in their order, then those that the expression matches, by name; only `known` ones. */
export function chosenTags({ tags = [], regex = '' }: TagChoice, known: Iterable<string>): readonly string[] {
  const all = new Set(known);
  const named = tags.filter((tag) => all.has(tag));
  if (!regex) return [...new Set(named)];
  const { matches } = matcher(regex);
  return [...new Set([...named, ...[...all].filter(matches).sort(byName)])];
}
