/** Places a picture in the area that shows it. Sizes and places are in CSS pixels of the area. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
/**
 * `scale` CSS pixels for each pixel of the picture; `x` and `y` (0 to 1) are the point of it that is in the middle of
 * the area.
 */
export interface Zoom {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}
interface Placement {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}
export interface Pixel {
  readonly x: number;
  readonly y: number;
}

export const ACTUAL: Zoom = { scale: 1, x: 0.5, y: 0.5 };
const LARGE = 64; // CSS pixels for each pixel of a picture, as large as these need ever be …
const GROWN = 8; // … but a small picture may always grow by this
const MOST = 4096;
const CRISP = 2; // from this scale on, pixels are squares

/** The scale at which all of a picture is seen, as large as it can be. */
export function fitting(area: Size, picture: Size): number {
  if (!picture.width || !picture.height || !area.width || !area.height) return 1;
  return Math.min(area.width / picture.width, area.height / picture.height);
}

/**
 * Without a zoom the picture fits. What is smaller than the area is in its middle, what is larger never leaves a gap.
 */
export function placed(area: Size, picture: Size, zoom: Zoom | null): Placement {
  const scale = zoom?.scale ?? fitting(area, picture);
  const along = (room: number, size: number, middle: number): number =>
    size * scale <= room
      ? (room - size * scale) / 2
      : Math.min(0, Math.max(room - size * scale, room / 2 - middle * size * scale));
  return {
    left: along(area.width, picture.width, zoom?.x ?? 0.5),
    top: along(area.height, picture.height, zoom?.y ?? 0.5),
    scale,
  };
}

/**
 * The zoom after its scale has changed by `factor` while the point of the picture at (px, py) stays there; null when
 * all is seen again.
 */
export function zoomedAt(
  area: Size,
  picture: Size,
  zoom: Zoom | null,
  factor: number,
  px: number,
  py: number,
): Zoom | null {
  const now = placed(area, picture, zoom);
  const fit = fitting(area, picture);
  const scale = Math.max(Math.min(fit, 1), Math.min(Math.max(LARGE, fit * GROWN), MOST, now.scale * factor));
  if (scale <= fit * 1.0001 && factor < 1 && fit <= 1) return null;
  const grown = scale / now.scale;
  return middleOf(area, picture, { scale, left: px - (px - now.left) * grown, top: py - (py - now.top) * grown });
}

/** The zoom after the picture has been dragged. */
export function panned(area: Size, picture: Size, zoom: Zoom | null, dx: number, dy: number): Zoom {
  const now = placed(area, picture, zoom);
  return middleOf(area, picture, { scale: now.scale, left: now.left + dx, top: now.top + dy });
}

/** Whether there is more of the picture than the area shows. */
export function overflows(area: Size, picture: Size, zoom: Zoom | null): boolean {
  return (
    zoom !== null && (picture.width * zoom.scale > area.width + 0.5 || picture.height * zoom.scale > area.height + 0.5)
  );
}

/** The pixel of the image at a position of the area; null outside the image. */
export function pixelAt(area: Size, picture: Size, zoom: Zoom | null, px: number, py: number): Pixel | null {
  const { left, top, scale } = placed(area, picture, zoom);
  const [x, y] = [Math.floor((px - left) / scale), Math.floor((py - top) / scale)];
  return x >= 0 && y >= 0 && x < picture.width && y < picture.height ? { x, y } : null;
}

export function isCrisp(scale: number): boolean {
  return scale >= CRISP;
}

function middleOf(area: Size, picture: Size, { scale, left, top }: Placement): Zoom {
  const part = (room: number, start: number, size: number): number =>
    size > 0 ? clamp((room / 2 - start) / (size * scale)) : 0.5;
  return { scale, x: part(area.width, left, picture.width), y: part(area.height, top, picture.height) };
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}

/** Writes it for the URL: `2,0.5,0.25`. */
export function zoomText({ scale, x, y }: Zoom): string {
  return [scale, x, y].map((value) => String(Number(value.toPrecision(4)))).join(',');
}

export function parseZoom(text: string): Zoom | null {
  const [scale = NaN, x = NaN, y = NaN] = text.split(',').map(Number);
  if (!(scale > 0 && scale <= MOST) || !(x >= 0 && x <= 1) || !(y >= 0 && y <= 1)) return null;
  return { scale, x, y };
}
