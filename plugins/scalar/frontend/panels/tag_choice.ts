/** Which tags a panel shows: those that are named, and those that a regular expression matches. */
import { byName, searcher } from '@insight-host/kit';
import { UnsupportedPattern } from '@insight-host/kit/lab';

export interface TagChoice {
  readonly tags?: readonly string[];
  readonly regex?: string;
}

export interface Matcher {
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
    const search = searcher(pattern);
    const results = new Map<string, boolean>();
    const matches = (tag: string): boolean => {
      const known = results.get(tag) ?? search(tag);
      results.set(tag, known);
      return known;
    };
    return { matches, error: null };
  } catch (error) {
    const key = error instanceof UnsupportedPattern ? `panel.regex.${error.why}` : 'panel.regex.bad';
    return {
      matches: () => false,
      error: { key, reason: error instanceof UnsupportedPattern ? error.part : (error as Error).message },
    };
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
