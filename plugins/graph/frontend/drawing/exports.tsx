import {
  fileName,
  Menu,
  message,
  pictureOf,
  pngFile,
  svgFile,
  useTableView,
  type Page,
  type Picture,
} from '@insight-host/kit';
import type { ChartData } from '@insight-host/kit/table';
import { render, type JSX } from 'preact';
import type { GraphParts } from '../board';
import type { Show } from '../records';
import { shapeText, timeOf } from '../texts';
import { FAMILY, fontOf, SMALL_SIZE, textWidth } from './plan';
import { Drawing } from './drawing';
import { heated, inkOf, paletteOf, type Ink, type Palette, type Tint } from './ink';
import type { DrawnNode, Frame, Scene } from './scene';

const MARGIN = 16;
const ROW = 20; // of what the colours mean
const SWATCH = 26; // with its gap
const NARROWEST = 320; // pixels of a picture
const SVG = 'http://www.w3.org/2000/svg';

/** Saves the whole drawing, as it is opened and coloured now, and shows it as a table. */
export function Exports({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const record = board.records.show.value === 'graph' ? board.records.graph.value : board.records.pipeline.value;
  const name = `${record?.run ?? ''}_${record && 'name' in record ? record.name : 'pipeline'}`;
  const table = useTableView(
    board.page,
    name,
    say(`show.${board.records.show.value}`),
    () => {
      const scene = board.explorer.scene.peek();
      return scene && sceneTable(board.page, board.records.show.value, scene);
    },
    () => import('@insight-host/kit/table'),
  );
  const save = async (extension: 'svg' | 'png'): Promise<void> => {
    const scene = board.explorer.scene.peek();
    if (!scene) return;
    try {
      const content = await (extension === 'svg' ? svgFile : pngFile)(drawn(board, scene));
      board.page.ctx.ui.download(fileName(name, extension, 'graph'), content);
    } catch (error) {
      board.page.ctx.notify('error', say('export.failed', { reason: message(error) }));
    }
  };
  return (
    <>
      <Menu
        action="export"
        icon="export"
        label={say('export.title')}
        items={() => [
          table.item,
          { action: 'export-svg', text: say('export.svg'), onPress: () => void save('svg') },
          { action: 'export-png', text: say('export.png'), onPress: () => void save('png') },
        ]}
      />
      {table.dialog}
    </>
  );
}

/** A file of its own: every colour is resolved, every place an attribute, nothing is fetched. */
function drawn(board: GraphParts, scene: Scene): Picture {
  const ink = inkOf(board.page.theme.value);
  const palette = paletteOf(scene, ink, board.colored.value);
  const room = Math.max(NARROWEST, Math.ceil(scene.width));
  const keys = keysOf(board, palette, ink, room);
  const [width, height] = [
    room + 2 * MARGIN,
    Math.ceil(scene.height) + (keys.length > 0 ? MARGIN + ROW * ((keys.at(-1)?.row ?? 0) + 1) : 0) + 2 * MARGIN,
  ];
  const root = document.createElementNS(SVG, 'svg');
  const set = (name: string, value: string | number): void => root.setAttribute(name, String(value));
  set('width', width);
  set('height', height);
  set('viewBox', `${-MARGIN} ${-MARGIN} ${width} ${height}`);
  render(
    <>
      <rect x={-MARGIN} y={-MARGIN} width={width} height={height} fill={ink.background} />
      <Drawing scene={scene} ink={ink} palette={palette} highlight={null} still />
      <g font-family={FAMILY} font-size={SMALL_SIZE} fill={ink.text}>
        {keys.map(({ text, fill, stroke, x, row }, i) => (
          <g key={i} transform={`translate(${x} ${Math.ceil(scene.height) + MARGIN + row * ROW})`}>
            <rect width={18} height={12} rx={3} fill={fill} stroke={stroke} />
            <text x={SWATCH} y={10}>
              {text}
            </text>
          </g>
        ))}
      </g>
    </>,
    root,
  );
  const picture = pictureOf(root, width, height);
  render(null, root);
  return picture;
}

interface Placed extends Tint {
  readonly text: string;
  readonly x: number;
  readonly row: number;
}

/** What the colours mean, in rows as wide as the drawing; of times the ends of the scale. */
function keysOf(board: GraphParts, { keys, times }: Palette, ink: Ink, room: number): readonly Placed[] {
  const said = times
    ? times.map((time, end) => ({ text: timeOf(time, board.page.locale.value), ...heated(ink, end) }))
    : keys.map(({ label, fill, stroke }) => ({ text: label, fill, stroke }));
  let [x, row] = [0, 0];
  return said.map((key) => {
    const wide = SWATCH + Math.ceil(textWidth(key.text, fontOf(SMALL_SIZE)));
    if (x > 0 && x + wide > room) [x, row] = [0, row + 1];
    const placed = { ...key, x, row };
    x += wide + MARGIN;
    return placed;
  });
}

/** A row for each scope, node and proxy, each scope before its members; compute times in microseconds. */
export function sceneTable({ t: say }: Pick<Page, 't'>, show: Show, scene: Scene): ChartData {
  const kindOf = (kind: string): string => {
    const own = `pipeline.${kind}`;
    return show === 'pipeline' && say(own) !== own ? say(own) : say(`kind.${kind}`);
  };
  const separator = say('list.separator');
  const [sources, targets] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const members = new Map<string, (Frame | DrawnNode)[]>();
  for (const drawn of [...scene.frames, ...scene.nodes]) add(members, drawn.parent, drawn);
  for (const { from, to, edge } of scene.lines) {
    const name = (key: string): string => {
      const control = edge.kind === 'control' ? ` (${say('edge.control')})` : '';
      return `${scene.names.get(key) ?? key}${control}`;
    };
    add(sources, to, name(from));
    add(targets, from, name(to));
  }
  const row = (key: string, { node, proxy }: Pick<DrawnNode['item'], 'node' | 'proxy'>): ChartData['rows'][number] => [
    node?.name ?? proxy?.name ?? '',
    node?.id ?? proxy?.of ?? '',
    kindOf(node?.kind ?? 'proxy'),
    node?.type ?? proxy?.type ?? '',
    node?.children || null,
    (sources.get(key) ?? []).join(separator),
    (targets.get(key) ?? []).join(separator),
    node?.output_types.map(shapeText).join(separator) ?? '',
    node?.device ?? '',
    node?.time ?? null,
  ];
  const rowsIn = (scope: string): ChartData['rows'] =>
    (members.get(scope) ?? []).flatMap((drawn) =>
      'item' in drawn
        ? [row(drawn.item.key, drawn.item)]
        : [row(drawn.node.id, { node: drawn.node, proxy: null }), ...rowsIn(drawn.node.id)],
    );
  return {
    head: [
      say('table.name'),
      say('node.full_name'),
      say('node.kind'),
      say('node.type'),
      say('node.members'),
      say('node.inputs'),
      say('node.outputs'),
      say('node.output_types'),
      say('node.device'),
      `${say('node.time')} (µs)`,
    ],
    rows: rowsIn(scene.root.id),
  };
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
