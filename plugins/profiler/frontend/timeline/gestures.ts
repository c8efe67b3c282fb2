/** What pointers, the wheel and keys do: they zoom, pan, choose a slice, a stretch, a step. */
import { drag, type Key } from '@insight-host/kit';
import type { Canvases, Stage } from './stage';
import { rowsBetween } from './layout';
import { lengthOf, moved, type Range, type Span, zoomed } from './span';
import { firstIn, neighbour } from './hit';

const STEPS = 22; // px above the steps on the ruler
const STILL = 4; // px that a press may move
const EDGE = 7; // px
const WHEEL = 0.0022; // of a pixel of the wheel
const LINE = 30; // px of a line of the wheel

/** Follows pointers until what it returns is called. */
export function follow(stage: Stage, { rows, ruler, minimap }: Canvases): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  onRows(stage, rows, signal);
  onRuler(stage, ruler, signal);
  onMinimap(stage, minimap, signal);
  for (const canvas of [rows, ruler])
    canvas.addEventListener('wheel', (event) => wheel(stage, canvas, event), { passive: false, signal });
  return () => stop.abort();
}

const placeIn = (element: HTMLElement, event: MouseEvent): { readonly x: number; readonly y: number } => {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

function wheel(stage: Stage, canvas: HTMLElement, event: WheelEvent): void {
  event.preventDefault();
  const { state } = stage;
  const unit = event.deltaMode === 0 ? 1 : LINE;
  const [across, along] = [event.deltaX * unit, event.deltaY * unit];
  const { value: span } = state.span;
  const sideways = Math.abs(across) > Math.abs(along) ? across : event.shiftKey ? along : 0;
  if (event.altKey) stage.scrollBy(along);
  else if (sideways !== 0) state.look(moved(span, state.whole.value, (sideways / state.width.value) * lengthOf(span)));
  else
    state.look(
      zoomed(
        span,
        state.whole.value,
        stage.timeAt(placeIn(canvas, event).x),
        Math.exp(Math.max(-200, Math.min(200, along)) * WHEEL * (event.ctrlKey ? 4 : 1)),
      ),
    );
}

/** The times between two places, within the window. */
function rangeOf(stage: Stage, a: number, b: number, tracks: Range['tracks']): Range {
  const from = Math.floor(stage.timeAt(Math.max(0, Math.min(a, b))));
  const to = Math.ceil(stage.timeAt(Math.min(stage.state.width.value, Math.max(a, b))));
  return { from, to: Math.max(from + 1, to), tracks };
}

/** Tracks whose rows lie between two heights. */
function tracksBetween(stage: Stage, a: number, b: number): readonly number[] | null {
  const top = stage.top.value;
  const found = rowsBetween(stage.state.layout.value, Math.min(a, b) + top, Math.max(a, b) + top + 0.5).flatMap(
    (row) => row.tracks,
  );
  return found.length > 0 ? found : null;
}

function onRows(stage: Stage, canvas: HTMLCanvasElement, signal: AbortSignal): void {
  const { state } = stage;
  const widthOf = (span: Span): number => lengthOf(span) / state.width.value; // of a pixel
  const press = (pressed: PointerEvent): void => {
    const { value: span } = state.span;
    const { value: top } = stage.top;
    const start = placeIn(canvas, pressed);
    let pinched: Span | null = null;
    const over = (): void => {
      canvas.style.cursor = 'grab';
      state.draft.value = null;
    };
    stage.pointed.value = null;
    drag(pressed, {
      slop: STILL,
      move(event, dx, dy) {
        if (pressed.shiftKey) {
          const now = placeIn(canvas, event);
          state.draft.value = rangeOf(stage, start.x, now.x, tracksBetween(stage, start.y, now.y));
          return;
        }
        canvas.style.cursor = 'grabbing';
        stage.scrollBy(top - dy - stage.top.value);
        state.look(moved(span, state.whole.value, -dx * widthOf(span)));
      },
      pinch({ scale, x, dx }) {
        pinched ??= state.span.value; // what is below each finger stays there
        const at = pinched.from + (x - dx - canvas.getBoundingClientRect().left) * widthOf(pinched);
        const near = zoomed(pinched, state.whole.value, at, 1 / scale);
        state.look(moved(near, state.whole.value, -dx * widthOf(near)));
      },
      end(event, wasMoved) {
        const { value: draft } = state.draft;
        over();
        if (draft) state.board.range.set(draft, 'push');
        if (wasMoved) return;
        const { x, y } = placeIn(canvas, event);
        const hit = stage.hit(x, y);
        state.choose(hit, hit !== null);
        if (!hit) state.board.range.set(null);
      },
      cancel() {
        over();
        stage.scrollBy(top - stage.top.value);
        state.look(span);
      },
    });
  };
  const point = (event: PointerEvent): void => {
    if (event.buttons > 0) return;
    const { x, y } = placeIn(canvas, event);
    const hit = stage.hit(x, y);
    stage.pointed.value = hit ? { ...hit, x: event.clientX, y: event.clientY } : null;
    canvas.style.cursor = hit ? 'pointer' : 'grab';
  };
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener('pointermove', point, { signal });
  canvas.addEventListener('pointerleave', () => (stage.pointed.value = null), { signal });
  canvas.addEventListener(
    'dblclick',
    (event) => {
      const { x, y } = placeIn(canvas, event);
      const hit = stage.hit(x, y);
      if (hit) state.look({ from: hit.start - hit.duration * 0.2, to: hit.start + hit.duration * 1.2 });
    },
    { signal },
  );
}

/** A press on a step chooses it, with Shift all up to it; a drag chooses a stretch of all tracks. */
function onRuler(stage: Stage, canvas: HTMLCanvasElement, signal: AbortSignal): void {
  const { state } = stage;
  const press = (pressed: PointerEvent): void => {
    const from = placeIn(canvas, pressed).x;
    drag(pressed, {
      slop: STILL,
      move: (event) => (state.draft.value = rangeOf(stage, from, placeIn(canvas, event).x, null)),
      end(event) {
        const { x, y } = placeIn(canvas, event);
        const { value: draft } = state.draft;
        state.draft.value = null;
        const step = y > STEPS ? state.stepAt(stage.timeAt(x)) : null;
        if (draft) state.board.range.set(draft, 'push');
        else if (step) state.board.navigation.chooseStep(step.number, event.shiftKey);
      },
      cancel: () => (state.draft.value = null),
    });
  };
  const point = (event: PointerEvent): void => {
    const { x, y } = placeIn(canvas, event);
    if (event.buttons === 0)
      canvas.style.cursor = y > STEPS && state.stepAt(stage.timeAt(x)) ? 'pointer' : 'col-resize';
  };
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener('pointermove', point, { signal });
}

/** Moves and resizes the frame; a drag outside creates a new one. */
function onMinimap(stage: Stage, canvas: HTMLCanvasElement, signal: AbortSignal): void {
  const { state } = stage;
  const timeAt = (x: number): number =>
    state.whole.value.from + Math.max(0, Math.min(1, x / state.width.value)) * lengthOf(state.whole.value);
  const xOf = (time: number): number =>
    ((time - state.whole.value.from) / lengthOf(state.whole.value)) * state.width.value;
  const partAt = (x: number): 'left' | 'right' | 'frame' | 'new' => {
    const [from, to] = [xOf(state.span.value.from), xOf(state.span.value.to)];
    const narrow = to - from < 3 * EDGE;
    if (!narrow && Math.abs(x - from) < EDGE) return 'left';
    if (!narrow && Math.abs(x - to) < EDGE) return 'right';
    return x >= from - (narrow ? EDGE : 0) &&
      x <= to + (narrow ? EDGE : 0) &&
      lengthOf(state.span.value) < lengthOf(state.whole.value)
      ? 'frame'
      : 'new';
  };
  const press = (pressed: PointerEvent): void => {
    const { x } = placeIn(canvas, pressed);
    const { value: span } = state.span;
    const [part, start] = [partAt(x), timeAt(x)];
    drag(pressed, {
      slop: STILL,
      move(event) {
        const time = timeAt(placeIn(canvas, event).x);
        if (part === 'frame') state.look(moved(span, state.whole.value, time - start));
        else if (part === 'new') state.look({ from: Math.min(time, start), to: Math.max(time, start) });
        else if (part === 'left') state.look({ from: Math.min(time, span.to - 1), to: span.to });
        else state.look({ from: span.from, to: Math.max(time, span.from + 1) });
      },
      end(_, wasMoved) {
        if (!wasMoved && part === 'new')
          state.look({ from: start - lengthOf(span) / 2, to: start + lengthOf(span) / 2 });
      },
      cancel: () => state.look(span),
    });
  };
  const point = (event: PointerEvent): void => {
    if (event.buttons > 0) return;
    const part = partAt(placeIn(canvas, event).x);
    canvas.style.cursor = part === 'left' || part === 'right' ? 'ew-resize' : part === 'frame' ? 'grab' : 'crosshair';
  };
  canvas.addEventListener('pointerdown', press, { signal });
  canvas.addEventListener('pointermove', point, { signal });
}

/** For the page's list of keys; what they do is below. */
export const KEYS: readonly Key[] = ['w', 'd', 'e', 'z', 'x', 'f', '.', 'Enter'].map((key): Key => [
  key,
  `timeline.key.${key === '.' ? 'next' : key.toLowerCase()}`,
  () => undefined,
]);

const ZOOM = 0.7;
const PAN = 0.15; // of the picture
const SCROLL = 60; // px

/** Does what a key is for, wherever the focus is in the timeline, but not while the user types; else false. */
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
