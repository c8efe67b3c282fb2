/**
 * Regular expressions of users and links that end soon: the engine of JavaScript goes back, and may take hours for one
 * name.
 */

const MOST = 4; // repeats without an end
const PIECE = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!:]?(?:\w+>)?|[()|]|[*+]\??|\{\d+(?:,\d*)?\}\??|[^]/gu;

/**
 * Whether a pattern is simple: no group that has repeats or choices is repeated, and few parts are repeated without an
 * end.
 */
export function isSimple(pattern: string): boolean {
  const open: boolean[] = []; // whether each group that is open has repeats or choices
  let last = false; // the group that ends here has
  let repeats = 0;
  for (const [piece] of pattern.matchAll(PIECE)) {
    const isRepeat = /^[*+]/.test(piece) || (piece.length > 2 && piece.startsWith('{'));
    if (isRepeat) {
      if (last || ++repeats > MOST) return false;
      if (open.length > 0) open[open.length - 1] = true;
    } else if (piece === '|' && open.length > 0) open[open.length - 1] = true;
    last = false;
    if (piece.startsWith('(')) open.push(false);
    else if (piece === ')') {
      last = open.pop() ?? false;
      if (last && open.length > 0) open[open.length - 1] = true;
    }
  }
  return true;
}
