/** Spreads over frames what is rendered for the first time, so that many new cards do not hold up scrolling. */

const CALM = 3; // frames in which none came: the page no longer scrolls
const SOME = 3; // are rendered in a frame then; 1 before

const waiting = new Set<() => void>();
let frame = 0;
let calm = 0;

/** Calls `begin` in one of the next frames, in the order of the calls. Returns what takes that back. */
export function takeTurn(begin: () => void): () => void {
  waiting.add(begin);
  calm = 0;
  frame ||= requestAnimationFrame(next);
  return () => void waiting.delete(begin);
}

function next(): void {
  const due = [...waiting].slice(0, calm++ < CALM ? 1 : SOME);
  for (const begin of due) waiting.delete(begin);
  frame = waiting.size > 0 ? requestAnimationFrame(next) : 0;
  for (const begin of due) begin();
}
