/** Where a table of runs has its columns, how their heads tell them apart, and its texts. */
import { runs as en } from '../locales/en.json';
import { runs as zh } from '../locales/zh-CN.json';
import type { ColumnInfo } from './frame';

/** In the order in which users look for columns. */
export const SECTIONS = ['run', 'hyperparameter', 'metric', 'system'] as const;
export type Section = (typeof SECTIONS)[number];

const OF_GROUPS: Readonly<Record<string, Section>> = {
  metric: 'metric',
  scalar: 'metric',
  hyperparameter: 'hyperparameter',
  custom: 'hyperparameter',
  model: 'hyperparameter',
  dataset: 'hyperparameter',
  pipeline: 'hyperparameter',
};
const ABOUT_THE_MACHINE = /^(system|environment|perf)\//;

type Named = Pick<ColumnInfo, 'name' | 'group' | 'title'>;

/** The tag of a scalar and which value of it, as the title says it: `loss (last)`, or `last/loss` to tell two apart. */
function scalarOf({ title }: Named): { readonly tag: string; readonly which: string } {
  const [, tag = title, which = ''] = /^(.*) \((last|min|max)\)$/.exec(title) ?? [];
  if (which) return { tag, which };
  const [, first = '', rest = title] = /^(last|min|max)\/(.*)$/.exec(title) ?? [];
  return { tag: rest, which: first };
}

/** The section of the table that has a column. */
export function sectionOf(column: Named): Section {
  const { group, title } = column;
  if (ABOUT_THE_MACHINE.test(group === 'scalar' ? scalarOf(column).tag : title)) return 'system';
  return OF_GROUPS[group] ?? 'run';
}

export interface HeadText {
  /** The part that tells the column from the others: usually the last part of its name. */
  readonly text: string;
  /** What comes before it, or which value of a scalar it is; "" if nothing. */
  readonly small: string;
}

/** Heads by name: the last part of each name, and as many parts before it as tell two apart. */
export function headsOf(columns: readonly Named[]): ReadonlyMap<string, HeadText> {
  const split = columns.map((column) => {
    const { tag, which } = column.group === 'scalar' ? scalarOf(column) : { tag: column.title, which: '' };
    const parts = sectionOf(column) === 'run' ? [tag] : tag.split('/').filter(Boolean);
    return { name: column.name, which, parts: parts.length > 0 ? parts : [tag] };
  });
  const longest = Math.max(0, ...split.map(({ parts }) => parts.length));
  const found = new Map<string, HeadText>();
  let left = split;
  for (let taken = 1; taken <= longest && left.length > 0; taken++) {
    const textOf = ({ parts }: (typeof split)[number]): string => parts.slice(-taken).join('/');
    const names = new Map<string, Set<string>>(); // tags with this end: `last/loss` and `min/loss` are one
    for (const one of split) {
      const text = textOf(one);
      names.set(text, (names.get(text) ?? new Set()).add(one.parts.join('/')));
    }
    left = left.filter((one) => {
      const text = textOf(one);
      if ((names.get(text)?.size ?? 0) > 1 && taken < one.parts.length) return true;
      const before = one.parts.slice(0, -taken).join('/');
      found.set(one.name, { text, small: [before && `${before}/`, one.which].filter(Boolean).join(' ') });
      return false;
    });
  }
  return found;
}

/** Texts of the table of runs: whoever shows it has them among its own. */
export const runTexts = { en, 'zh-CN': zh } as const;

/** Looks up a text of `runTexts`, `{name}` filled in. */
export type SayOfRuns = (key: keyof typeof en, values?: Readonly<Record<string, string | number>>) => string;
