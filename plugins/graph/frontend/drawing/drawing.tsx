/** The drawing as SVG. All colours and sizes are attributes, so that it looks the same in a file of its own. */
import type { JSX } from 'preact';
import { shapeText } from '../texts';
import { shownLines, type Highlight, type Side } from './highlight';
import type { Ink, Palette, Tint } from './ink';
import { FAMILY, fontOf, labelOf, NOTE_SIZE, shortened, SMALL_SIZE, TITLE_SIZE, TITLE_WEIGHT } from './plan';
import { directRoute, headOf, pathOf, type DrawnNode, type Frame, type Line, type Rect, type Scene } from './scene';

interface DrawingProps {
  readonly scene: Scene;
  readonly ink: Ink;
  readonly palette: Palette;
  readonly highlight: Highlight | null;
  /** Of a file: places as attributes, nothing that only a page needs. */
  readonly still?: boolean;
}

/** Stands where there are edges that are not drawn. */
export const AWAY = '⇅';
const PALE = 0.22;
const SIGNS = { open: 'M-3.5 0h7M0-3.5v7', close: 'M-3.5 0h7' } as const;

export function Drawing({ scene, ink, palette, highlight, still = false }: DrawingProps): JSX.Element {
  const shade = (key: string): { opacity?: number } =>
    highlight?.others && key !== highlight.selected && !highlight.nodes.has(key) ? { opacity: PALE } : {};
  return (
    <g font-family={FAMILY} font-size={TITLE_SIZE} text-rendering="optimizeLegibility">
      <g class="frames">
        {scene.frames.map((frame) => (
          <FrameBox
            key={frame.node.id}
            frame={frame}
            ink={ink}
            edge={edgeColor(ink, highlight, frame.node.id)}
            still={still}
          />
        ))}
      </g>
      <g class="lines" fill="none">
        {shownLines(scene, highlight).map((line) => (
          <Arrow
            key={line.key}
            line={line}
            scene={scene}
            ink={ink}
            side={highlight?.lines.get(line.key) ?? null}
            pale={highlight?.others === true}
            still={still}
          />
        ))}
      </g>
      <g class="nodes">
        {scene.nodes.map((drawn) => (
          <g
            key={drawn.item.key}
            class="node"
            {...place(drawn, still)}
            {...shade(drawn.item.key)}
            {...(still ? {} : marks(drawn, highlight))}
          >
            <NodeBox
              drawn={drawn}
              ink={ink}
              tint={tintOf(drawn, palette, ink)}
              edge={edgeColor(ink, highlight, drawn.item.key)}
            />
          </g>
        ))}
      </g>
    </g>
  );
}

function marks({ item }: DrawnNode, highlight: Highlight | null): Readonly<Record<string, string | boolean>> {
  const { node, proxy } = item;
  const side = highlight?.nodes.get(item.key);
  return {
    'data-testid': proxy ? 'proxy' : 'node',
    'data-id': proxy ? proxy.of : item.key,
    'data-name': node?.name ?? proxy?.name ?? '',
    'data-kind': node?.kind ?? 'proxy',
    ...(side ? { 'data-side': side } : {}),
    ...(highlight?.selected === item.key ? { 'data-selected': true } : {}),
  };
}

function place(
  { x, y }: { readonly x: number; readonly y: number },
  still: boolean,
): Readonly<{ transform?: string; style?: { readonly transform: string } }> {
  const [left, top] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  return still ? { transform: `translate(${left} ${top})` } : { style: { transform: `translate(${left}px,${top}px)` } };
}

function tintOf({ item, parent }: DrawnNode, palette: Palette, ink: Ink): Tint {
  return item.node ? palette.tintOf(item.node, parent) : ink.proxy;
}

function sideColor(ink: Ink, side: Side): string {
  return side === 'in' ? ink.into : side === 'out' ? ink.outOf : ink.accent;
}

/** Of the outline, where it stands out. */
function edgeColor(ink: Ink, highlight: Highlight | null, key: string): string | null {
  if (!highlight) return null;
  if (highlight.selected === key) return ink.accent;
  const side = highlight.nodes.get(key);
  return side ? sideColor(ink, side) : null;
}

interface BoxProps {
  readonly drawn: DrawnNode;
  readonly ink: Ink;
  readonly tint: Tint;
  readonly edge: string | null;
}

function NodeBox({ drawn: { item, width, height }, ink, tint, edge }: BoxProps): JSX.Element {
  const { box, node, proxy } = item;
  const kind = node?.kind ?? 'proxy';
  const pill = kind === 'constant' || kind === 'parameter' || kind === 'proxy';
  const opens = (node?.children ?? 0) > 0;
  const outline = {
    width,
    height,
    rx: pill ? height / 2 : kind === 'operator' ? 6 : 8,
    fill: tint.fill,
    stroke: edge ?? tint.stroke,
    'stroke-width': edge ? 2 : 1,
    ...(kind === 'proxy' ? { 'stroke-dasharray': '3 2.5' } : {}),
  };
  const middle = opens ? 12 : width / 2;
  return (
    <>
      <title>{hintOf(item)}</title>
      {kind === 'stack' &&
        [6, 3].map((by) => <rect key={by} {...outline} x={by} y={-by} stroke-width={1} stroke={tint.stroke} />)}
      <rect {...outline} />
      <text
        x={middle}
        y={box.note ? height / 2 - 3 : height / 2 + 4}
        text-anchor={opens ? 'start' : 'middle'}
        fill={pill ? ink.muted : ink.text}
        font-size={pill ? SMALL_SIZE : TITLE_SIZE}
        {...(opens ? { 'font-weight': TITLE_WEIGHT } : {})}
        {...(proxy ? { 'font-style': 'italic' } : {})}
      >
        {box.title}
      </text>
      {box.note && (
        <text x={middle} y={height / 2 + 11} text-anchor="middle" fill={ink.muted} font-size={NOTE_SIZE}>
          {box.note}
        </text>
      )}
      {node?.aside && (
        <text x={width} y={kind === 'stack' ? -9 : -4} text-anchor="end" fill={ink.muted} font-size={NOTE_SIZE}>
          {AWAY}
        </text>
      )}
      {opens && (
        <>
          <text
            x={width - 25}
            y={height / 2 + 3.5}
            text-anchor="end"
            fill={ink.muted}
            font-size={NOTE_SIZE}
            font-weight={TITLE_WEIGHT}
          >
            {box.badge}
          </text>
          <Switch x={width - 13} y={height / 2} path={SIGNS.open} ink={ink} />
        </>
      )}
    </>
  );
}

