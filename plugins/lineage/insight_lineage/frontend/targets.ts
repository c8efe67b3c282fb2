/** Which columns are results, and which of them the analysis and the colours are about. */
import type { Group } from './answers';
import type { Column, Frame } from './frame';

/** Columns that can say how well a run did; `used` are names that the table or the plot shows. */
export function targetsOf(frame: Frame | null, used: ReadonlySet<string>): readonly Column[] {
  const all = [...(frame?.columns.values() ?? [])].filter((column) => column.isNumeric && column.count > 0);
  const of = (group: Group): readonly Column[] => all.filter((column) => column.group === group);
  const results = [
    ...of('metric'),
    ...of('model').filter(({ name }) => name === 'loss'),
    ...of('scalar').filter(({ name }) => used.has(name)),
  ];
  return results.length > 0 ? results : all.filter(({ name }) => used.has(name));
}

const COSTS = /time|latency|duration|second|memory|cost/i; // not what a model is trained for

/** The target that most runs have a finite number for; of those a result before a cost, then the first. */
export function bestCovered(targets: readonly Column[]): Column | null {
  let [best, most]: [Column | null, number] = [null, -1];
  const byKind = [...targets].sort((one, other) => Number(COSTS.test(one.name)) - Number(COSTS.test(other.name)));
  for (const target of byKind) {
    const count = target.numbers.reduce((sum, value) => sum + Number(Number.isFinite(value)), 0);
    if (count > most) [best, most] = [target, count];
  }
  return best;
}
