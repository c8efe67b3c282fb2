/** Which tags a panel shows: those that are named, and those that a regular expression matches. */
import { byName } from '@insight-host/kit';

export interface TagChoice {
  readonly tags?: readonly string[];
  readonly regex?: string;
}

export interface Matcher {
  readonly matches: (tag: string) => boolean;
  /** Why the expression cannot be used; nothing matches then. */
  readonly error: string | null;
}

/** A regular expression over tags, in small and large letters as written. An empty one matches nothing. */
export function matcher(pattern: string): Matcher {
  if (!pattern) return { matches: () => false, error: null };
  try {
    const expression = made(pattern);
    return { matches: (tag) => expression.test(tag), error: null };
  } catch (error) {
    return { matches: () => false, error: (error as Error).message };
  }
}

/** Layouts are written for Python, which allows escapes that JavaScript allows without the flag only. */
function made(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/** The tags that are named, in their order, then those that the expression matches, by name; only `known` ones. */
export function chosenTags({ tags = [], regex = '' }: TagChoice, known: Iterable<string>): readonly string[] {
  const all = new Set(known);
  const named = tags.filter((tag) => all.has(tag));
  if (!regex) return [...new Set(named)];
  const { matches } = matcher(regex);
  return [...new Set([...named, ...[...all].filter(matches).sort(byName)])];
}
