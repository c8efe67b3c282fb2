/** From a sample to the curves of its scores in Metrics. */
import type { TagCatalogue, TagTable } from '@insight-host/api';
import type { SamplesBoard } from './board';

const METRICS = 'scalar';
const MOST = 6; // curves that a link shows
const REWARDS = ['reward', 'rewards', 'score', 'scores'];

/** The words of a name: of `rewards/accuracy_reward` rewards, accuracy and reward. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Tags that say how a score went: those with all words of its name, the shortest first, means before other figures;
 * without any, those of rewards.
 */
export function curvesOf(score: string, tags: readonly string[]): readonly string[] {
  const known = tags.map((tag) => ({ tag, words: wordsOf(tag) })).filter(({ words }) => !words.includes('stderr'));
  const wanted = wordsOf(score);
  const has = ({ words }: { words: readonly string[] }): boolean => wanted.every((word) => words.includes(word));
  const found = known.filter(has);
  const isMean = (words: readonly string[]): number => Number(!words.some((word) => word === 'mean' || word === 'avg'));
  return (
    found.length > 0 && wanted.length > 0
      ? found
      : known.filter(({ words }) => REWARDS.some((one) => words.includes(one)))
  )
    .sort((a, b) => isMean(a.words) - isMean(b.words) || a.words.length - b.words.length)
    .slice(0, MOST)
    .map(({ tag }) => tag);
}

const PATIENCE = 2000; // ms for the list of curves

/** Shows the curves of a score in Metrics, with the cursor at a step, and a way back. */
export async function showCurves({ page, run, score }: SamplesBoard, step: number): Promise<void> {
  const { ctx } = page;
  const table = await firstOf(ctx.tagsOf(METRICS));
  const tags = curvesOf(score.peek(), table?.tagsOf(run.peek() ?? '') ?? []);
  const exact = tags.map((tag) => tag.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  ctx.cursor.pin({ step });
  ctx.open(METRICS, { tags: exact.length > 0 ? `^(${exact.join('|')})$` : null }, page.t('curves.back'));
}

/** The first table of a catalogue; null where it does not come. */
async function firstOf(catalogue: TagCatalogue): Promise<TagTable | null> {
  let stop = (): void => undefined;
  const found = await new Promise<TagTable | null>((done) => {
    setTimeout(() => done(null), PATIENCE);
    stop = catalogue.subscribe((table) => table && done(table));
  });
  stop();
  return found;
}
