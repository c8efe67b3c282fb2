import { drag } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { GraphParts } from '../board';
import { seen } from './camera';
import type { Ink, Palette } from './ink';
import type { Scene } from './scene';

const WIDE = 168;
const HIGH = 128;
const PAD = 6;

/** All of the drawing in a corner, and the part in view, to be dragged. */
export function Minimap({
  board,
  scene,
  ink,
  palette,
}: {
  readonly board: GraphParts;
  readonly scene: Scene;
  readonly ink: Ink;
  readonly palette: Palette;
}): JSX.Element {
  const { explorer } = board;
  const root = useRef<SVGSVGElement>(null);
  const scale = Math.min((WIDE - 2 * PAD) / Math.max(1, scene.width), (HIGH - 2 * PAD) / Math.max(1, scene.height));
  const [left, top] = [(WIDE - scene.width * scale) / 2, (HIGH - scene.height * scale) / 2];
  const overview = useMemo(
    () => <Overview scene={scene} ink={ink} palette={palette} least={1.5 / scale} />,
    [scene, ink, palette],
  );
  const { x, y, width, height } = seen(explorer.cameraOf(scene), explorer.view.value);
  const from = [Math.max(1, left + x * scale), Math.max(1, top + y * scale)] as const;
  const to = [Math.min(WIDE - 1, left + (x + width) * scale), Math.min(HIGH - 1, top + (y + height) * scale)] as const;
  const at = (event: PointerEvent): readonly [number, number] => {
    const box = root.current?.getBoundingClientRect();
    return [(event.clientX - (box?.left ?? 0) - left) / scale, (event.clientY - (box?.top ?? 0) - top) / scale];
  };
  return (
    <svg
      ref={root}
      class="minimap"
      data-testid="minimap"
      width={WIDE}
      height={HIGH}
      role="img"
      aria-label={board.page.t('minimap')}
      onPointerDown={(event) => {
        const [px, py] = at(event);
        const camera = explorer.cameraOf(scene);
        // taken where it was touched; a press next to it brings it there
        const inside = px >= x && px <= x + width && py >= y && py <= y + height;
        const grip = inside ? [camera.x - px, camera.y - py] : [0, 0];
        const move = (to: PointerEvent): void => {
          const [nx, ny] = at(to);
          board.looks.camera.set({
            ...explorer.cameraOf(scene),
            x: nx + (grip[0] as number),
            y: ny + (grip[1] as number),
          });
        };
        drag(event, { move, cancel: () => board.looks.camera.set(camera) });
        move(event);
      }}
    >
      <g transform={`translate(${left} ${top}) scale(${scale})`}>{overview}</g>
      <rect
        class="part"
        data-testid="minimap-view"
        x={from[0]}
        y={from[1]}
        width={Math.max(3, to[0] - from[0])}
        height={Math.max(3, to[1] - from[1])}
        rx={2}
      />
    </svg>
  );
}

interface OverviewProps {
  readonly scene: Scene;
  readonly ink: Ink;
  readonly palette: Palette;
  /** Of a node, so that it is seen at all. */
  readonly least: number;
}

function Overview({ scene, ink, palette, least }: OverviewProps): JSX.Element {
  return (
    <>
      {scene.frames.map((frame) => (
        <rect
          key={frame.node.id}
          x={frame.x}
          y={frame.y}
          width={frame.width}
          height={frame.height}
          fill={ink.frame(frame.depth).fill}
          stroke={ink.frame(frame.depth).stroke}
          stroke-width={least / 2}
        />
      ))}
      {scene.nodes.map(({ item, parent, x, y, width, height }) => (
        <rect
          key={item.key}
          x={x}
          y={y}
          width={Math.max(least, width)}
          height={Math.max(least, height)}
          fill={item.node ? palette.tintOf(item.node, parent).stroke : ink.proxy.stroke}
        />
      ))}
    </>
  );
}
