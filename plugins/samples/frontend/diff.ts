/** Words of two texts, compared: the longest common subsequence of words, within limits. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

const MOST = 4_000_000; // pairs of words that are compared; beyond it lines are, then all is shown as replaced
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
const LINES = /[^\n]*\n|[^\n]+/g;

export function diffWords(before: string, after: string): readonly Piece[] {
  const words = compared(before.match(WORDS) ?? [], after.match(WORDS) ?? []);
  return words ?? compared(before.match(LINES) ?? [], after.match(LINES) ?? []) ?? replaced(before, after);
}

const replaced = (before: string, after: string): readonly Piece[] =>
  joined([
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]);

/** null if there is too much to compare. */
function compared(old: readonly string[], now: readonly string[]): readonly Piece[] | null {
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  const room = Math.min(old.length, now.length) - first;
  while (last < room && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  const middle = between(old.slice(first, old.length - last), now.slice(first, now.length - last));
  if (middle === null) return null;
  const same = (words: readonly string[]): Piece => ({ kind: 'same', text: words.join('') });
  return joined([same(old.slice(0, first)), ...middle, same(old.slice(old.length - last))]);
}

function between(old: readonly string[], now: readonly string[]): Piece[] | null {
  const [rows, columns] = [old.length, now.length];
  if (rows * columns > MOST) return null;
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width); // of common subsequences from here to the end
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const at = row * width + column;
      lengths[at] =
        old[row] === now[column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  const pieces: Piece[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const at = row * width + column;
    if (row < rows && column < columns && old[row] === now[column]) {
      pieces.push({ kind: 'same', text: old[row] ?? '' });
      row++;
      column++;
    } else if (column >= columns || (row < rows && (lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0)))
      pieces.push({ kind: 'removed', text: old[row++] ?? '' });
    else pieces.push({ kind: 'added', text: now[column++] ?? '' });
  }
  return pieces;
}

/** Neighbours of one kind as one piece: between two same pieces what was removed, then what was added. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = [];
  let [removed, added, same] = ['', '', ''];
  const flush = (): void => {
    if (removed) found.push({ kind: 'removed', text: removed });
    if (added) found.push({ kind: 'added', text: added });
    removed = added = '';
  };
  for (const { kind, text } of pieces) {
    if (text === '') continue;
    if (kind === 'same') {
      flush();
      same += text;
      continue;
    }
    if (same) found.push({ kind: 'same', text: same });
    same = '';
    if (kind === 'removed') removed += text;
    else added += text;
  }
  flush();
  if (same) found.push({ kind: 'same', text: same });
  return found;
}
