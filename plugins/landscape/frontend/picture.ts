/** Pictures of landscapes as they are shown: for the screen and for files. */
import type { Theme } from '@insight-host/api';
import { useMemo } from 'preact/hooks';
import type { LandscapeParts } from './board';
import { canvasOf } from './contour_lines';
import type { Mark, Picture } from './marks';
import { contoursOf, pathMarks, planPicture, plotOf, type Ink, type Item, type Look } from './plan';
import { Renderer } from './renderer';
import { sharedExtent, sharedScale } from './scale';
import { surfacePicture } from './surface';
import { seenOf } from './view';

/** One for the tab: browsers give a page few of them. */
let shared: Renderer | null | undefined;

export function renderer(): Renderer | null {
  if (shared?.isLost) shared = undefined;
  if (shared === undefined) shared = Renderer.create(); // null stays: asking takes long
  return shared;
}

export function endRenderer(): void {
  shared?.dispose();
  shared = undefined;
}

/** Of a landscape seen from above, with the part of the plane that is shown. */
export function seenLook(board: LandscapeParts, look: Look): Look {
  return look.form === 'surface' ? look : { ...look, extent: seenOf(look.extent, board.planView.value) };
}

interface PictureOptions {
  readonly moving?: boolean;
  /** Lines that were drawn elsewhere. */
  readonly lines?: readonly Mark[] | null;
}

/** The picture without anything that moves over it, for files too. */
export function pictureOf(
  board: LandscapeParts,
  items: readonly Item[],
  look: Look,
  { width, height, ratio }: PictureSize,
  { moving = false, lines = null }: PictureOptions = {},
): Picture | null {
  if (look.form !== 'surface') return planPicture(items, seenLook(board, look), width, height, lines);
  const gl = renderer();
  if (!gl) return null;
  return surfacePicture(
    gl,
    items,
    look,
    {
      camera: board.orbit.camera.value,
      opacity: board.opacity.value,
      progress: board.chosen.player.progress.value,
      moving,
    },
    width,
    height,
    ratio,
  );
}

/** Pixels of the page, and how many of the picture each is. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

/**
 * The lines of a large landscape, from the worker; null where the page draws them, undefined where newer ones are asked
 * for.
 */
export async function heavyLines(
  board: LandscapeParts,
  place: string,
  items: readonly Item[],
  look: Look,
  { width, height, ratio }: PictureSize,
): Promise<readonly Mark[] | null | undefined> {
  if (look.form === 'surface') return null;
  const contours = contoursOf(items, seenLook(board, look), width, height);
  if (!board.contourLines.isHeavy(contours)) return null;
  const image = await board.contourLines.draw(place, contours, width, height, ratio);
  if (!image) return board.contourLines.isHeavy(contours) ? undefined : null;
  return [{ kind: 'image', image: canvasOf(image), width, height }];
}

/** Marks of the paths as they stand, above a plan. */
export function pathsOver(
  board: LandscapeParts,
  items: readonly Item[],
  look: Look,
  width: number,
  height: number,
): readonly Mark[] {
  if (look.form === 'surface') return [];
  const plot = plotOf(width, height, look);
  const seen = seenLook(board, look);
  const { value: hovered } = board.page.hovered;
  const someHovered = items.length > 1 && items.some(({ run }) => hovered.includes(run));
  return items.flatMap((item) => {
    const path = { ...seen.path, ...(items.length > 1 ? { color: item.color } : {}) };
    const isHovered = someHovered && hovered.includes(item.run);
    const own = { ...seen, path: isHovered ? { ...path, width: 2 * path.width } : path };
    const marks = pathMarks(item, own, plot, board.chosen.player.progress.value);
    return someHovered && !isHovered ? marks.map((mark) => ({ ...mark, opacity: 0.25 })) : marks;
  });
}

/** How all of these are drawn: one scale and one plane, whether they share a picture or not. */
export function useLook(board: LandscapeParts, items: readonly Item[], bar = true): Look {
  const theme = board.page.theme.value;
  const [form, ramp, levels, log] = [board.form.value, board.ramp.value, board.levels.value, board.log.value];
  const [color, width] = [board.pathColor.value, board.pathWidth.value];
  const front = board.compared.front.value;
  return useMemo(() => {
    const landscapes = items.map(({ landscape }) => landscape);
    const extent = items.length > 0 ? sharedExtent(landscapes) : { x: [0, 1] as const, y: [0, 1] as const };
    return {
      form,
      scale: sharedScale(landscapes, log),
      extent,
      ramp,
      levels,
      bar,
      front,
      path: { color, width },
      ink: inkOf(theme),
    };
  }, [items, theme, form, ramp, levels, log, bar, front, color, width]);
}

function inkOf(theme: Theme): Ink {
  return {
    text: theme.token('--text'),
    muted: theme.token('--muted'),
    grid: theme.token('--grid'),
    border: theme.token('--border-strong'),
    surface: theme.token('--surface'),
    hole: theme.token('--hover'),
  };
}
