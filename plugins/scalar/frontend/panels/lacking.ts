/** What a panel cannot show: tags that no selected run has, or that a run lacks whose layout asks for them. */
import type { Page } from '@insight-host/kit';
import type { ScalarParts } from '../board';
import { translated } from './layouts';
import { edgesOf, type Draft, type LogPanel, type Panel } from './panels';
import { chosenTags, emptiness, matcher } from './tag_choice';

const MOST = 3; // names, and runs, that are listed

type RunsByTag = ScalarParts['tags']['runsByTag']['value'];

/** Why a panel of lines has none, as a text; '' if it has some. */
export function absence({ t: say }: Page, panel: Draft | LogPanel, known: RunsByTag): string {
  const { tags = [], margins = [] } = panel;
  if (chosenTags(panel, known.keys()).length > 0 || margins.some(({ value }) => known.has(value))) return '';
  const found = emptiness(panel, known.keys());
  const isOfLog = 'patterns' in panel; // whose expressions are those of Python
  if (found && !(isOfLog && found.key === 'panel.regex.none')) return say(found.key, { reason: found.reason });
  const names = [...tags, ...edgesOf(margins), ...(isOfLog ? panel.patterns : [])];
  return names.length > 0 ? say('panel.tags.none', { tags: listed(say, names) }) : '';
}

/** Which tags the selected runs lack that have the layout of a panel, as texts; none for a panel of the user. */
export function lacking({ page, tags }: ScalarParts, panel: Panel | LogPanel): readonly string[] {
  if (!('runs' in panel)) return [];
  const known = tags.runsByTag.value;
  const selected = new Set(page.runs.value.map(({ name }) => name));
  const has = (names: Iterable<string>): ReadonlySet<string> =>
    new Set([...names].flatMap((tag) => known.get(tag) ?? []).map(({ name }) => name));
  const wanted = [
    ...[...new Set(edgesOf(panel.margins ?? []))].map((name) => ({ name, runs: has([name]) })),
    ...panel.patterns.map((name) => ({ name, runs: has([...known.keys()].filter(matcher(translated(name)).matches)) })),
  ];
  const found = panel.runs
    .filter((run) => selected.has(run))
    .map((run) => ({ run, names: wanted.filter(({ runs }) => !runs.has(run)).map(({ name }) => name) }))
    .filter(({ names }) => names.length > 0);
  return [
    ...found
      .slice(0, MOST)
      .map(({ run, names }) => page.t('panel.lacks', { run: page.nameOf(run), tags: listed(page.t, names) })),
    ...(found.length > MOST ? [page.t('panel.lacks.more', { count: found.length - MOST })] : []),
  ];
}

const listed = (say: Page['t'], names: readonly string[]): string =>
  [...names.slice(0, MOST), ...(names.length > MOST ? ['…'] : [])].join(say('list.separator'));
