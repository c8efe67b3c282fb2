/** Which columns are results, and which of them the analysis and the colours are about. */
import type { Column, Frame } from '@insight-host/kit/runs';

/** Columns that can say how well a run did; `used` are names that the table or the plot shows. */
export function targetsOf(frame: Frame | null, used: ReadonlySet<string>): readonly Column[] {
  const all = [...(frame?.columns.values() ?? [])].filter(
    (column) => column.isNumeric && !column.isTextual && column.count > 0,
  );
  const of = (group: string): readonly Column[] => all.filter((column) => column.group === group);
  const results = [
    ...of('metric'),
    ...of('model').filter(({ name }) => name === 'loss'),
    ...of('scalar').filter(({ name }) => used.has(name)),
  ];
  return results.length > 0 ? results : all.filter(({ name }) => used.has(name));
}

const COSTS = /time|latency|duration|second|memory|cost|intermediate/i; // not what a model is trained for
const NEARLY_ALL = 0.9;

/**
 * The target that most runs have a finite number for, the first of several. A result before a cost that a few runs more
 * have: runs that diverged have a time, but no loss.
 */
export function bestCovered(targets: readonly Column[]): Column | null {
  const counts = new Map(
    targets.map((target) => [target, target.numbers.reduce((sum, value) => sum + Number(Number.isFinite(value)), 0)]),
  );
  const countOf = (target: Column | null): number => (target && counts.get(target)) ?? -1;
  const most = (some: readonly Column[]): Column | null =>
    some.reduce<Column | null>((best, target) => (countOf(target) > countOf(best) ? target : best), null);
  const [best, result] = [most(targets), most(targets.filter(({ name }) => !COSTS.test(name)))];
  return countOf(result) >= NEARLY_ALL * countOf(best) ? (result ?? best) : best;
}
