import { drag } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isCrisp, overflows, panned, pixelAt, placed, zoomedAt, type Pixel, type Size, type Zoom } from './viewport';

interface StageProps {
  /** A decoded image, or a drawing; null leaves the stage empty. */
  readonly element: HTMLImageElement | HTMLCanvasElement | null;
  /** Size of the picture, in its pixels. */
  readonly size: Size;
  readonly zoom: Zoom | null;
  readonly onZoom: (zoom: Zoom | null) => void;
  /** The wheel zooms; elsewhere it does so with Ctrl and scrolls the page without. */
  readonly wheel: boolean;
  readonly label: string;
  /** CSS filter. */
  readonly filter?: string;
  /** CSS clip path of the picture's layer. */
  readonly clip?: string;
  /** The pixel under the pointer; null when it leaves the picture. */
  readonly onPixel?: (pixel: Pixel | null) => void;
  readonly onOpen?: () => void;
  readonly children?: ComponentChildren;
}

const WHEEL = 0.0015; // of zoom for each pixel that a wheel turns

/** An area with one picture in it, which it never lets change its own size. */
export function Stage({
  element,
  size,
  zoom,
  onZoom,
  wheel,
  label,
  filter = '',
  clip = '',
  onPixel,
  onOpen,
  children,
}: StageProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const area = useSignal<Size>({ width: 0, height: 0 });
  const own = useRef<{ readonly of: Element; readonly element: HTMLImageElement | HTMLCanvasElement } | null>(null);
  const dragged = useRef(false);
  const latest = useRef({ size, zoom, onZoom, wheel });
  latest.current = { size, zoom, onZoom, wheel };

  useLayoutEffect(() => {
    const host = root.current;
    if (!host) return;
    const measure = (): void => void (area.value = { width: host.clientWidth, height: host.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const host = root.current;
    if (!host) return;
    const turned = (event: WheelEvent): void => {
      const now = latest.current;
      if (!now.wheel && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = host.getBoundingClientRect();
      const factor = Math.exp(-event.deltaY * WHEEL * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1));
      const next = zoomedAt(area.value, now.size, now.zoom, factor, event.clientX - box.left, event.clientY - box.top);
      latest.current = { ...now, zoom: next }; // a wheel turns more often than the page is drawn
      now.onZoom(next);
    };
    host.addEventListener('wheel', turned, { passive: false });
    return () => host.removeEventListener('wheel', turned);
  }, []);
  useLayoutEffect(() => {
    const host = layer.current;
    if (!host) return;
    if (!element) {
      own.current = null;
      host.replaceChildren();
      return;
    }
    if (own.current?.of !== element) {
      // what another view shows stays there
      const taken = element.parentNode !== null && element.parentNode !== host && element instanceof HTMLImageElement;
      own.current = { of: element, element: taken ? (element.cloneNode() as HTMLImageElement) : element };
    }
    const mine = own.current.element;
    if (host.firstChild !== mine || host.childNodes.length !== 1) host.replaceChildren(mine);
    const { left, top, scale } = placed(area.value, size, zoom);
    Object.assign(mine.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${size.width * scale}px`,
      height: `${size.height * scale}px`,
      imageRendering: isCrisp(scale) ? 'pixelated' : 'auto',
      filter,
    });
  });

  const placeOf = ({ clientX, clientY }: Pick<PointerEvent, 'clientX' | 'clientY'>): readonly [number, number] => {
    const box = root.current?.getBoundingClientRect();
    return [clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)];
  };
  const drags = overflows(area.value, size, zoom);
  return (
    <div
      ref={root}
      class={drags ? 'stage drags' : 'stage'}
      role="img"
      aria-label={label}
      data-testid="stage"
      onDblClick={onOpen}
      onPointerDown={(event) => {
        if (event.button !== 0 || (!drags && event.pointerType !== 'touch')) return;
        event.preventDefault();
        dragged.current = drags;
        let pinched: Zoom | null | undefined;
        const end = (): void => void (dragged.current = false);
        drag(event, {
          // from where it began: events come faster than the page is drawn
          move: (_, dx, dy) => drags && onZoom(panned(area.value, size, zoom, dx, dy)),
          pinch({ scale, x, y, dx, dy }) {
            dragged.current = true;
            const now = latest.current; // a picture made smaller becomes the whole one when it is zoomed
            if (pinched === undefined) pinched = now.zoom;
            const moved = pinched && panned(area.value, now.size, pinched, dx, dy);
            now.onZoom(zoomedAt(area.value, now.size, moved, scale, ...placeOf({ clientX: x, clientY: y })));
          },
          end,
          cancel() {
            end();
            if (pinched !== undefined) onZoom(pinched);
            else if (drags) onZoom(zoom);
          },
        });
      }}
      onPointerMove={(event) => {
        if (!dragged.current && element) onPixel?.(pixelAt(area.value, size, zoom, ...placeOf(event)));
      }}
      onPointerLeave={() => onPixel?.(null)}
    >
      <div ref={layer} class="layer" style={{ clipPath: clip || 'none' }} />
      {children}
    </div>
  );
}
