import { offsetAt, placeOf, within, trackOf, type Size, type Track } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What scrolls, in pixels: all of it, and the room that heads and fixed columns take of the window. */
export interface Extents {
  readonly width: number;
  readonly height: number;
  readonly side: number;
  readonly head: number;
}

export interface Sight {
  readonly x: number;
  readonly y: number;
  readonly across: Track;
  readonly down: Track;
  /** Scrolls to an offset over the cells. */
  go(x: number, y: number): void;
  onScroll(): void;
}

/** Follows what of a large area is in sight, also where it is larger than a browser can scroll. */
export function useSight(
  scroller: { readonly current: HTMLDivElement | null },
  size: Size,
  { width, height, side, head }: Extents,
): Sight {
  const offset = useSignal({ x: 0, y: 0 });
  const expected = useRef(-1); // the position that `go` has set
  const across = trackOf(width, Math.max(0, size.width - side));
  const down = trackOf(height, Math.max(0, size.height - head));
  const here = useRef({ across, down });
  here.current = { across, down };
  const go = (x: number, y: number): void => {
    const { current: element } = scroller;
    const { across: horizontal, down: vertical } = here.current;
    offset.value = { x: within(horizontal, x), y: within(vertical, y) };
    if (!element) return;
    element.scrollLeft = placeOf(horizontal, offset.value.x);
    element.scrollTop = placeOf(vertical, offset.value.y);
    expected.current = element.scrollTop;
  };
  const onScroll = (): void => {
    const { current: element } = scroller;
    if (!element) return;
    const { across: horizontal, down: vertical } = here.current;
    const ours = vertical.scaled && Math.abs(element.scrollTop - expected.current) < 1;
    const next = {
      x: offsetAt(horizontal, element.scrollLeft),
      y: ours ? offset.value.y : offsetAt(vertical, element.scrollTop),
    };
    if (next.x !== offset.value.x || next.y !== offset.value.y) offset.value = next;
  };
  // On a scaled track one turn of the wheel would skip many rows: it moves the rows instead, and the scroll bar
  // follows.
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (!element || !down.scaled) return;
    const turn = (event: WheelEvent): void => {
      if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
      event.preventDefault();
      const pixels = event.deltaMode === 1 ? 22 : event.deltaMode === 2 ? here.current.down.view : 1;
      go(offset.value.x, offset.value.y + event.deltaY * pixels);
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [down.scaled]);
  // Whole pixels: text between two pixels is blurred.
  return {
    x: Math.round(within(across, offset.value.x)),
    y: Math.round(within(down, offset.value.y)),
    across,
    down,
    go,
    onScroll,
  };
}
