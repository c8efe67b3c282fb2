import type { Disposer } from '@insight-host/api';
import { ordered, panBy, zoomAround } from '../draw/scale';
import type { Figure } from './figure';
import { selectedArea, type Selection } from './overlay';

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
  let drag: { start: readonly [number, number]; figure: Figure; pan: boolean; moved: boolean } | null = null;
  let still = 0; // consecutive clicks without movement: two drags from one place are not a double click
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(type: K, run: (event: HTMLElementEventMap[K]) => void, passive = true): void =>
    element.addEventListener(type, run, { signal: stop.signal, passive });
  const place = (event: MouseEvent): readonly [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const inside = ([x, y]: readonly [number, number]): boolean => {
    const { plot } = gestures.figure();
    return x >= plot.left && x <= plot.left + plot.width && y >= plot.top && y <= plot.top + plot.height;
  };

  on('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch' || !inside(place(event))) return;
    drag = { start: place(event), figure: gestures.figure(), pan: event.shiftKey !== (gestures.tool() === 'pan'), moved: false };
    element.setPointerCapture(event.pointerId);
  });
  on('pointermove', (event) => {
    const at = place(event);
    if (!drag) {
      gestures.point(inside(at) ? at : null);
      return;
    }
    if (!drag.moved && Math.hypot(at[0] - drag.start[0], at[1] - drag.start[1]) < SLOP) return;
    drag.moved = true;
    gestures.point(null);
    if (drag.pan) gestures.look({ x: panBy(drag.figure.x, at[0] - drag.start[0]), y: panBy(drag.figure.y, at[1] - drag.start[1]) }, 'pan');
    else gestures.select({ from: drag.start, to: at });
  });
  on('pointerup', (event) => {
    const ended = drag;
    drag = null;
    if (!ended) return;
    still = ended.moved ? 0 : still + 1;
    if (!ended.moved) {
      gestures.click(place(event));
      return;
    }
    if (ended.pan) return;
    gestures.select(null);
    const figure = gestures.figure();
    const area = selectedArea({ from: ended.start, to: place(event) }, figure.plot);
    if (area.width < SLOP || area.height < SLOP) return;
    const x = ordered(figure.x.toValue(area.left), figure.x.toValue(area.left + area.width));
    const y = ordered(figure.y.toValue(area.top), figure.y.toValue(area.top + area.height));
    gestures.look({ ...(area.wholeX ? {} : { x }), ...(area.wholeY ? {} : { y }) }, 'zoom');
  });
  on('pointercancel', () => {
    drag = null;
    gestures.select(null);
  });
  on('pointerleave', () => {
    if (!drag) gestures.point(null);
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
