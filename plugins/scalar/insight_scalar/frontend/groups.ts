/** Tags that share what stands before the first slash; without a slash, the group's name is empty. */
export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function byName(a: string, b: string): number {
  return order.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

export function prefixOf(tag: string): string {
  const slash = tag.indexOf('/');
  return slash > 0 ? tag.slice(0, slash) : '';
}

/** Splits a title into the part that the group already says and the rest. */
export function titleParts(tag: string): readonly [string, string] {
  const prefix = prefixOf(tag);
  return prefix ? [`${prefix}/`, tag.slice(prefix.length + 1)] : ['', tag];
}

/** Groups in the order of their names; tags without a prefix come last. */
export function groupTags(tags: Iterable<string>): TagGroup[] {
  const groups = new Map<string, string[]>();
  for (const tag of tags) {
    const name = prefixOf(tag);
    const group = groups.get(name);
    if (group) group.push(tag);
    else groups.set(name, [tag]);
  }
  return [...groups].map(([name, members]) => ({ name, tags: members.sort(byName) })).sort((a, b) => Number(a.name === '') - Number(b.name === '') || byName(a.name, b.name));
}

/** A filter as the user types it: a regular expression, or null with the reason when it is not one. */
export function tagFilter(pattern: string): { readonly matches: (tag: string) => boolean; readonly error: string | null } {
  if (!pattern) return { matches: () => true, error: null };
  try {
    const expression = new RegExp(pattern, 'iu');
    return { matches: (tag) => expression.test(tag), error: null };
  } catch (error) {
    const plain = pattern.toLowerCase();
    return { matches: (tag) => tag.toLowerCase().includes(plain), error: String((error as Error).message) };
  }
}
