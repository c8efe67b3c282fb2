import { announce, arrowOf, drag, NO_PIXELS, valueText, watchPixels } from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { JSX, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { lossAt } from './landscape';
import { paint, type Mark } from './marks';
import { heavyLines, pathsOver, pictureOf, renderer, seenLook } from './picture';
import { circle, contoursOf, plotOf, type Item, type Look } from './plan';
import { projection } from './plan_lines';
import { pick } from './surface';
import { isWhole, movedBy, turned, WHOLE, zoomed, zoomedAt, type Camera, type PlanView } from './view';

interface StageProps {
  readonly board: LandscapeParts;
  readonly items: readonly Item[];
  readonly look: Look;
  readonly label: string;
  /** Pictures of what is shown are asked for under this name. */
  readonly id: string;
}

interface Reading {
  readonly x: number;
  readonly y: number;
  readonly losses: readonly {
    readonly run: string;
    readonly name: string;
    readonly color: string;
    readonly loss: number | null;
  }[];
  readonly px: number;
  readonly py: number;
}

const DRAG = 0.4; // degrees a pixel
const KEY_TURN = 6; // degrees
const READING = 34; // pixels of the height of what is read, next to its lines
const READING_LINE = 17;
const KEY_MOVE = 12; // pixels
const KEY_ZOOM = 1.4; // times nearer
const SLOP = 4; // pixels that a press may wander

/** A landscape, or several upon each other: drawn, turned or zoomed, read. */
export function Stage({ board, items, look, label, id }: StageProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const size = useMemo(() => signal(NO_PIXELS), []);
  const reading = useMemo(() => signal<Reading | null>(null), []);
  const busy = useMemo(() => signal(false), []);
  const { width, height, ratio } = size.value;
  const isSurface = look.form === 'surface';
  const camera = board.orbit.camera.value;
  const view = board.planView.value;
  const moving =
    board.orbit.moving.value ||
    board.chosen.player.playing.value ||
    (board.mode.value === 'comparison' && board.compared.isComing.value);
  const [opacity, progress] = [board.opacity.value, board.chosen.player.progress.value];
  useEffect(() => {
    if (!picture.current) return;
    return watchPixels(picture.current, (pixels) => {
      if (pixels.columns === 0) return;
      size.value = pixels;
      reading.value = null; // what was under the pointer is elsewhere
    });
  }, []);
  const font = getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif';
  useEffect(() => {
    if (!picture.current || width === 0 || !board.page.visible.value) return;
    const show = (lines: readonly Mark[] | null): void => {
      if (!picture.current) return;
      const drawn = pictureOf(board, items, look, size.value, { moving, lines });
      if (drawn) paint(picture.current, drawn, ratio, font);
      picture.current.dataset['drawn'] = drawn ? `${look.form} ${items.length}` : '';
      busy.value = false;
    };
    if (isSurface || !board.contourLines.isHeavy(contoursOf(items, look, width, height))) return show(null);
    let isCurrent = true;
    busy.value = true; // the old picture stays until the new one is drawn
    void heavyLines(board, `stage ${id}`, items, look, size.value).then(
      (lines) => lines !== undefined && isCurrent && show(lines),
    );
    return () => void (isCurrent = false);
  }, [
    size.value,
    items,
    look,
    font,
    board.page.visible.value,
    ...(isSurface ? [camera, opacity, progress, moving] : [view]),
  ]);
  useEffect(() => {
    if (!overlay.current || width === 0) return;
    const marks = [...pathsOver(board, items, look, width, height)];
    const at = reading.value;
    if (at) marks.push({ kind: 'path', d: circle(at.px, at.py, 4), stroke: look.ink.text, width: 1.5 });
    paint(overlay.current, { width, height, marks }, ratio, font);
  }, [size.value, items, look, font, progress, view, reading.value, items.length > 1 && board.page.hovered.value]);
  const plot = plotOf(width, height, look);
  const read = (px: number, py: number): void => {
    if (isSurface) {
      const found = pick(items, look, board.orbit.camera.value, width, height, px, py);
      const item = found ? items[found.item] : undefined;
      reading.value =
        found && item
          ? { ...found, losses: [{ run: item.run, name: item.name, color: item.color, loss: found.loss }] }
          : null;
      return;
    }
    const to = projection(seenLook(board, look).extent, plot);
    const inside = px >= plot.left && px <= plot.left + plot.width && py >= plot.top && py <= plot.top + plot.height;
    const [x, y] = [to.fromX(px), to.fromY(py)];
    reading.value = inside
      ? {
          x,
          y,
          px,
          py,
          losses: items.map(({ landscape, run, name, color }) => ({ run, name, color, loss: lossAt(landscape, x, y) })),
        }
      : null;
  };
  const local = (event: PointerEvent | WheelEvent): readonly [number, number] => {
    const box = place.current?.getBoundingClientRect();
    return box ? [event.clientX - box.left, event.clientY - box.top] : [0, 0];
  };
  useEffect(() => {
    if (!isSurface && reading.value) read(reading.value.px, reading.value.py); // another value is there now
  }, [view]);
  /** Shares of the plot, from its lower left corner. */
  const shares = ([px, py]: readonly [number, number]): readonly [number, number] => [
    (px - plot.left) / plot.width,
    1 - (py - plot.top) / plot.height,
  ];
  const lookAt = (next: PlanView): void => board.planView.set(next);
  const turns = useRef(false); // or moves
  /** Where keys read and zoom: what was read last, or the middle. */
  const keyPlace = (): readonly [number, number] =>
    reading.value ? [reading.value.px, reading.value.py] : [plot.left + plot.width / 2, plot.top + plot.height / 2];
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = arrowOf(event.key);
    if (move) {
      if (isSurface) board.orbit.look(turned(camera, move[0] * KEY_TURN, move[1] * KEY_TURN));
      else {
        const [x, y] = [keyPlace()[0] + move[0] * KEY_MOVE, keyPlace()[1] - move[1] * KEY_MOVE];
        const px = Math.max(plot.left, Math.min(plot.left + plot.width, x));
        const py = Math.max(plot.top, Math.min(plot.top + plot.height, y));
        if (px !== x || py !== y) lookAt(movedBy(view, (px - x) / plot.width, (y - py) / plot.height));
        read(px, py);
      }
    } else if (isSurface && (event.key === '+' || event.key === '=')) board.orbit.look(zoomed(camera, 1.15));
    else if (isSurface && event.key === '-') board.orbit.look(zoomed(camera, 1 / 1.15));
    else if (isSurface && event.key === '0') board.orbit.reset();
    else if (event.key === '+' || event.key === '=') lookAt(zoomedAt(view, KEY_ZOOM, ...shares(keyPlace())));
    else if (event.key === '-') lookAt(zoomedAt(view, 1 / KEY_ZOOM, ...shares(keyPlace())));
    else if (event.key === '0') lookAt(WHOLE);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    // The page scrolls with the wheel alone; the landscape comes nearer with it when it has the focus, or with Ctrl.
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
      event.preventDefault();
      const factor = Math.exp(-event.deltaY / 600);
      if (isSurface) board.orbit.look(zoomed(board.orbit.camera.value, factor));
      else lookAt(zoomedAt(board.planView.value, factor, ...shares(local(event))));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [isSurface, size.value, look]);
  /** On a plan: a press reads, a drag moves what is shown, two fingers zoom it. */
  const press = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    read(...local(event)); // a finger that taps does not move
    const before = board.planView.value;
    let pinched: PlanView | null = null;
    const rest = (): void => void (turns.current = false);
    const begin = (): void => {
      turns.current = true;
      reading.value = null;
    };
    drag(event, {
      slop: SLOP,
      move(_, dx, dy) {
        if (isWhole(before)) return; // there is nowhere to go
        begin();
        lookAt(movedBy(before, dx / plot.width, -dy / plot.height));
      },
      pinch({ scale, x, y, dx, dy }) {
        begin();
        pinched ??= board.planView.value;
        const box = place.current?.getBoundingClientRect();
        const middle = shares([x - dx - (box?.left ?? 0), y - dy - (box?.top ?? 0)]);
        lookAt(movedBy(zoomedAt(pinched, scale, ...middle), dx / plot.width, -dy / plot.height));
      },
      end: rest,
      cancel() {
        rest();
        lookAt(pinched ?? before);
      },
    });
  };
  const at = reading.value;
  useEffect(() => {
    if (at && place.current?.matches(':focus-visible')) return announce(readingText(board, at));
  }, [at]);
  return (
    <div
      ref={place}
      class={isSurface ? 'stage turns' : isWhole(view) ? 'stage' : 'stage near'}
      role="img"
      tabIndex={0}
      aria-label={label}
      data-testid="stage"
      data-stage={id}
      aria-busy={busy.value}
      onKeyDown={keys}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        if (!isSurface) return press(event);
        turns.current = true;
        reading.value = null;
        const before = board.orbit.camera.value;
        let pinched: Camera | null = null;
        const end = (): void => void (turns.current = false);
        drag(event, {
          move: (_, dx, dy) => board.orbit.look(turned(before, -dx * DRAG, dy * DRAG)),
          pinch({ scale, dx, dy }) {
            turns.current = true;
            pinched ??= board.orbit.camera.value;
            board.orbit.look(zoomed(turned(pinched, -dx * DRAG, dy * DRAG), scale));
          },
          end,
          cancel() {
            end();
            board.orbit.look(pinched ?? before);
          },
        });
      }}
      onPointerMove={(event) => {
        if (!turns.current) read(...local(event));
      }}
      onPointerLeave={({ pointerType }) => {
        if (pointerType !== 'touch') reading.value = null; // a lifted finger leaves too: what it read stays
      }}
      onBlur={() => (reading.value = null)}
      onDblClick={() => (isSurface ? board.orbit.reset() : lookAt(WHOLE))}
    >
      <canvas ref={picture} aria-hidden="true" data-testid="picture" />
      <canvas ref={overlay} aria-hidden="true" />
      {isSurface && renderer() === null && (
        <p class="no-webgl" role="alert">
          {board.page.t('webgl')}
        </p>
      )}
      {at && (
        <div
          class="reading"
          data-testid="reading"
          style={{
            transform:
              `translate(${Math.round(at.px + (at.px > width / 2 ? -12 : 12))}px, ` +
              `${Math.round(Math.max(4, Math.min(at.py - 14, height - READING - READING_LINE * at.losses.length)))}` +
              `px)${at.px > width / 2 ? ' translateX(-100%)' : ''}`,
          }}
        >
          {at.losses.map(({ run, name, color, loss }) => (
            <div key={run} class="line">
              <i class="dot" style={{ background: color }} />
              <span class="name">{at.losses.length > 1 ? name : board.page.t('loss')}</span>
              <b data-testid="loss">{loss === null ? board.page.t('beyond') : valueText(loss)}</b>
            </div>
          ))}
          <div class="at">
            x {valueText(at.x)} · y {valueText(at.y)}
          </div>
        </div>
      )}
    </div>
  );
}

/** What a screen reader says while keys move over a plan. */
function readingText(board: LandscapeParts, { x, y, losses }: Reading): string {
  const said = losses.map(
    ({ name, loss }) =>
      `${losses.length > 1 ? name : board.page.t('loss')} ${loss === null ? board.page.t('beyond') : valueText(loss)}`,
  );
  return [...said, `x ${valueText(x)} · y ${valueText(y)}`].join(board.page.t('list.separator'));
}
