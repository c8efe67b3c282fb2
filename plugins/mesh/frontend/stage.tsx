import { announce, arrowOf, drag, hexOf, NO_PIXELS, valueText, watchPixels, type CardKey } from '@insight-host/kit';
import { projected, turned } from '@insight-host/kit/scene';
import { useSignal } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { MeshParts } from './board';
import { moved, sightOf, zoomed, type Camera } from './camera';
import { cornerAt, pointAt, projectionOf, type Projection } from './geometry';
import { paintPicture, type Look } from './picture';
import { inBall, pointOf, rowOf } from './shape';

interface StageProps {
  readonly board: MeshParts;
  readonly card: CardKey;
  readonly look: Look;
  readonly label: string;
}

interface Reading {
  readonly point: number;
  readonly px: number;
  readonly py: number;
}

const DRAG = 0.4; // degrees a pixel
const KEY_TURN = 6; // degrees
const KEY_MOVE = 24; // pixels
const KEY_ZOOM = 1.2; // times nearer
const REACH = 7; // pixels from a point within which it is read

/** A shape to look at: turned, moved and brought nearer by pointer, fingers and keys; its points can be read. */
export function Stage({ board, card, look, label }: StageProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const projection = useRef<{ readonly key: readonly unknown[]; readonly value: Projection } | null>(null);
  const busy = useRef(false); // turns or moves
  const size = useSignal(NO_PIXELS);
  const reading = useSignal<Reading | null>(null);
  const { width, height } = size.value;
  const { camera, lens, scene } = look;
  const { shape } = scene;
  const visible = board.page.visible.value;
  const moving = board.cameras.moving.value === card.tag;
  useEffect(() => {
    if (!picture.current) return;
    return watchPixels(picture.current, (pixels) => {
      if (pixels.columns > 0) size.value = pixels;
    });
  }, []);
  useEffect(() => {
    const renderer = board.renderer();
    if (!picture.current || width === 0 || !visible || !renderer) return;
    paintPicture(picture.current, renderer, look, size.value, { quick: moving });
    picture.current.dataset['drawn'] = `${shape.step} ${shape.points} ${shape.triangles}`;
  }, [size.value, look, visible, moving]);
  useEffect(() => void (reading.value = null), [shape, size.value, camera, lens]);

  const lookAt = (next: Camera): void => board.cameras.look(card.tag, next);
  const now = (): Camera => board.cameras.of(card.tag) ?? camera;
  const read = (event: PointerEvent): void => {
    const box = place.current?.getBoundingClientRect();
    if (!box || width === 0) return;
    const key = [shape, camera, lens, scene.frame, width, height];
    if (!projection.current || projection.current.key.some((part, n) => part !== key[n]))
      projection.current = {
        key,
        value: projectionOf(shape, scene.frame, sightOf(camera, lens, width, height), width, height),
      };
    const { value } = projection.current;
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const found =
      shape.faces && scene.draw !== 'points'
        ? cornerAt(value, shape.faces, px, py)
        : pointAt(value, px, py, Math.max(REACH, scene.size / 2));
    reading.value = found === null ? null : { point: found, px: value.x[found] ?? px, py: value.y[found] ?? py };
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = arrowOf(event.key);
    const before = now();
    if (move && event.shiftKey) lookAt(moved(before, lens, -move[0] * KEY_MOVE, move[1] * KEY_MOVE, width, height));
    else if (move) lookAt(turned(before, move[0] * KEY_TURN, move[1] * KEY_TURN));
    else if (event.key === '+' || event.key === '=') lookAt(zoomed(before, KEY_ZOOM));
    else if (event.key === '-') lookAt(zoomed(before, 1 / KEY_ZOOM));
    else if (event.key === '0') board.cameras.reset(card.tag);
    else return;
    event.preventDefault();
    event.stopPropagation();
    const { azimuth, elevation, zoom } = now();
    announce(
      board.page.t('camera.at', {
        azimuth: Math.round(azimuth),
        elevation: Math.round(elevation),
        zoom: Number(zoom.toPrecision(2)),
      }),
    );
  };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    // The page scrolls with the wheel alone; the shape comes nearer with it when it has the focus, or with Ctrl.
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
      event.preventDefault();
      lookAt(zoomed(now(), Math.exp(-event.deltaY / 600)));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [look]);
  const press = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    busy.current = true;
    reading.value = null;
    const before = now();
    const moves = event.shiftKey;
    let pinched: Camera | null = null;
    const end = (): void => void (busy.current = false);
    drag(event, {
      move: (_, dx, dy) =>
        lookAt(moves ? moved(before, lens, dx, dy, width, height) : turned(before, -dx * DRAG, dy * DRAG)),
      pinch({ scale, dx, dy }) {
        busy.current = true;
        pinched ??= now();
        lookAt(zoomed(moved(pinched, lens, dx, dy, width, height), scale));
      },
      end,
      cancel() {
        end();
        lookAt(pinched ?? before);
      },
    });
  };
  const at = reading.value;
  return (
    <div
      ref={place}
      class="stage"
      role="img"
      tabIndex={0}
      aria-label={label}
      title={board.page.t('stage.hint')}
      data-testid="stage"
      onKeyDown={keys}
      onPointerDown={press}
      onPointerMove={(event) => {
        if (!busy.current) read(event);
      }}
      onPointerLeave={({ pointerType }) => {
        if (pointerType !== 'touch') reading.value = null;
      }}
      onDblClick={() => board.cameras.reset(card.tag)}
    >
      <canvas ref={picture} aria-hidden="true" data-testid="picture" />
      {board.renderer() === null && (
        <p class="no-webgl" role="alert">
          {board.page.t('webgl')}
        </p>
      )}
      {at && <ReadingOf look={look} board={board} at={at} width={width} height={height} />}
    </div>
  );
}

interface ReadingProps {
  readonly look: Look;
  readonly board: MeshParts;
  readonly at: Reading;
  readonly width: number;
  readonly height: number;
}

/** Names the point under the pointer. */
function ReadingOf({ look, board, at, width, height }: ReadingProps): JSX.Element {
  const { shape, frame } = look.scene;
  const coordinates = pointOf(shape, at.point);
  const color = shape.colors?.subarray(3 * at.point, 3 * at.point + 3);
  const [px, py] = projected(
    sightOf(look.camera, look.lens, width, height).matrix,
    inBall(coordinates, frame),
    width,
    height,
  );
  const isRight = px > width / 2;
  const [left, top] = [Math.round(px + (isRight ? -12 : 12)), Math.round(Math.max(4, Math.min(py - 14, height - 52)))];
  return (
    <>
      <i class="read-point" style={{ transform: `translate(${px}px, ${py}px)` }} />
      <div
        class="reading"
        data-testid="reading"
        style={{ transform: `translate(${left}px, ${top}px)${isRight ? ' translateX(-100%)' : ''}` }}
      >
        <b>{board.page.t('point', { row: rowOf(shape, at.point).toLocaleString(board.page.locale.value) })}</b>
        <span>{coordinates.map((value, axis) => `${'xyz'[axis]} ${valueText(value)}`).join('  ')}</span>
        {color && (
          <span class="color">
            <i class="dot" style={{ background: hexOf([...color]) }} />
            {[...color].join(', ')}
          </span>
        )}
      </div>
    </>
  );
}
