/** Keys of the timeline; they work wherever the focus is in it, but not while the user types. */
import type { Key } from '@insight-host/kit';
import { firstIn, neighbour } from './hit';
import type { Stage } from './stage';
import { lengthOf, moved, zoomed } from './span';

/** For the page's list of keys; what they do is below. */
export const KEYS: readonly Key[] = ['w', 'd', 'e', 'z', 'x', 'f', '.', 'Enter'].map((key): Key => [
  key,
  `timeline.key.${key === '.' ? 'next' : key.toLowerCase()}`,
  () => undefined,
]);

const ZOOM = 0.7;
const PAN = 0.15; // of the picture
const SCROLL = 60; // px

export function onKey(stage: Stage, event: KeyboardEvent): boolean {
  const { state } = stage;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { value: span } = state.span;
  const { value: whole } = state.whole;
  const middle = stage.pointed.value ? stage.timeAt(state.width.value / 2) : (span.from + span.to) / 2;
  const zoom = (factor: number): void => state.look(zoomed(span, whole, middle, factor));
  const pan = (by: number): void => state.look(moved(span, whole, by * lengthOf(span)));
  const { value: slice } = state.slice;
  const go = (where: -1 | 1 | 'in'): void => {
    const next = slice ? neighbour(stage.view, slice, where) : firstIn(stage.view);
    if (next) state.choose(next, false);
  };
  const out = (): void => {
    const above = slice?.parents.at(-1);
    if (above) state.chooseId(above.id);
  };
  const keys: Readonly<Record<string, () => void>> = {
    w: () => zoom(ZOOM),
    s: () => zoom(1 / ZOOM),
    a: () => pan(-PAN),
    d: () => pan(PAN),
    '+': () => zoom(ZOOM),
    '=': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    _: () => zoom(1 / ZOOM),
    ArrowLeft: () => (event.shiftKey ? go(-1) : pan(-PAN)),
    ArrowRight: () => (event.shiftKey ? go(1) : pan(PAN)),
    ArrowUp: () => (event.shiftKey ? out() : stage.scrollBy(-SCROLL)),
    ArrowDown: () => (event.shiftKey ? go('in') : stage.scrollBy(SCROLL)),
    PageUp: () => stage.scrollBy(-stage.height.value * 0.9),
    PageDown: () => stage.scrollBy(stage.height.value * 0.9),
    Home: () => state.look({ from: whole.from, to: whole.from + lengthOf(span) }),
    End: () => state.look({ from: whole.to - lengthOf(span), to: whole.to }),
    ',': () => go(-1),
    '.': () => go(1),
    Enter: () => (slice ? state.fit() : go(1)),
    z: () => state.fit(),
    x: () => state.window.set(null),
    f: () => state.isFull.set(!state.isFull.value),
    e: () => state.search.focus(),
  };
  const run = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (run) {
    run();
    return true;
  }
  if (event.key !== 'Escape') return false;
  if (state.draft.value) state.draft.value = null;
  else if (slice) state.choose(null);
  else if (state.board.range.value) state.board.range.set(null);
  else if (state.isFull.value) state.isFull.set(false);
  else return false;
  return true;
}
