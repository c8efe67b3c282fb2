/** Rows for the ranks of a job, of which some may not be read yet. */

/**
 * Numbers of the ranks in their order, with a place for each of the `unread` ones: where that is certain at its number,
 * else as null after the others. So a figure has its final height from the beginning.
 */
export function rankRows(ranks: readonly number[], unread: number): readonly (number | null)[] {
  const count = ranks.length + unread;
  if (unread === 0) return ranks;
  if (ranks.every((rank) => rank < count)) return Array.from({ length: count }, (_, rank) => rank);
  return [...ranks, ...Array.from({ length: unread }, () => null)];
}
