/** How a shape is shown on its card, and the picture of it. */
import { valueText, type CardKey, type PixelSize } from '@insight-host/kit';
import { palette } from '@insight-host/kit/draw';
import { projected, type Point } from '@insight-host/kit/scene';
import type { MeshParts } from './board';
import { cameraOf, placedCamera, sightOf, type Camera, type Lens, type Sight } from './camera';
import type { Draw, Paint, Renderer, Scene } from './renderer';
import { RAMP } from './shaders';
import { ballOf, inBall, type Ball, type Box, type Frame, type Shape } from './shape';

/** How a shape is shown on its card: all that a picture depends on but the size of the card. */
export interface Look {
  readonly scene: Scene;
  readonly camera: Camera;
  readonly lens: Lens;
  readonly box: Box;
  readonly ink: { readonly text: string; readonly faint: string; readonly axis: string };
}

/** Reads settings of the board, which the component that calls it then follows; null until the frame is known. */
export function lookOf(board: MeshParts, card: CardKey, shape: Shape, frame: Frame | null): Look | null {
  const own = !board.oneScale.value || frame === 'failed';
  const box = own ? shape.box : frame;
  if (!box) return null;
  const ball = ballOf(box);
  const { scene: said } = shape;
  const lens: Lens = {
    ...board.lens.value,
    field: said.fov ?? board.lens.value.field,
    ...(said.orthographic ? { projection: 'parallel' as const } : {}),
  };
  const colors = palette(board.page.theme.value);
  const draw: Draw = said.wireframe && board.draw.value === 'smooth' ? 'wires' : board.draw.value;
  return {
    scene: {
      shape,
      frame: ball,
      draw,
      paint: paintOf(board, card, shape, box),
      size: board.size.value,
      paper: colors.surface,
    },
    camera: board.cameras.of(card.tag) ?? firstCamera(shape, lens, ballOf(box)),
    lens,
    box,
    ink: colors,
  };
}

/** Puts the camera where the writer has it, else in front of a corner. */
function firstCamera({ scene: { position, look_at } }: Shape, lens: Lens, ball: ReturnType<typeof ballOf>): Camera {
  const placed = position && placedCamera(inBall(position, ball), look_at ? inBall(look_at, ball) : [0, 0, 0], lens);
  return placed ?? cameraOf('corner');
}

function paintOf(board: MeshParts, { run }: CardKey, shape: Shape, { low, high }: Box): Paint {
  const { value: color } = board.color;
  const ofRun: Paint = { kind: 'one', color: board.page.runsByName.value.get(run ?? '')?.color ?? '#808080' };
  if (color === 'run') return ofRun;
  if (color === 'recorded') {
    if (shape.colors) return { kind: 'recorded' };
    return shape.scene.color ? { kind: 'one', color: shape.scene.color } : ofRun;
  }
  const axis = { x: 0, y: 1, z: 2 }[color] as 0 | 1 | 2;
  return { kind: 'axis', axis: color, low: low[axis], high: high[axis] };
}

const AXES = ['x', 'y', 'z'] as const;
const TRIAD = 26; // CSS pixels of the axes in the corner
const MARGIN = 38;
const BAR = { width: 120, height: 8 } as const; // CSS pixels of the legend

/** Draws the shape, the box behind it, the directions of the axes and what colours mean. */
export function paintPicture(
  canvas: HTMLCanvasElement,
  renderer: Renderer,
  look: Look,
  { columns, rows, ratio, width, height }: PixelSize,
  { quick = false, background }: { readonly quick?: boolean; readonly background?: string } = {},
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  [canvas.width, canvas.height] = [columns, rows];
  const sight = sightOf(look.camera, look.lens, width, height);
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, columns, rows);
  }
  context.scale(ratio, ratio);
  context.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif'}`;
  boxBehind(context, look, sight, width, height);
  const start = performance.now();
  const drawn = renderer.draw(look.scene, sight, columns, rows, ratio, quick);
  context.drawImage(drawn, 0, 0, width, height); // waits until it is drawn
  const { faces, triangles, points } = look.scene.shape;
  if (quick) renderer.pace.moved(faces ? triangles : points, performance.now() - start);
  else renderer.pace.rested();
  triad(context, look, sight, height);
  legend(context, look, width, height);
}

