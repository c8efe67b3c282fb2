/** What a drawing shows, as rows: what is drawn, and what its edges come from and go to. */
import type { ChartData } from '@insight-host/kit/table';
import type { Page } from '@insight-host/kit';
import type { Show } from '../records';
import type { DrawnNode, Frame, Scene } from './scene';
import { shapeText } from '../texts';

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
