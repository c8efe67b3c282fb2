import type { Disposer } from '@insight-host/api';
import { drag } from '@insight-host/kit';
import { ordered, panBy, zoomAround } from '@insight-host/kit/draw';
import type { Figure } from './layout';
import { selectedArea, type Selection, neighbourX } from './overlay';

export type Range = readonly [number, number];
export type Change = { readonly x?: Range | null; readonly y?: Range | null };

/** Pointer gestures on a chart: zoom, pan, click. */
export interface Gestures {
  figure(): Figure;
  tool(): 'box' | 'pan';
  /** Shows a window; an axis that is absent stays. */
  look(change: Change, how: 'zoom' | 'pan' | 'reset'): void;
  select(selection: Selection | null): void;
  /** The pointer is over the plot; null: it is not. */
  point(at: readonly [number, number] | null): void;
  click(at: readonly [number, number]): void;
}

const SLOP = 4; // pixels that a click may wander

export function listenToPointer(element: HTMLElement, gestures: Gestures): Disposer {
  let cancel: (() => void) | null = null; // of the drag that is under way
  let still = 0; // consecutive clicks without movement: two drags from one place are not a double click
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    run: (event: HTMLElementEventMap[K]) => void,
    passive = true,
  ): void => element.addEventListener(type, run, { signal: stop.signal, passive });
  const place = (event: MouseEvent): readonly [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const inside = ([x, y]: readonly [number, number]): boolean => {
    const { plot } = gestures.figure();
    return x >= plot.left && x <= plot.left + plot.width && y >= plot.top && y <= plot.top + plot.height;
  };

  on('pointerdown', (event) => {
    const start = place(event);
    if (event.button !== 0 || !inside(start)) return;
    const figure = gestures.figure();
    const pan = event.shiftKey !== (gestures.tool() === 'pan');
    let panned = false;
    let pinched: Figure | null = null;
    const stopped = (): void => {
      cancel = null;
      gestures.select(null);
    };
    cancel = drag(event, {
      slop: SLOP,
      move(moved, dx, dy) {
        gestures.point(null);
        panned = pan;
        if (pan) gestures.look({ x: panBy(figure.x, dx), y: panBy(figure.y, dy) }, 'pan');
        else gestures.select({ from: start, to: place(moved) });
      },
      pinch({ scale, x, dx }) {
        pinched ??= gestures.figure();
        const middle = x - dx - element.getBoundingClientRect().left;
        gestures.look({ x: zoomAround(pinched.x, middle, 1 / scale) }, 'zoom');
      },
      end(last, moved) {
        stopped();
        still = moved ? 0 : still + 1;
        if (!moved) gestures.click(place(last));
        else if (!pan && !pinched) lookAt({ from: start, to: place(last) });
      },
      cancel() {
        stopped();
        if (panned) gestures.look({ x: figure.x.domain, y: figure.y.domain }, 'pan');
      },
    });
  });
  const lookAt = (selection: Selection): void => {
    const figure = gestures.figure();
    const area = selectedArea(selection, figure.plot);
    if (area.width < SLOP || area.height < SLOP) return;
    const x = ordered(figure.x.toValue(area.left), figure.x.toValue(area.left + area.width));
    const y = ordered(figure.y.toValue(area.top), figure.y.toValue(area.top + area.height));
    gestures.look({ ...(area.wholeX ? {} : { x }), ...(area.wholeY ? {} : { y }) }, 'zoom');
  };
  on('pointermove', (event) => {
    if (!cancel) gestures.point(inside(place(event)) ? place(event) : null);
  });
  on('pointerleave', () => {
    if (!cancel) gestures.point(null);
  });
  on('dblclick', (event) => {
    if (still >= 2 && inside(place(event))) gestures.look({ x: null, y: null }, 'reset');
  });
  on(
    'wheel',
    (event) => {
      const at = place(event);
      if (!(event.ctrlKey || event.metaKey) || !inside(at)) return;
      event.preventDefault();
      gestures.look({ x: zoomAround(gestures.figure().x, at[0], wheelFactor(event)) }, 'zoom');
    },
    false,
  );
  return () => stop.abort();
}

/** Below one zooms in. A notch of a wheel is a quarter; a track pad sends many small amounts. */
function wheelFactor(event: WheelEvent): number {
  const lines = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
  return 2 ** (Math.max(-200, Math.min(200, lines)) / 300);
}

/** Arrows move the cursor from point to point, + and - zoom around it, 0 resets. */
export function listenToKeys(element: HTMLElement, gestures: Gestures): Disposer {
  let at: number | null = null; // x value of the cursor
  const stop = new AbortController();
  const show = (): void => {
    const { x, plot } = gestures.figure();
    if (at !== null) gestures.point([x.toPixel(at), plot.top + plot.height / 2]);
  };
  const move = (direction: 1 | -1, far: boolean): void => {
    const { x } = gestures.figure();
    const [lo, hi] = x.domain;
    const edge = direction === 1 ? lo : hi;
    const inside = at !== null && at >= lo && at <= hi ? at : null;
    const from = inside ?? edge;
    const next = far
      ? neighbourX(gestures.figure(), x.toValue(x.toPixel(from) + direction * 40), direction)
      : neighbourX(gestures.figure(), from, direction, inside === null);
    at = next ?? at;
    show();
  };
  const zoom = (factor: number): void => {
    const { x, plot } = gestures.figure();
    gestures.look({ x: zoomAround(x, at === null ? plot.left + plot.width / 2 : x.toPixel(at), factor) }, 'zoom');
    show();
  };
  const run = (key: string, shift: boolean): boolean => {
    if (key === 'ArrowRight' || key === 'ArrowLeft') move(key === 'ArrowRight' ? 1 : -1, shift);
    else if (key === '+' || key === '=') zoom(0.5);
    else if (key === '-') zoom(2);
    else if (key === '0') gestures.look({ x: null, y: null }, 'reset');
    else if (key === 'Enter' && at !== null)
      gestures.click([gestures.figure().x.toPixel(at), gestures.figure().plot.top + gestures.figure().plot.height / 2]);
    else return false;
    return true;
  };
  element.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (!run(event.key, event.shiftKey)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal: stop.signal },
  );
  element.addEventListener(
    'blur',
    () => {
      at = null;
      gestures.point(null);
    },
    { signal: stop.signal },
  );
  return () => stop.abort();
}
