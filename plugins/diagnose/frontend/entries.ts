/** What the tab lists: one entry for each rule, where it leads, and the evidence that a picture shows. */
import type { PluginContext } from '@insight-host/api';
import type { Evidence } from '@insight-host/kit/table';
import { keyOf, type Finding } from './answer';

/** All that one rule found. */
export interface Entry {
  readonly key: string;
  /** The worst of it; of what is good that. */
  readonly head: Finding;
  readonly also: readonly Finding[];
  /** Of all its findings. */
  readonly runs: readonly string[];
}

export const isProblem = ({ head }: Pick<Entry, 'head'>): boolean =>
  head.severity === 'error' || head.severity === 'warning';

/**
 * An entry for each rule, in the order of the findings: the worst first. What another rule, such as an alert, says of
 * the same runs at the same step of the same series is part of the worse entry: it is one story.
 */
export function entriesOf(findings: readonly Finding[]): readonly Entry[] {
  const found: Entry[] = [];
  const stories = new Map<string, number>();
  for (const entry of byRuleOf(findings)) {
    const { runs, place } = entry.head;
    const story = place.tag && place.steps ? JSON.stringify([runs, place.plugin, place.tag, place.steps[0]]) : '';
    const known = stories.get(story);
    const before = known === undefined ? undefined : found[known];
    if (known !== undefined && before && isProblem(before) && isProblem(entry)) {
      const also = [...before.also, entry.head, ...entry.also];
      found[known] = { ...before, also, runs: [...new Set([...before.runs, ...entry.runs])] };
    } else {
      if (story) stories.set(story, found.length);
      found.push(entry);
    }
  }
  return found;
}

function byRuleOf(findings: readonly Finding[]): readonly Entry[] {
  const byRule = new Map<string, Finding[]>();
  for (const one of findings) byRule.set(keyOf(one), [...(byRule.get(keyOf(one)) ?? []), one]);
  return [...byRule].map(([key, parts]) => {
    const [first] = parts as [Finding, ...Finding[]];
    const isGood = first.severity === 'hint' ? parts.find(({ severity }) => severity === 'good') : undefined;
    const head = isGood ?? first;
    const runs = [...new Set(parts.flatMap((part) => part.runs))];
    return { key, head, also: parts.filter((part) => part !== head), runs };
  });
}

/** The finding whose words say what was seen: of a finding about several runs the worst one. */
export const seenIn = ({ head }: Entry): Finding => head.each[0] ?? head;

/** The part of a whole that the words of a finding about no series name, from 0 to 1: a detail `share`, `percent`. */
function shareOf({ saw, place }: Finding): number | null {
  if (place.tag !== '') return null;
  const value = saw.details?.['share'] ?? saw.details?.['percent'];
  const percent = typeof value === 'string' ? Number.parseFloat(value.replace(/^\D+/, '')) : value;
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent / 100 : null;
}

/**
 * What can be drawn of a finding without asking for more: the share that it names, or how many it is about of the runs
 * that its rule has checked.
 */
export function evidenceOf(entry: Entry, checked: number): Evidence | null {
  const of = seenIn(entry);
  const share = shareOf(of);
  const saved = of.saves && ([of.saves.low, of.saves.high] as const);
  if (entry.head.runs.length > 1 && (entry.head.each.length > 0 || isProblem(entry))) {
    const others = checked - entry.head.runs.length;
    return { kind: 'runs', meant: Array.from({ length: checked }, (_, at) => at >= others) };
  }
  if (share !== null) return { kind: 'share', share, saved };
  if (saved) return { kind: 'share', share: saved[1], saved };
  return null;
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Opens the tab with the evidence of a finding: its runs alone, its tag, with the cursor at the first step. `back` is
 * what leads back from there.
 */
export function open(ctx: PluginContext, { runs, place }: Pick<Finding, 'runs' | 'place'>, back = ''): void {
  const tags = place.tag === '' ? {} : { tags: `^${quoted(place.tag)}$` };
  if (!ctx.open(place.plugin, { ...tags, ...place.state }, back)) return;
  if (runs.length > 0) ctx.runs.select(runs); // after it: the way back leads to what was selected before
  if (place.steps !== null) ctx.cursor.pin({ step: place.steps[0] });
}

const LONGEST = 2000; // characters of a filter by names

/** Filters the run panel to the runs of a finding: by what they share if no other has it, else by their names. */
export function filterTo(ctx: PluginContext, { runs, shared }: Pick<Finding, 'runs' | 'shared'>): void {
  const exact = shared.find((one) => one.having === one.of && one.others_having === 0);
  const names = `^(${runs.map(quoted).join('|')})$`;
  if (exact) ctx.runs.filter.set(exact.text, 'push');
  else if (names.length <= LONGEST) ctx.runs.filter.set(names, 'push');
  else ctx.runs.select(runs);
}
