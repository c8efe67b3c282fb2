import type { Disposer } from '@insight-host/api';
import { zoomAround } from '@insight-host/kit/draw';
import { neighbourX } from './nearest';
import type { Gestures } from './pointer';

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
