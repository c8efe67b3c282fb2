import { announce, arrowOf, drag, pixelsOf, watchPixels } from '@insight-host/kit';
import { turned } from '@insight-host/kit/scene';
import { effect, useSignal } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { select, type EmbeddingParts } from './board';
import { moved, pointAt, pointsIn, zoomed, type Box, type Camera } from './camera';
import { painted } from './coloring';
import type { Label } from './look';
import { Picture } from './picture';
import { Reading } from './points';
import { Legend } from './status';

const DRAG = 0.4; // degrees a pixel
const KEY_TURN = 6; // degrees
const KEY_MOVE = 0.08; // of half the picture
const KEY_ZOOM = 1.2;
const REACH = 12; // pixels from the pointer to the point that it means
const SLOP = 4; // pixels that a press may wander
const MOST_IN_FRONT = 500; // points that stand out together
const MOST_LABELS = 400; // that are tried for a place

/** The points: drawn, turned, read, selected. */
export function Stage({
  board,
  onPicture,
}: {
  readonly board: EmbeddingParts;
  readonly onPicture: (made: Picture | null) => void;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const webgl = useRef<HTMLCanvasElement>(null);
  const plain = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const picture = useRef<Picture | null>(null);
  const box = useSignal<Box | null>(null);
  const pointer = useSignal<readonly [x: number, y: number] | null>(null);
  const { t: say } = board.page;
  const isFlat = board.space.value === 'two';

  useEffect(() => {
    const [host, canvas, flat, over] = [place.current, webgl.current, plain.current, overlay.current];
    if (!host || !canvas || !flat || !over) return;
    const made = new Picture(
      { webgl: canvas, plain: flat, overlay: over },
      () => (host.dataset['drawn'] = String(board.size.peek())),
    );
    picture.current = made;
    onPicture(made);
    const font = getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif';
    const stops = [
      watchPixels(over, (size) => made.resize(size)),
      effect(() => {
        const { rgb } = board.coloring.value;
        made.color(painted(rgb, board.shown.value, board.focus.value, board.background.value));
      }),
      effect(() => {
        made.bringToFront(frontOf(board));
      }),
      effect(() => {
        const positions = board.positions.value;
        if (!positions) return;
        const ink = board.ink.value;
        made.show({
          positions: positions.values,
          flat: board.space.value === 'two',
          background: board.background.value,
          ring: ringOf(board.isDark.value),
          atlas: board.pictures.value ? atlasOf(board) : null,
          labels: labelsOf(board),
          axes: board.axisNames.value,
          ink: { text: ink.text, faint: ink.faint, surface: ink.surface },
          font,
        });
      }),
      effect(() => made.look(board.orbit.camera.value, board.orbit.moving.value)),
    ];
    made.resize(pixelsOf(over));
    const lost = (event: Event): void => event.preventDefault();
    canvas.addEventListener('webglcontextlost', lost);
    return () => {
      canvas.removeEventListener('webglcontextlost', lost);
      for (const stop of stops) stop();
      made.dispose();
      onPicture(null);
      picture.current = null;
    };
  }, []);

  const local = (event: { readonly clientX: number; readonly clientY: number }): readonly [number, number] => {
    const at = place.current?.getBoundingClientRect();
    return at ? [event.clientX - at.left, event.clientY - at.top] : [0, 0];
  };
  /** Shares of half the picture, from its middle. */
  const shares = ([px, py]: readonly [number, number]): readonly [number, number] => {
    const at = place.current?.getBoundingClientRect();
    return at ? [(2 * px) / at.width - 1, 1 - (2 * py) / at.height] : [0, 0];
  };
  const under = (px: number, py: number): number | null => {
    const seen = picture.current?.projected;
    return seen ? pointAt(seen, board.shown.value, px, py, REACH) : null;
  };
  const { orbit } = board;
  const press = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    orbit.turning.value = false;
    const [px, py] = local(event);
    const before = orbit.camera.value;
    const selects = board.boxes.value || event.shiftKey;
    const pans = isFlat || event.ctrlKey || event.metaKey;
    let pinched: Camera | null = null;
    drag(event, {
      slop: SLOP,
      move(_, dx, dy) {
        board.hovered.value = null;
        if (selects) {
          box.value = {
            left: Math.min(px, px + dx),
            right: Math.max(px, px + dx),
            top: Math.min(py, py + dy),
            bottom: Math.max(py, py + dy),
          };
        } else if (pans) orbit.look(moved(before, ...away(dx, dy)));
        else orbit.look(turned(before, -dx * DRAG, dy * DRAG));
      },
      pinch({ scale, dx, dy }) {
        pinched ??= orbit.camera.value;
        orbit.look(zoomed(moved(pinched, ...away(dx, dy)), scale));
      },
      end(_, wandered) {
        const { value: drawn } = box;
        const seen = picture.current?.projected;
        if (drawn && seen) select(board, pointsIn(seen, board.shown.value, drawn));
        box.value = null;
        if (wandered) return;
        const found = under(px, py);
        if (found === null && board.selection.value) board.selection.value = null;
        else board.point.set(found);
      },
      cancel() {
        box.value = null;
        orbit.look(pinched ?? before);
      },
    });
  };
  const away = (dx: number, dy: number): readonly [number, number] => {
    const at = place.current?.getBoundingClientRect();
    return at ? [(2 * dx) / at.width, (-2 * dy) / at.height] : [0, 0];
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = arrowOf(event.key);
    const { camera } = orbit;
    if (move && (isFlat || event.shiftKey)) orbit.look(moved(camera.value, -move[0] * KEY_MOVE, -move[1] * KEY_MOVE));
    else if (move) orbit.look(turned(camera.value, move[0] * KEY_TURN, move[1] * KEY_TURN));
    else if (event.key === '+' || event.key === '=') orbit.look(zoomed(camera.value, KEY_ZOOM));
    else if (event.key === '-') orbit.look(zoomed(camera.value, 1 / KEY_ZOOM));
    else if (event.key === '0') orbit.reset();
    else if (event.key === 'Enter' || event.key === ' ') {
      // the point in the middle: it can be brought there with the arrow keys
      const at = place.current?.getBoundingClientRect();
      const seen = picture.current?.projected;
      const found = at && seen ? pointAt(seen, board.shown.value, at.width / 2, at.height / 2, at.width) : null;
      board.point.set(found);
      if (found !== null) announce(board.labelOf(found));
    } else return;
    orbit.turning.value = false;
    event.preventDefault();
    event.stopPropagation();
  };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      orbit.look(zoomed(orbit.camera.value, Math.exp(-event.deltaY / 600), ...shares(local(event))));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);
  return (
    <div class={`view ${board.source.isFresh.value ? '' : 'busy'}`.trimEnd()}>
      <div
        ref={place}
        class={isFlat || board.boxes.value ? 'stage flat' : 'stage'}
        role="img"
        tabIndex={0}
        aria-label={say('stage', { points: board.size.value })}
        data-testid="stage"
        onKeyDown={keys}
        onPointerDown={press}
        onPointerMove={(event) => {
          if (box.value || orbit.moving.value) return;
          pointer.value = local(event);
          board.hovered.value = under(...local(event));
        }}
        onPointerLeave={() => {
          pointer.value = null;
          board.hovered.value = null;
        }}
        onDblClick={() => orbit.reset()}
      >
        <canvas ref={webgl} aria-hidden="true" data-testid="webgl" hidden />
        <canvas ref={plain} aria-hidden="true" data-testid="plain" />
        <canvas ref={overlay} aria-hidden="true" />
        {box.value && (
          <i
            class="box"
            style={{
              left: `${box.value.left}px`,
              top: `${box.value.top}px`,
              width: `${box.value.right - box.value.left}px`,
              height: `${box.value.bottom - box.value.top}px`,
            }}
          />
        )}
        {pointer.value && board.hovered.value !== null && (
          <Reading board={board} point={board.hovered.value} at={pointer.value} />
        )}
      </div>
      <Legend board={board} />
    </div>
  );
}