/** The three sides of the frame's box that are behind everything in it. */
function boxBehind(context: CanvasRenderingContext2D, look: Look, sight: Sight, width: number, height: number): void {
  const { box, scene } = look;
  if (!box.low.every(Number.isFinite)) return;
  const far = AXES.map((_, axis) => isHighFar(box, scene.frame, sight, axis));
  const corner = (x: boolean, y: boolean, z: boolean): Point =>
    projected(
      sight.matrix,
      inBall([x ? box.high[0] : box.low[0], y ? box.high[1] : box.low[1], z ? box.high[2] : box.low[2]], scene.frame),
      width,
      height,
    );
  context.strokeStyle = look.ink.axis;
  context.lineWidth = 1;
  context.beginPath();
  const [fx = false, fy = false, fz = false] = far;
  const faces: readonly (readonly Point[])[] = [
    [corner(fx, false, false), corner(fx, true, false), corner(fx, true, true), corner(fx, false, true)],
    [corner(false, fy, false), corner(true, fy, false), corner(true, fy, true), corner(false, fy, true)],
    [corner(false, false, fz), corner(true, false, fz), corner(true, true, fz), corner(false, true, fz)],
  ];
  for (const points of faces) {
    if (!points.every(([, , depth]) => depth >= -1 && depth <= 1)) continue; // partly behind the viewer
    const [[startX, startY], ...rest] = points as readonly [Point, ...Point[]];
    context.moveTo(startX, startY);
    for (const [x, y] of rest) context.lineTo(x, y);
    context.closePath();
  }
  context.stroke();
}

/** Whether the highest of an axis is farther from the viewer than the lowest. */
function isHighFar({ low, high }: Box, { middle, radius }: Ball, sight: Sight, axis: number): boolean {
  if (sight.isParallel) return (sight.back[axis] as number) < 0;
  const centre = ((low[axis] as number) + (high[axis] as number)) / 2;
  return (sight.eye[axis] as number) < (centre - (middle[axis] as number)) / radius;
}

/** The directions of the axes, in the lower left corner. */
function triad(context: CanvasRenderingContext2D, { ink }: Look, { right, up, back }: Sight, height: number): void {
  const ends = AXES.map((name, axis) => ({
    name,
    x: MARGIN + TRIAD * (right[axis] as number),
    y: height - MARGIN - TRIAD * (up[axis] as number),
    near: back[axis] as number,
  })).sort((a, b) => a.near - b.near);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { name, x, y, near } of ends) {
    context.globalAlpha = near < -0.3 ? 0.5 : 1;
    context.strokeStyle = context.fillStyle = ink.text;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(MARGIN, height - MARGIN);
    context.lineTo(x, y);
    context.stroke();
    const [dx, dy] = [x - MARGIN, y - height + MARGIN];
    const length = Math.hypot(dx, dy);
    const beyond = length > 6 ? 9 / length : 0; // an axis that points at the viewer has its letter above
    context.fillText(name, x + dx * beyond, length > 6 ? y + dy * beyond : y - 9);
  }
  context.globalAlpha = 1;
}

/** The colours of a coordinate, with its range, in the lower right corner. */
function legend(context: CanvasRenderingContext2D, { scene, ink }: Look, width: number, height: number): void {
  const { paint } = scene;
  if (paint.kind !== 'axis' || !Number.isFinite(paint.low)) return;
  const [left, top] = [width - BAR.width - 14, height - BAR.height - 12];
  const ramp = context.createLinearGradient(left, 0, left + BAR.width, 0);
  for (const [n, color] of RAMP.entries()) ramp.addColorStop(n / (RAMP.length - 1), color);
  context.fillStyle = ramp;
  context.fillRect(left, top, BAR.width, BAR.height);
  context.fillStyle = ink.text;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  context.fillText(valueText(Number(paint.low.toPrecision(3))), left, top - 4);
  context.textAlign = 'center';
  context.fillText(paint.axis, left + BAR.width / 2, top - 4);
  context.textAlign = 'right';
  context.fillText(valueText(Number(paint.high.toPrecision(3))), left + BAR.width, top - 4);
}
