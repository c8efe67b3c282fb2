/** How values spread: what MindInsight calls the distribution of a target, in its five buckets. */
import { valueText } from '@insight-host/kit';

export interface Bucket {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

const BUCKETS = 5;

/**
 * Of the finite numbers of these rows, evenly wide ones; each without its upper edge, but for the last. One of no width
 * where all are the same.
 */
export function bucketsOf(numbers: Float64Array, rows: Int32Array): readonly Bucket[] {
  const values = Float64Array.from(rows, (row) => numbers[row] as number).filter(Number.isFinite);
  if (values.length === 0) return [];
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low === high) return [{ low, high, count: values.length }];
  const width = Number.isFinite(high - low) ? (high - low) / BUCKETS : high / BUCKETS - low / BUCKETS;
  const edges = Array.from({ length: BUCKETS + 1 }, (_, at) => (at === BUCKETS ? high : low + at * width));
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const value of values) {
    let at = 0;
    while (at < BUCKETS - 1 && value >= (edges[at + 1] as number)) at++;
    (counts[at] as number)++;
  }
  return counts.map((count, at) => ({ low: edges[at] as number, high: edges[at + 1] as number, count }));
}

/** An edge of a bucket in few letters, to a tenth of its width: neighbours never read alike. */
export function edgeText(value: number, { low, high }: Bucket): string {
  const place = Math.floor(Math.log10(high - low)) - 1; // of the last digit
  if (!Number.isFinite(place) || place < -100) return valueText(value);
  const rounded = place < 0 ? Number(value.toFixed(-place)) : Math.round(value / 10 ** place) * 10 ** place;
  const digits = rounded.toExponential().replace(/e.*|\D/g, '').length;
  return digits > 6 ? String(rounded).replace('-', '−') : valueText(rounded);
}
