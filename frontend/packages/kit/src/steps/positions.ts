/**
 * Where a slider over records stands. Records are known by their step, so that a link shows the same
 * one after more have come; where several have one step, also by which of these it is.
 */
export interface Position {
  readonly step: number;
  /** 0 for the first record of the step, in file order. */
  readonly nth: number;
}

export function positionAt(steps: Float64Array, index: number): Position {
  const step = steps[index] ?? NaN;
  let nth = 0;
  if (isAscending(steps)) nth = index - lowerBound(steps, step);
  else for (let i = 0; i < index; i++) nth += Number(steps[i] === step);
  return { step, nth };
}

/** Index of the record at a position, else of the record with the nearest step; -1 without records. */
export function indexAt(steps: Float64Array, { step, nth }: Position): number {
  const first = nearestIndex(steps, step);
  const found = steps[first];
  if (found !== step) return first;
  let index = first;
  for (let i = first + 1, left = nth; left > 0 && i < steps.length; i++) {
    if (steps[i] === found) {
      index = i;
      left--;
    } else if ((steps[i] as number) > found && isAscending(steps)) break;
  }
  return index;
}

/** Index of the first record whose step is nearest; of two as near, the earlier one. -1 without records. */
export function nearestIndex(steps: Float64Array, step: number): number {
  if (isAscending(steps)) {
    const above = lowerBound(steps, step);
    if (above === 0) return steps.length > 0 ? 0 : -1;
    const below = steps[above - 1] as number;
    return above < steps.length && (steps[above] as number) - step < step - below ? above : lowerBound(steps, below);
  }
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < steps.length; i++) {
    const distance = Math.abs((steps[i] as number) - step);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

/** First index whose step is not below `step`. */
function lowerBound(steps: Float64Array, step: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as number) < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ascending = new WeakMap<Float64Array, boolean>();

function isAscending(steps: Float64Array): boolean {
  let known = ascending.get(steps);
  if (known === undefined) {
    known = steps.every((step, i) => i === 0 || step >= (steps[i - 1] as number));
    ascending.set(steps, known);
  }
  return known;
}

/** Indices at which a later attempt begins: the step goes back there. */
export function restartsIn(steps: Float64Array): readonly number[] {
  if (isAscending(steps)) return [];
  const found: number[] = [];
  for (let i = 1; i < steps.length; i++) if ((steps[i] as number) < (steps[i - 1] as number)) found.push(i);
  return found;
}

/** The index that a key leads to; null when the key means nothing to a slider of `count` places. */
export function indexAfter(key: string, index: number, count: number): number | null {
  const page = Math.max(1, Math.round(count / 10));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - page,
    PageUp: index + page,
    Home: 0,
    End: count - 1,
  };
  const to = moves[key];
  return to === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, to));
}

/** Where a slider stands: at a record, or at the last one, whichever that is. */
export type Stand = Position | 'last';

/** As the URL says it: `120`, `0~3` for the fourth record of step 0, `last`. */
export function standText(stand: Stand): string {
  if (stand === 'last') return stand;
  return stand.nth > 0 ? `${stand.step}~${stand.nth}` : String(stand.step);
}

export function parseStand(text: string): Stand | null {
  if (text === 'last') return text;
  const found = /^(-?\d+(?:e\+?\d+)?)(?:~(\d+))?$/.exec(text);
  return found ? { step: Number(found[1]), nth: Number(found[2] ?? 0) } : null;
}

/** Index of the record at which a slider stands; -1 without records. */
export function indexOf(steps: Float64Array, stand: Stand): number {
  return stand === 'last' ? steps.length - 1 : indexAt(steps, stand);
}
