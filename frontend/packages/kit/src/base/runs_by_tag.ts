import type { Run, TagInfo, TagTable } from '@insight-host/api';

/**
 * The tags of these runs, each with those of the runs that have it, in their order. Runs that share their list of tags
 * cost one step each, not one for each tag.
 */
export function runsByTag(table: TagTable | null, runs: readonly Run[]): ReadonlyMap<string, readonly Run[]> {
  const groups = new Map<readonly string[], { readonly number: number; readonly runs: Run[] }>();
  for (const run of table ? runs : []) {
    const tags = (table as TagTable).tagsOf(run.name);
    const group = groups.get(tags);
    if (group) group.runs.push(run);
    else groups.set(tags, { number: groups.size, runs: [run] });
  }
  const owners = new Map<string, number[]>(); // numbers of the lists that have a tag
  for (const [tags, { number }] of groups) {
    for (const tag of tags) {
      const numbers = owners.get(tag);
      if (numbers) numbers.push(number);
      else owners.set(tag, [number]);
    }
  }
  const lists = [...groups.values()];
  const joined = new Map<string, readonly Run[]>();
  const place = new Map(runs.map((run, at) => [run, at]));
  return new Map(
    [...owners].map(([tag, numbers]) => {
      if (numbers.length === 1) return [tag, lists[numbers[0] as number]?.runs ?? []];
      const key = numbers.join();
      let found = joined.get(key);
      if (!found) {
        const all = numbers.flatMap((number) => lists[number]?.runs ?? []);
        joined.set(key, (found = all.sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))));
      }
      return [tag, found];
    }),
  );
}

/** The series of a table of which `shows` is true. Lists of tags that lose none are still shared. */
export function tagsWhere(table: TagTable, shows: (info: TagInfo) => boolean): TagTable {
  const infoOf = (run: string, tag: string): TagInfo | undefined => {
    const info = table.infoOf(run, tag);
    return info && shows(info) ? info : undefined;
  };
  const tagsOf = (run: string): readonly string[] => {
    const tags = table.tagsOf(run);
    const shown = tags.filter((tag) => infoOf(run, tag));
    return shown.length === tags.length ? tags : shown;
  };
  return {
    get runs() {
      return table.runs.filter((run) => tagsOf(run).length > 0);
    },
    tagsOf,
    infoOf,
    hasRestarts: (run) => tagsOf(run).some((tag) => (table.infoOf(run, tag)?.attempts ?? 1) > 1),
  };
}
