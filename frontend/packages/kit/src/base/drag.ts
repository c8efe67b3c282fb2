export interface Drag {
  /** The pointer has gone this far from where it was pressed, in pixels. */
  readonly move: (event: PointerEvent, dx: number, dy: number) => void;
  /** It was released; `moved` says whether it went beyond the slop, or the press was a click. */
  readonly end?: (event: PointerEvent, moved: boolean) => void;
  /** Escape was pressed, or the browser took the pointer: put back what was moved. */
  readonly cancel?: () => void;
  /** Two fingers: the drag of the first is cancelled when the second is put down, which this drag follows with it. */
  readonly pinch?: (pinch: Pinch) => void;
  /** Pixels that a click may wander; 0 by default. */
  readonly slop?: number;
}

export interface Pinch {
  /** How many times farther apart the fingers are than when the second was put down. */
  readonly scale: number;
  /** The middle between them, in pixels of the window, and how far it has gone. */
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

interface Finger {
  readonly id: number;
  x: number;
  y: number;
  readonly stop: () => void;
}

const CLOSEST = 8; // px between two fingers
const first = new WeakMap<Element, Finger>();

/**
 * Follows the pointer of a press with the primary button until it is released, wherever it goes. Returns what cancels
 * it. Within the slop the press stays with the element under it, which gets the click.
 */
export function drag(pressed: PointerEvent, { move, end, cancel, pinch, slop = 0 }: Drag): () => void {
  const element = pressed.currentTarget;
  if (!(element instanceof Element) || pressed.button !== 0) return () => undefined;
  const { pointerId, clientX, clientY } = pressed;
  const stop = new AbortController();
  const finger: Finger = { id: pointerId, x: clientX, y: clientY, stop: () => stopped() };
  const other = pinch && first.get(element);
  other?.stop();
  const ids = other ? [pointerId, other.id] : [pointerId];
  const between = (): readonly [x: number, y: number, apart: number] => {
    const { x, y } = other ?? finger;
    return [(finger.x + x) / 2, (finger.y + y) / 2, Math.max(CLOSEST, Math.hypot(finger.x - x, finger.y - y))];
  };
  const [startX, startY, apart] = between();
  let moved = slop === 0 || other !== undefined;
  const on = (
    type: 'pointermove' | 'pointerup' | 'pointercancel' | 'lostpointercapture',
    run: (event: PointerEvent) => void,
  ): void =>
    addEventListener(type, (event) => ids.includes(event.pointerId) && run(event), {
      capture: true, // the pointer is not captured within the slop
      signal: stop.signal,
    });
  const capture = (): void => ids.forEach((id) => element.setPointerCapture(id));
  const give = (): void => {
    stop.abort();
    if (first.get(element) === finger) first.delete(element);
    for (const id of ids) if (element.hasPointerCapture(id)) element.releasePointerCapture(id);
  };
  const stopped = (): void => {
    if (stop.signal.aborted) return;
    give();
    cancel?.();
  };
  first.set(element, finger);
  if (moved) capture();
  on('pointermove', (event) => {
    const one = event.pointerId === pointerId || !other ? finger : other;
    [one.x, one.y] = [event.clientX, event.clientY];
    const [x, y, now] = between();
    const [dx, dy] = [x - startX, y - startY];
    if (other) return pinch?.({ scale: now / apart, x, y, dx, dy });
    if (!moved && Math.hypot(dx, dy) >= slop) {
      moved = true;
      capture();
    }
    if (moved) move(event, dx, dy);
  });
  on('pointerup', (event) => {
    give();
    end?.(event, moved);
  });
  on('pointercancel', stopped);
  on('lostpointercapture', ({ target }) => target === element && stopped());
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation(); // it ends the drag, not what is behind it
    stopped();
  };
  addEventListener('keydown', escape, { capture: true, signal: stop.signal });
  return stopped;
}
