import { drag } from '@insight-host/kit';
import { batch, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX, TargetedEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { GraphParts } from '../board';
import { fitted, panned, resized, seen, transformOf, zoomed, type Camera } from './camera';
import { Drawing } from './drawing';
import { neighbourAt, topmost, useHighlight } from './highlight';
import { inkOf, paletteOf } from './ink';
import { Minimap } from './minimap';
import { HEAD, type Scene } from './scene';

const WHEEL = 0.0015; // of zoom for each pixel that a wheel turns
const STILL = 4; // pixels that a pointer may move in a click
const ARROWS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const;
const FAR = 0.3; // scale below which texts are not drawn

/** The drawing under a camera, with everything that hands do to it. */
export function Stage({ board, scene }: { readonly board: GraphParts; readonly scene: Scene }): JSX.Element {
  const { explorer } = board;
  const root = useRef<SVGSVGElement>(null);
  const camera = useRef<SVGGElement>(null);
  const far = useSignal(false);
  const highlight = useHighlight(board, scene);
  const ink = useMemo(() => inkOf(board.page.theme.value), [board.page.theme.value]);
  const palette = useMemo(() => paletteOf(scene, ink, board.colored.value), [scene, ink, board.colored.value]);
  // the same element again costs nothing: only what changes the drawing draws it again
  const drawing = useMemo(
    () => <Drawing scene={scene} ink={ink} palette={palette} highlight={highlight} />,
    [scene, ink, palette, highlight],
  );
  useView(board, root);
  useLayoutEffect(() => apply()); // the drawing and its place change at once
  useSignalEffect(() => {
    void board.looks.camera.value;
    void explorer.view.value;
    apply();
  });
  const hands = useHands(board, root);

  function apply(): void {
    const now = explorer.scene.peek();
    if (!camera.current || !now) return;
    const at = explorer.cameraOf(now);
    const [x, y, scale] = transformOf(at, explorer.view.value);
    camera.current.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
    far.value = scale < FAR;
  }

  return (
    <div class="stage" data-testid="stage">
      <svg
        ref={root}
        class={`canvas${explorer.moving.value ? ' moving' : ''}${far.value ? ' far' : ''}`}
        tabindex={0}
        role="group"
        aria-label={board.page.t('drawing', { nodes: scene.nodes.length, frames: scene.frames.length })}
        {...hands}
      >
        <g ref={camera} class="camera">
          {drawing}
        </g>
      </svg>
      <Minimap board={board} scene={scene} ink={ink} palette={palette} />
    </div>
  );
}

function useView(board: GraphParts, root: { readonly current: Element | null }): void {
  useLayoutEffect(() => {
    const { current: element } = root;
    if (!element) return;
    const measure = (): void => {
      const { width, height } = element.getBoundingClientRect();
      const { value } = board.explorer.view;
      if (width === 0 || (width === value.width && height === value.height)) return;
      batch(() => {
        const { value: camera } = board.looks.camera;
        if (camera && value.width > 0) board.looks.camera.set(resized(camera, value, { width, height }));
        board.explorer.view.value = { width, height };
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

type Take<E extends Event> = (event: TargetedEvent<SVGSVGElement, E>) => void;
interface Hands {
  readonly onPointerDown: Take<PointerEvent>;
  readonly onClick: Take<MouseEvent>;
  readonly onDblClick: Take<MouseEvent>;
  readonly onKeyDown: Take<KeyboardEvent>;
}

/** What pointers, wheel and keys do. */
function useHands(board: GraphParts, root: { readonly current: SVGSVGElement | null }): Hands {
  const { explorer } = board;
  const isDragged = useRef(false);
  const now = (): Camera | null => {
    const scene = explorer.scene.peek();
    return scene && explorer.cameraOf(scene);
  };
  const at = (clientX: number, clientY: number): readonly [number, number] => {
    const box = root.current?.getBoundingClientRect();
    return [clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)];
  };
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const turned = (event: WheelEvent): void => {
      const before = now();
      if (!before) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
      // a pinch on a touchpad is a wheel with Ctrl and small steps
      const factor = Math.exp(-event.deltaY * lines * WHEEL * (event.ctrlKey ? 6 : 1));
      board.looks.camera.set(zoomed(before, explorer.view.peek(), factor, ...at(event.clientX, event.clientY)));
    };
    element.addEventListener('wheel', turned, { passive: false });
    return () => element.removeEventListener('wheel', turned);
  }, []);

  const idAt = (target: EventTarget | null): string | null =>
    target instanceof Element ? (target.closest('[data-id]')?.getAttribute('data-id') ?? null) : null;
  const toggles = (id: string): void => {
    const scene = explorer.scene.peek();
    const node = scene?.nodes.find((drawn) => drawn.item.key === id)?.item.node;
    if ((node && node.children > 0) || scene?.frames.some((frame) => frame.node.id === id)) explorer.toggle(id);
    else void explorer.reveal(id);
  };

  return {
    onPointerDown(event) {
      const before = now();
      if (!before) return;
      isDragged.current = false;
      let pinched: Camera | null = null;
      drag(event, {
        slop: STILL,
        move: (_, dx, dy) => board.looks.camera.set(panned(before, dx, dy)),
        pinch({ scale, x, y, dx, dy }) {
          pinched ??= now() ?? before;
          board.looks.camera.set(zoomed(panned(pinched, dx, dy), explorer.view.peek(), scale, ...at(x, y)));
        },
        end: (_, moved) => void (isDragged.current = moved),
        cancel() {
          isDragged.current = true;
          board.looks.camera.set(before);
        },
      });
    },
    onClick(event) {
      if (isDragged.current) return;
      const id = idAt(event.target);
      if (id !== null && event.target instanceof Element && event.target.closest('[data-switch]')) toggles(id);
      else board.looks.select(id);
    },
    onDblClick(event) {
      const id = idAt(event.target);
      if (id !== null && !(event.target instanceof Element && event.target.closest('[data-switch]'))) toggles(id);
    },
    onKeyDown(event) {
      const scene = explorer.scene.peek();
      if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
      const selected = board.looks.selected.peek();
      const arrow = ARROWS[event.key as keyof typeof ARROWS];
      if (arrow) {
        const isThere = selected !== null && scene.places.has(selected);
        const next = isThere ? neighbourAt(scene, selected, arrow) : topmost(scene);
        if (next !== null) {
          board.looks.select(next);
          keepInSight(board, scene, next);
        }
      } else if (event.key === 'Enter' && selected !== null) toggles(selected);
      else if (event.key === 'Escape' && selected !== null) board.looks.select(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

/** Brings a node into the middle if it is not in sight. */
function keepInSight(board: GraphParts, scene: Scene, id: string): void {
  const place = scene.places.get(id);
  const { explorer } = board;
  const camera = explorer.cameraOf(scene);
  const part = seen(camera, explorer.view.peek());
  if (
    !place ||
    (place.x >= part.x &&
      place.y >= part.y &&
      place.x + place.width <= part.x + part.width &&
      place.y + HEAD <= part.y + part.height)
  )
    return;
  board.looks.camera.set({ ...camera, x: place.x + place.width / 2, y: place.y + HEAD });
}

/** By the buttons and keys of the tab. */
export function zoomBy(board: GraphParts, factor: number): void {
  const scene = board.explorer.scene.peek();
  const view = board.explorer.view.peek();
  if (scene)
    board.looks.camera.set(zoomed(board.explorer.cameraOf(scene), view, factor, view.width / 2, view.height / 2));
}

export function fit(board: GraphParts): void {
  const scene = board.explorer.scene.peek();
  if (scene) board.looks.camera.set(fitted(scene, board.explorer.view.peek()));
}
