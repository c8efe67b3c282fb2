/** Runs that no other run beats in two targets. */
import type { Column, Goal } from '@insight-host/kit/runs';

/** A target and whether small or large values are better. */
export interface Wanted {
  readonly column: Column;
  readonly goal: Goal;
}

/**
 * Rows with finite numbers for which no other row is at least as good in both targets and better in one, the best of
 * the first target first. Of rows that are equal in both, all.
 */
export function paretoFront(rows: Int32Array, one: Wanted, other: Wanted): Int32Array {
  const better = ({ column: { numbers }, goal }: Wanted, row: number): number =>
    goal === 'min' ? (numbers[row] as number) : -(numbers[row] as number);
  const ordered = rows
    .filter((row) => Number.isFinite(better(one, row)) && Number.isFinite(better(other, row)))
    .sort((left, right) => better(one, left) - better(one, right) || better(other, left) - better(other, right));
  const front: number[] = [];
  let [best, equal] = [Infinity, NaN];
  for (const row of ordered) {
    const [first, second] = [better(one, row), better(other, row)];
    if (second < best || (second === best && first === equal)) {
      front.push(row);
      [best, equal] = [second, first];
    }
  }
  return Int32Array.from(front);
}
