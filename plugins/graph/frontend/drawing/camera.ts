/** Which part of the drawing is seen. Sizes are in CSS pixels; the drawing's own are those at scale 1. */
import type { Codec } from '@insight-host/api';
import type { Rect } from './scene';
import type { Size } from './plan';

/** The point of the drawing that is in the middle of the view, and the scale. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const SMALLEST = 0.02;
const LARGEST = 4;
const MARGIN = 24;
const READABLE = 0.55; // the least scale at which a drawing opens
const USUAL = 1;

/** What the map at the lower right covers, with a margin. */
export const CORNER: Size = { width: 192, height: 152 };
const WORTH = 0.75; // share of its scale that a drawing may lose so that the map does not cover it

/** All of it in sight, and not below the map if that costs little. */
export function fitted(drawing: Size, view: Size): Camera {
  const part = { x: 0, y: 0, ...drawing };
  const room = (length: number): number => Math.max(1, length - 2 * MARGIN);
  const within = (width: number, height: number): number =>
    clampScale(Math.min(USUAL, room(width) / Math.max(1, drawing.width), room(height) / Math.max(1, drawing.height)));
  const most = within(view.width, view.height);
  const [left, above] = [
    within(view.width - CORNER.width, view.height),
    within(view.width, view.height - CORNER.height),
  ];
  const best =
    Math.max(left, above) >= WORTH * most && covered(middleOf(part, most), part, view) ? Math.max(left, above) : most;
  return beforeMap(middleOf(part, best), part, view);
}

const middleOf = ({ x, y, width, height }: Rect, scale: number): Camera => ({
  x: x + width / 2,
  y: y + height / 2,
  scale,
});

/** Whether a part of the drawing reaches below the map. */
function covered(camera: Camera, part: Rect, view: Size): boolean {
  const [left, top, scale] = transformOf(camera, view);
  return (
    (part.x + part.width) * scale + left > view.width - CORNER.width &&
    (part.y + part.height) * scale + top > view.height - CORNER.height
  );
}

/** Moved to the left or up where a part would lie below the map and there is room. */
function beforeMap(camera: Camera, part: Rect, view: Size): Camera {
  if (!covered(camera, part, view)) return camera;
  const { scale } = camera;
  const [left, top] = transformOf(camera, view);
  const dx = (part.x + part.width) * scale + left - (view.width - CORNER.width);
  const dy = (part.y + part.height) * scale + top - (view.height - CORNER.height);
  if (part.x * scale + left - dx >= MARGIN / 2) return panned(camera, -dx, 0);
  return part.y * scale + top - dy >= MARGIN / 2 ? panned(camera, 0, -dy) : camera;
}

/** How a drawing opens: all of it, or where that is too small to read, its upper end. */
export function opening(drawing: Size, view: Size): Camera {
  const all = fitted(drawing, view);
  if (all.scale >= READABLE || view.height <= 0) return all;
  const scale = clampScale(Math.max(READABLE, Math.min(USUAL, (view.width - 2 * MARGIN) / Math.max(1, drawing.width))));
  const upper = { x: drawing.width / 2, y: Math.min(drawing.height / 2, (view.height / 2 - MARGIN) / scale), scale };
  const aside = beforeMap(upper, { x: 0, y: 0, ...drawing }, view);
  return { ...aside, y: upper.y };
}

/** A part of the drawing in the middle; the scale changes only where it would not be readable or not fit. */
export function framed(part: Rect, view: Size, now: Camera): Camera {
  const most = Math.min(
    (view.width - 2 * MARGIN) / Math.max(1, part.width),
    (view.height - 2 * MARGIN) / Math.max(1, part.height),
  );
  const scale = clampScale(Math.min(Math.max(now.scale, 0.8), Math.max(most, SMALLEST)));
  return beforeMap(middleOf(part, scale), part, view);
}

/** The view became another: its upper left corner stays where it is. */
export function resized(camera: Camera, before: Size, view: Size): Camera {
  return panned(camera, (before.width - view.width) / 2, (before.height - view.height) / 2);
}

/** After a change of scale by `factor` at a place of the view, which stays there. */
export function zoomed(camera: Camera, view: Size, factor: number, px: number, py: number): Camera {
  const scale = clampScale(camera.scale * factor);
  const share = 1 / camera.scale - 1 / scale;
  return { x: camera.x + (px - view.width / 2) * share, y: camera.y + (py - view.height / 2) * share, scale };
}

export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** After what was at `before` moved to `after`: it stays where it was on the screen. */
export function followed(camera: Camera, before: Rect, after: Rect): Camera {
  return { ...camera, x: camera.x + after.x - before.x, y: camera.y + after.y - before.y };
}

/** What of the drawing is seen. */
export function seen(camera: Camera, view: Size): Rect {
  const [width, height] = [view.width / camera.scale, view.height / camera.scale];
  return { x: camera.x - width / 2, y: camera.y - height / 2, width, height };
}

/** SVG transform of the drawing. */
export function transformOf({ x, y, scale }: Camera, view: Size): readonly [x: number, y: number, scale: number] {
  return [view.width / 2 - x * scale, view.height / 2 - y * scale, scale];
}

export const cameraCodec: Codec<Camera | null> = {
  parse(text) {
    const [x = NaN, y = NaN, scale = NaN] = (text ?? '').split(',').map((part) => (part ? Number(part) : NaN));
    return Number.isFinite(x) && Number.isFinite(y) && scale >= SMALLEST && scale <= LARGEST ? { x, y, scale } : null;
  },
  format: (camera) =>
    camera && [Math.round(camera.x), Math.round(camera.y), Number(camera.scale.toPrecision(3))].join(','),
};

function clampScale(scale: number): number {
  return Math.max(SMALLEST, Math.min(LARGEST, scale));
}
