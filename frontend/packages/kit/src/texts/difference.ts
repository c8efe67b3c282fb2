/** Lines of two texts, compared (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986). */
interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

const MOST_EDITS = 500; // beyond this number of changed lines, everything between is shown as replaced

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  while (
    last < old.length - first &&
    last < now.length - first &&
    old[old.length - 1 - last] === now[now.length - 1 - last]
  )
    last++;
  const line =
    (kind: DiffLine['kind']) =>
    (text: string): DiffLine => ({ kind, text });
  return [
    ...old.slice(0, first).map(line('same')),
    ...middle(old.slice(first, old.length - last), now.slice(first, now.length - last)),
    ...old.slice(old.length - last).map(line('same')),
  ];
}

/** An empty text has no line. */
const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

function middle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const trace = furthest(old, now);
  if (!trace)
    return [
      ...old.map((text): DiffLine => ({ kind: 'removed', text })),
      ...now.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  const lines: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const down = goesDown(reach, diagonal, edits);
    const from = diagonal + (down ? 1 : -1);
    const fromX = reach.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      lines.push({ kind: 'same', text: old[x - 1] as string });
      x--;
      y--;
    }
    if (edits > 0)
      lines.push(
        down ? { kind: 'added', text: now[y - 1] as string } : { kind: 'removed', text: old[x - 1] as string },
      );
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

/** Whether the path to a diagonal came from the one above, by a line added. */
function goesDown(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  return (
    diagonal === -edits || (diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1))
  );
}

/** How far each diagonal was reached before each edit; null if the texts differ too much. */
function furthest(old: readonly string[], now: readonly string[]): readonly ReadonlyMap<number, number>[] | null {
  const reach = new Map<number, number>([[1, 0]]);
  const trace: ReadonlyMap<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(old.length + now.length, MOST_EDITS); edits++) {
    trace.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = goesDown(reach, diagonal, edits) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return trace;
    }
  }
  return null;
}
