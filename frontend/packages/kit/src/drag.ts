export interface Drag {
  /** The pointer has gone this far from where it was pressed, in pixels. */
  readonly move: (event: PointerEvent, dx: number, dy: number) => void;
  /** It was released; `moved` says whether it went beyond the slop, or the press was a click. */
  readonly end?: (event: PointerEvent, moved: boolean) => void;
  /** Escape was pressed, or the browser took the pointer: put back what was moved. */
  readonly cancel?: () => void;
  /** Pixels that a click may wander; 0 by default. */
  readonly slop?: number;
}

/**
 * Follows the pointer of a press with the primary button until it is released, wherever it goes. Returns what cancels
 * it.
 */
export function drag(pressed: PointerEvent, { move, end, cancel, slop = 0 }: Drag): () => void {
  const element = pressed.currentTarget;
  if (!(element instanceof Element) || pressed.button !== 0) return () => undefined;
  const { pointerId, clientX, clientY } = pressed;
  const stop = new AbortController();
  let moved = slop === 0;
  const on = (
    type: 'pointermove' | 'pointerup' | 'pointercancel' | 'lostpointercapture',
    run: (event: PointerEvent) => void,
  ): void => {
    element.addEventListener(
      type,
      (event) => (event as PointerEvent).pointerId === pointerId && run(event as PointerEvent),
      { signal: stop.signal },
    );
  };
  const give = (): void => {
    stop.abort();
    if (element.hasPointerCapture(pointerId)) element.releasePointerCapture(pointerId);
  };
  const stopped = (): void => {
    if (stop.signal.aborted) return;
    give();
    cancel?.();
  };
  element.setPointerCapture(pointerId);
  on('pointermove', (event) => {
    const [dx, dy] = [event.clientX - clientX, event.clientY - clientY];
    moved ||= Math.hypot(dx, dy) >= slop;
    if (moved) move(event, dx, dy);
  });
  on('pointerup', (event) => {
    give();
    end?.(event, moved);
  });
  on('pointercancel', stopped);
  on('lostpointercapture', stopped);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation(); // it ends the drag, not what is behind it
    stopped();
  };
  addEventListener('keydown', escape, { capture: true, signal: stop.signal });
  return stopped;
}