/** The sign that opens or closes. */
function Switch({
  x,
  y,
  path,
  ink,
}: {
  readonly x: number;
  readonly y: number;
  readonly path: string;
  readonly ink: Ink;
}): JSX.Element {
  return (
    <g class="switch" data-switch transform={`translate(${x} ${y})`}>
      <circle r={7.5} fill={ink.background} stroke={ink.line} />
      <path d={path} fill="none" stroke={ink.muted} stroke-width={1.4} stroke-linecap="round" />
    </g>
  );
}

function FrameBox({
  frame,
  ink,
  edge,
  still,
}: {
  readonly frame: Frame;
  readonly ink: Ink;
  readonly edge: string | null;
  readonly still: boolean;
}): JSX.Element {
  const { node, width, height, depth, outside, omitted } = frame;
  const tint = ink.frame(depth);
  const away = outside + omitted;
  const note = away > 0 ? `${AWAY} ${away.toLocaleString('en')}` : '';
  return (
    <g
      class="frame"
      {...place(frame, still)}
      {...(still
        ? {}
        : {
            'data-testid': 'frame',
            'data-id': node.id,
            'data-name': node.name,
            ...(away > 0 ? { 'data-away': away } : {}),
          })}
    >
      <title>{node.name}</title>
      <rect
        width={width}
        height={height}
        rx={10}
        fill={tint.fill}
        stroke={edge ?? tint.stroke}
        stroke-width={edge ? 2 : 1}
        {...(node.kind === 'stack' ? { 'stroke-dasharray': '6 3' } : {})}
      />
      <Switch x={18} y={17} path={SIGNS.close} ink={ink} />
      <text x={32} y={21} fill={ink.text} font-weight={TITLE_WEIGHT}>
        {shortened(node.name, fontOf(TITLE_SIZE, TITLE_WEIGHT), Math.max(30, width - (note ? 100 : 48)))}
      </text>
      {note && (
        <text class="away" x={width - 12} y={21} text-anchor="end" fill={ink.muted} font-size={NOTE_SIZE}>
          {note}
        </text>
      )}
    </g>
  );
}

interface ArrowProps {
  readonly line: Line;
  readonly scene: Scene;
  readonly ink: Ink;
  readonly side: Side | null;
  readonly pale: boolean;
  readonly still: boolean;
}

function Arrow({ line, scene, ink, side, pale, still }: ArrowProps): JSX.Element {
  const { edge, from, to, sideways, label } = line;
  const route =
    line.route.length > 0 ? line.route : directRoute(scene.places.get(from) as Rect, scene.places.get(to) as Rect);
  const color = side ? sideColor(ink, side) : ink.line;
  const width = Math.min(4, 1.1 + Math.log2(edge.count) * 0.35) + (side ? 0.7 : 0);
  const text = label ? labelOf(edge) : '';
  return (
    <g
      class="line"
      {...(pale && !side ? { opacity: PALE } : {})}
      {...(still
        ? {}
        : { 'data-edge': edge.kind, 'data-from': from, 'data-to': to, ...(side ? { 'data-side': side } : {}) })}
    >
      <title>
        {[`${scene.names.get(from) ?? ''} → ${scene.names.get(to) ?? ''}`, labelOf(edge)].filter(Boolean).join('\n')}
      </title>
      <path
        d={pathOf(route, sideways)}
        stroke={color}
        stroke-width={width}
        {...(edge.kind === 'control' ? { 'stroke-dasharray': '5 3.5' } : {})}
      />
      <path d={headOf(route, sideways, sideways ? 4.5 : 5.5 + width / 2)} fill={color} />
      {label && text && (
        <text
          x={label[0]}
          y={label[1] + 3.5}
          text-anchor="middle"
          fill={side ? color : ink.muted}
          font-size={NOTE_SIZE}
          stroke={ink.background}
          stroke-width={3}
          paint-order="stroke"
        >
          {text}
        </text>
      )}
    </g>
  );
}

function hintOf({ node, proxy }: DrawnNode['item']): string {
  if (proxy) return [proxy.name, proxy.type === proxy.name ? '' : proxy.type, proxy.of].filter(Boolean).join('\n');
  if (!node) return '';
  return [node.name, node.type === node.name ? '' : node.type, ...node.output_types.slice(0, 3).map(shapeText)]
    .filter(Boolean)
    .join('\n');
}
