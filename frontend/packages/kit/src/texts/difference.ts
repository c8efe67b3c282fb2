/** Compares two texts by lines or words (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986). */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

const MOST_EDITS = 4000; // beyond this number of changed parts, everything between is shown as replaced
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const LINES = /[^\n]*\n|[^\n]+/g;
const SPACE = /^[ \t]+$/;

/** A piece for each line, without its end. An empty text has no line. */
export function diffLines(before: string, after: string): readonly DiffPiece[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  return compared(old, now) ?? replaced(old, now);
}

/**
 * Words that stayed, were removed and were added, neighbours of one kind as one piece. Texts with too little in common
 * are compared by lines, and beyond that shown as replaced.
 */
export function diffWords(before: string, after: string): readonly DiffPiece[] {
  const by = (parts: RegExp): readonly DiffPiece[] | null =>
    compared(before.match(parts) ?? [], after.match(parts) ?? []);
  return joined(by(WORDS) ?? by(LINES) ?? replaced([before], [after]));
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

const as =
  (kind: DiffPiece['kind']) =>
  (text: string): DiffPiece => ({ kind, text });

const replaced = (old: readonly string[], now: readonly string[]): readonly DiffPiece[] => [
  ...old.map(as('removed')),
  ...now.map(as('added')),
];

/** null if the texts differ too much. */
function compared(old: readonly string[], now: readonly string[]): readonly DiffPiece[] | null {
  const least = Math.min(old.length, now.length);
  let first = 0;
  while (first < least && old[first] === now[first]) first++;
  let last = 0;
  while (last < least - first && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  const middle = between(old.slice(first, old.length - last), now.slice(first, now.length - last));
  return middle && [...old.slice(0, first).map(as('same')), ...middle, ...old.slice(old.length - last).map(as('same'))];
}

function between(old: readonly string[], now: readonly string[]): readonly DiffPiece[] | null {
  const trace = furthest(old, now);
  if (!trace) return null;
  const pieces: DiffPiece[] = [];
  let [x, y] = [old.length, now.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = edits > 0 ? (trace[edits - 1] as Int32Array) : null;
    const diagonal = x - y;
    const down = goesDown(reach, diagonal, edits);
    const from = diagonal + (down ? 1 : -1);
    const fromX = reach ? reachOf(reach, from, edits - 1) : 0;
    const fromY = reach ? fromX - from : 0;
    while (x > fromX && y > fromY) {
      pieces.push({ kind: 'same', text: old[x - 1] as string });
      x--;
      y--;
    }
    if (reach)
      pieces.push(
        down ? { kind: 'added', text: now[y - 1] as string } : { kind: 'removed', text: old[x - 1] as string },
      );
    [x, y] = [fromX, fromY];
  }
  return pieces.reverse();
}

/** How far a diagonal was reached by so many edits: every second one was. */
const reachOf = (reach: Int32Array, diagonal: number, edits: number): number => reach[(diagonal + edits) / 2] ?? -1;

/** Whether the path to a diagonal came from the one above, by a part added. */
function goesDown(before: Int32Array | null, diagonal: number, edits: number): boolean {
  if (!before || diagonal === -edits) return true;
  return diagonal !== edits && reachOf(before, diagonal - 1, edits - 1) < reachOf(before, diagonal + 1, edits - 1);
}

/** For each number of edits, how far it reaches on each diagonal; null if the texts differ too much. */
function furthest(old: readonly string[], now: readonly string[]): readonly Int32Array[] | null {
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= Math.min(old.length + now.length, MOST_EDITS); edits++) {
    const before = trace.at(-1) ?? null;
    const reach = new Int32Array(edits + 1);
    trace.push(reach);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = goesDown(before, diagonal, edits);
      let x = before ? reachOf(before, diagonal + (down ? 1 : -1), edits - 1) + (down ? 0 : 1) : 0;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach[(diagonal + edits) / 2] = x;
      if (x >= old.length && x - diagonal >= now.length) return trace;
    }
  }
  return null;
}

/** Neighbours of one kind as one piece: between two same pieces what was removed, then what was added. */
function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const found: DiffPiece[] = [];
  const held = { same: '', removed: '', added: '' };
  const flush = (...kinds: DiffPiece['kind'][]): void => {
    for (const kind of kinds) {
      if (held[kind]) found.push({ kind, text: held[kind] });
      held[kind] = '';
    }
  };
  for (const [at, { kind, text }] of pieces.entries()) {
    const next = pieces[at + 1];
    if (kind === 'same' && SPACE.test(text) && held.removed && held.added && next && next.kind !== 'same') {
      held.removed += text; // what stayed is no more than the space between words that changed
      held.added += text;
      continue;
    }
    if (kind === 'same') flush('removed', 'added');
    else flush('same');
    held[kind] += text;
  }
  flush('same', 'removed', 'added');
  return found;
}
