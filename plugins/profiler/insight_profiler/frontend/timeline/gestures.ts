/** What pointers and the wheel do: they zoom, pan, choose a slice, a stretch, a step. */
import type { Canvases, Stage } from './stage';
import { rowsBetween } from './layout';
import { lengthOf, moved, zoomed, type Range, type Span } from './span';

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
  const pressed = new Map<number, { x: number; y: number }>();
  let origin: {
    readonly x: number;
    readonly y: number;
    readonly span: Span;
    readonly isRange: boolean;
    hasMoved: boolean;
  } | null = null;
  const begin = (isRange: boolean): void => {
    const [first] = pressed.values();
    origin = first ? { ...first, span: state.span.value, isRange, hasMoved: pressed.size > 1 } : null;
  };
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      pressed.set(event.pointerId, placeIn(canvas, event));
      begin(event.shiftKey);
      stage.pointed.value = null;
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const now = placeIn(canvas, event);
      const before = pressed.get(event.pointerId);
      if (!before || !origin) {
        const hit = stage.hit(now.x, now.y);
        stage.pointed.value = hit ? { ...hit, x: event.clientX, y: event.clientY } : null;
        canvas.style.cursor = hit ? 'pointer' : 'grab';
        return;
      }
      const others = [...pressed].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const other = others[0];
      pressed.set(event.pointerId, now);
      if (other) {
        // two fingers: what is below each stays there
        const [wide, wider] = [Math.max(8, Math.abs(before.x - other.x)), Math.max(8, Math.abs(now.x - other.x))];
        const at = stage.timeAt((before.x + other.x) / 2);
        const near = zoomed(state.span.value, state.whole.value, at, wide / wider);
        state.look(moved(near, state.whole.value, (((before.x - now.x) / 2) * lengthOf(near)) / state.width.value));
        return;
      }
      if (!origin.hasMoved && Math.hypot(now.x - origin.x, now.y - origin.y) < STILL) return;
      origin.hasMoved = true;
      if (origin.isRange) {
        const [a, b] = [
          stage.timeAt(Math.max(0, Math.min(origin.x, now.x))),
          stage.timeAt(Math.min(state.width.value, Math.max(origin.x, now.x))),
        ];
        state.draft.value = {
          from: Math.floor(a),
          to: Math.max(Math.floor(a) + 1, Math.ceil(b)),
          tracks: tracksBetween(stage, origin.y, now.y),
        };
        return;
      }
      canvas.style.cursor = 'grabbing';
      stage.scrollBy(before.y - now.y);
      state.look(
        moved(origin.span, state.whole.value, ((origin.x - now.x) / state.width.value) * lengthOf(origin.span)),
      );
    },
    { signal },
  );
  const end = (event: PointerEvent): void => {
    if (!pressed.delete(event.pointerId)) return;
    canvas.style.cursor = 'grab';
    const { value: draft } = state.draft;
    if (draft) {
      state.draft.value = null;
      if (event.type === 'pointerup') state.board.range.set(draft, 'push');
    } else if (origin && !origin.hasMoved && event.type === 'pointerup') {
      const { x, y } = placeIn(canvas, event);
      const hit = stage.hit(x, y);
      if (!hit) {
        state.choose(null);
        state.board.range.set(null);
      } else state.choose(hit, true);
    }
    begin(false);
    if (origin) origin.hasMoved = true; // the finger that is left does not choose
  };
  canvas.addEventListener('pointerup', end, { signal });
  canvas.addEventListener('pointercancel', end, { signal });
  canvas.addEventListener('pointerleave', () => pressed.size === 0 && (stage.pointed.value = null), { signal });
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
  let from: number | null = null;
  const rangeTo = (x: number, start: number): Range => {
    const [a, b] = [
      stage.timeAt(Math.max(0, Math.min(start, x))),
      stage.timeAt(Math.min(state.width.value, Math.max(start, x))),
    ];
    return { from: Math.floor(a), to: Math.max(Math.floor(a) + 1, Math.ceil(b)), tracks: null };
  };
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      from = placeIn(canvas, event).x;
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const { x, y } = placeIn(canvas, event);
      if (from !== null && Math.abs(x - from) >= STILL) state.draft.value = rangeTo(x, from);
      else canvas.style.cursor = y > 22 && state.stepAt(stage.timeAt(x)) ? 'pointer' : 'col-resize';
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    (event) => {
      const { x, y } = placeIn(canvas, event);
      const { value: draft } = state.draft;
      state.draft.value = null;
      if (draft) state.board.range.set(draft, 'push');
      else if (from !== null && y > 22) {
        const step = state.stepAt(stage.timeAt(x));
        if (step) state.board.chooseStep(step.number, event.shiftKey);
      }
      from = null;
    },
    { signal },
  );
  canvas.addEventListener('pointercancel', () => ((from = null), (state.draft.value = null)), { signal });
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
  let drag: {
    readonly part: ReturnType<typeof partAt>;
    readonly x: number;
    readonly span: Span;
    hasMoved: boolean;
  } | null = null;
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      const { x } = placeIn(canvas, event);
      canvas.setPointerCapture(event.pointerId);
      drag = { part: partAt(x), x, span: state.span.value, hasMoved: false };
    },
    { signal },
  );
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const { x } = placeIn(canvas, event);
      if (!drag) {
        const part = partAt(x);
        canvas.style.cursor =
          part === 'left' || part === 'right' ? 'ew-resize' : part === 'frame' ? 'grab' : 'crosshair';
        return;
      }
      drag.hasMoved ||= Math.abs(x - drag.x) >= STILL;
      if (!drag.hasMoved) return;
      const { span, part } = drag;
      const time = timeAt(x);
      if (part === 'frame') state.look(moved(span, state.whole.value, timeAt(x) - timeAt(drag.x)));
      else if (part === 'new') state.look({ from: Math.min(time, timeAt(drag.x)), to: Math.max(time, timeAt(drag.x)) });
      else if (part === 'left') state.look({ from: Math.min(time, span.to - 1), to: span.to });
      else state.look({ from: span.from, to: Math.max(time, span.from + 1) });
    },
    { signal },
  );
  canvas.addEventListener(
    'pointerup',
    () => {
      if (drag && !drag.hasMoved && drag.part === 'new') {
        const middle = timeAt(drag.x);
        state.look({ from: middle - lengthOf(drag.span) / 2, to: middle + lengthOf(drag.span) / 2 });
      }
      drag = null;
    },
    { signal },
  );
  canvas.addEventListener('pointercancel', () => (drag = null), { signal });
}
