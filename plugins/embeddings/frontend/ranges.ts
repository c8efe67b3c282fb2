/** Ascending numbers as text: `0-4,9` is 0, 1, 2, 3, 4 and 9. */
export function rangesOf(points: Uint32Array): string {
  const found: string[] = [];
  for (let i = 0; i < points.length;) {
    let last = i;
    while (last + 1 < points.length && points[last + 1] === (points[last] as number) + 1) last++;
    found.push(last > i ? `${points[i]}-${points[last]}` : String(points[i]));
    i = last + 1;
  }
  return found.join(',');
}

/** The numbers below `count` that a text names; null for any other text. */
export function pointsOfRanges(text: unknown, count: number): Uint32Array | null {
  if (typeof text !== 'string') return null;
  const found = new Set<number>();
  for (const part of text === '' ? [] : text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    for (let point = first; point <= Math.min(last, count - 1); point++) found.add(point);
  }
  return Uint32Array.from(found).sort();
}
