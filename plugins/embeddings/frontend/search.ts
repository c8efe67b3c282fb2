import type { Column } from './answers';

/** The points whose label in a column contains a text, in whatever case; null for no text. */
export function matchesOf(column: Column | null, text: string): Uint32Array | null {
  const wanted = text.trim().toLocaleLowerCase();
  if (!column || wanted === '') return null;
  const matching = column.labels.map((label) => label.toLocaleLowerCase().includes(wanted));
  const found: number[] = [];
  column.codes.forEach((code, i) => matching[code] && found.push(i));
  return Uint32Array.from(found);
}

/** 1 for the members of a set of points. */
export function marked(points: Iterable<number>, count: number): Uint8Array {
  const found = new Uint8Array(count);
  for (const point of points) if (point < count) found[point] = 1;
  return found;
}
