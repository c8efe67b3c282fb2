import type { Run } from '@insight-host/api';
import type { CardKey } from './card_key';
import { searcher } from './search';

/** Groups tags by the part before the first slash; tags without a slash have an empty group name. */
export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

/** Cards below one heading: those of a prefix, of what is pinned, or the runs of one tag. */
export interface CardGroup {
  readonly name: string;
  readonly kind: 'prefix' | 'pinned' | 'tag';
  readonly cards: readonly CardKey[];
}

export const PINNED = '\u0000pinned';

const order = new Intl.Collator('en', { sensitivity: 'base' });

/** Compares names for sorting; numbers in them, decimals too, by their values: `lr0.01` before `lr0.1` before `lr2`. */
export function byName(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (const [at, part] of left.entries()) {
    const other = right[at] ?? '';
    const found = at % 2 ? +part - +other : order.compare(part, other);
    if (found) return found;
  }
  return left.length - right.length || (a < b ? -1 : Number(a > b));
}

/** A name as texts and, between them, numbers. */
const partsOf = (name: string): string[] => name.split(/(\d+(?:\.\d+)?(?:e[-+]?\d+)?)/i);

/** Tags that are expressions, `=a/b - c`, have one prefix. */
export function prefixOf(tag: string): string {
  if (tag.startsWith('=')) return '=';
  const slash = tag.indexOf('/');
  return slash > 0 ? tag.slice(0, slash) : '';
}

/** Splits a title into the part that the group already says and the rest. */
export function titleParts(tag: string): readonly [string, string] {
  const prefix = tag.startsWith('=') ? '' : prefixOf(tag);
  return prefix ? [`${prefix}/`, tag.slice(prefix.length + 1)] : ['', tag];
}

/** Results of trials, as torch's documentation of `add_hparams` names them: one value a run, and no curve. */
export const SINGLE_VALUES = 'hparam';

/** Groups that come last: what recording adds about the machine, and single values. */
export const LAST: readonly string[] = ['environment', 'system', SINGLE_VALUES];

/** Words of names, and the places of what they name in the order in which people look at it. */
const USES: readonly (readonly [number, RegExp])[] = [
  [0, / (val(id(ation)?)?|eval(uation)?|test|dev) /],
  [1, / train(ing)? /],
  [2, / (loss|acc(uracy)?) /],
  [5, / (lr|learning ?rate) /],
];
const REST = 3;
const NO_PREFIX = 4;

function useOf(name: string): number {
  const words = ` ${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  return USES.find(([, found]) => found.test(words))?.[0] ?? REST;
}

/** In the order of what `keyOf` gives, numbers first. */
function sorted<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keyed = items.map((item) => [keyOf(item), item] as const);
  return keyed.sort(([a], [b]) => byName(a, b)).map(([, item]) => item);
}

/**
 * Groups in the order in which people look at them: validation, training, loss and accuracy, the rest by name, learning
 * rates, the machine (`environment`, `system`), then results of trials (`hparam`). The tags of a group are in the same
 * order.
 */
export function groupTags(tags: Iterable<string>): TagGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) {
    const name = prefixOf(tag);
    const group = groups.get(name);
    if (group) group.push(tag);
    else groups.set(name, [tag]);
  }
  const named = [...groups].map(([name, members]) => ({
    name,
    tags: sorted(members, (tag) => `${useOf(tag.slice(name.length))} ${tag}`),
  }));
  return sorted(named, ({ name }) => {
    const late = LAST.indexOf(name);
    return `${late < 0 ? (name === '' ? NO_PREFIX : useOf(name)) : 6 + late} ${name}`;
  });
}

const tagCard = (tag: string): CardKey => ({ tag, run: null });

/** One card per tag: what is pinned first, then the groups of prefixes. */
export function tagCards(tags: readonly string[], pins: readonly string[]): CardGroup[] {
  const groups = groupTags(tags.filter((tag) => !pins.includes(tag))).map((group): CardGroup => ({
    name: group.name,
    kind: 'prefix',
    cards: group.tags.map(tagCard),
  }));
  return pins.length > 0 ? [{ name: PINNED, kind: 'pinned', cards: pins.map(tagCard) }, ...groups] : groups;
}

/**
 * One card per run below each tag: the tags that are pinned first, then by prefix and name, as the groups of prefixes
 * are.
 */
export function seriesCards(
  tags: readonly string[],
  pins: readonly string[],
  runsByTag: ReadonlyMap<string, readonly Run[]>,
): CardGroup[] {
  const ordered = groupTags(tags.filter((tag) => !pins.includes(tag))).flatMap((group) => group.tags);
  return [...pins, ...ordered].map((tag) => ({
    name: tag,
    kind: 'tag',
    cards: (runsByTag.get(tag) ?? []).map(({ name }) => ({ tag, run: name })),
  }));
}

/** The error of a regular expression that takes too long: pages have a text for it. */
export const SLOW = 'slow';

/**
 * A filter as the user types it: a regular expression, or a text with the reason why it is not a valid one. Read
 * `error` again after `matches`: it may come late.
 */
export function tagFilter(pattern: string): {
  readonly matches: (tag: string) => boolean;
  readonly error: string | null;
} {
  if (!pattern) return { matches: () => true, error: null };
  const plain = pattern.toLowerCase();
  const contains = (tag: string): boolean => tag.toLowerCase().includes(plain);
  try {
    RegExp(pattern, 'iu'); // stricter than searcher
    const search = searcher(pattern, 'i');
    return {
      matches: (tag) => (search.isSlow.value ? contains(tag) : search(tag)),
      get error() {
        return search.isSlow.value ? SLOW : null;
      },
    };
  } catch (error) {
    return { matches: contains, error: String((error as Error).message) };
  }
}

/**
 * Signs that compare, or `in (`: `lr < 0.01`, but neither `lr=0.01` nor `(?<!old)`, which names and regular expressions
 * have.
 */
const COMPARES = /[<>]|[!=]=|\s=\s|\s(not\s+)?in\s*[([]/;
const CAPTURES = /\(\?<(\w+>|[=!])/g; // of regular expressions

/** Whether the text of the run filter is an expression over columns; else it is about names. */
export function isExpression(text: string): boolean {
  return COMPARES.test(text.replace(CAPTURES, ''));
}