const ringOf = (isDark: boolean): readonly [number, number, number] => (isDark ? [255, 255, 255] : [20, 24, 30]);

/** Points over all others, the one under the pointer on top. */
function frontOf({ focus, focused, hovered, shown }: EmbeddingParts): Uint32Array {
  const found = new Set<number>();
  const isFew = focus.value !== null && focus.value.reduce((sum, is) => sum + is, 0) <= MOST_IN_FRONT;
  if (isFew) focus.value?.forEach((is, point) => is && found.add(point));
  for (const point of [focused.value, hovered.value])
    if (point !== null) {
      found.delete(point);
      found.add(point);
    }
  return Uint32Array.from([...found].filter((point) => shown.value?.[point]));
}

function atlasOf(board: EmbeddingParts) {
  const [image, size] = [board.source.sprite.value, board.chosen.entry.value?.picture_size];
  return image && size ? { image, width: size[0], height: size[1] } : null;
}

/** The chosen point and its neighbours, then as many others as are asked for. */
function labelsOf(board: EmbeddingParts): readonly Label[] {
  const { value: chosen } = board.focused;
  const found: Label[] = [];
  const add = (point: number, isSure: boolean): void => {
    if (board.shown.value?.[point]) found.push({ point, text: board.labelOf(point), isSure });
  };
  if (chosen !== null) {
    add(chosen, true);
    for (const point of board.near.value) add(point, false);
  }
  if (board.labels.value) {
    const { value: focus } = board.focus;
    const every = Math.max(1, Math.floor(board.size.value / (4 * MOST_LABELS)));
    for (let point = 0; point < board.size.value && found.length < MOST_LABELS; point += focus ? 1 : every)
      if (!focus || focus[point]) add(point, false);
  }
  return found;
}
