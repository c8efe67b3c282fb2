/** Animations of a landscape: training on its path, or the surface turned around. */
import type { LandscapeParts } from './board';
import { turned } from './camera';
import { gifOf, type Frame } from './gif';
import { toCanvas } from './marks';
import { heavyLines, pathsOver, pictureOf, type Moment } from './picture';
import type { Item, Look } from './plan';

const SIZE = { width: 720, height: 480, ratio: 1 };
const RATE = 12; // frames a second
const PACE = 1.5; // points of the path a second
const [SHORTEST, LONGEST] = [2, 8]; // seconds of a path
const TURN = 6; // seconds around the surface
const REST = 1000; // ms that the last frame stays

/** Whether there is something that moves. */
export function canAnimate({ landscape }: Item, look: Look): boolean {
  return landscape.path !== null || look.form === 'surface';
}

/** The moments of an animation, evenly in time. */
export function momentsOf(last: number, camera: Moment['camera']): readonly Moment[] {
  if (last > 0) {
    const count = Math.round(RATE * Math.max(SHORTEST, Math.min(LONGEST, last / PACE)));
    return Array.from({ length: count + 1 }, (_, n) => ({ progress: (last * n) / count, camera }));
  }
  const count = RATE * TURN;
  return Array.from({ length: count }, (_, n) => ({
    progress: Infinity,
    camera: turned(camera, (360 * n) / count, 0),
  }));
}

/** The file. Rejects when `signal` is aborted. */
export async function animationOf(
  board: LandscapeParts,
  item: Item,
  look: Look,
  font: string,
  signal: AbortSignal,
): Promise<Blob> {
  const { path } = item.landscape;
  const moments = momentsOf(path ? path.at.length - 1 : 0, board.orbit.camera.peek());
  const items = [item];
  const lines = (await heavyLines(board, 'animation', items, look, SIZE)) ?? null;
  const still = look.form === 'surface' ? null : pictureOf(board, items, look, SIZE, { lines });
  const draw = (n: number): Frame => {
    const moment = moments[n] as Moment;
    const picture = still ?? pictureOf(board, items, look, SIZE, { moment });
    if (!picture) throw new Error(board.page.t('webgl'));
    const marks = [...picture.marks, ...pathsOver(board, items, look, SIZE.width, SIZE.height, moment)];
    const canvas = toCanvas([{ picture: { ...picture, marks }, left: 0, top: 0 }], 1, font, look.ink.surface);
    return { canvas, milliseconds: path && n === moments.length - 1 ? REST : Math.round(1000 / RATE) };
  };
  return gifOf(moments.length, draw, signal, (done) => (board.recording.value = done / moments.length));
}
