import type { CardKey } from '@insight-host/kit';
import { palette } from '@insight-host/kit/draw';
import type { MeshParts } from './board';
import { cameraOf, placedCamera, type Camera, type Lens } from './camera';
import type { Draw, Paint, Scene } from './renderer';
import { ballOf, inBall, type Box, type Frame, type Shape } from './shape';

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
