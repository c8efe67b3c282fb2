/** The whole drawing: opened scopes within each other, everything in one system of coordinates. */
import type { Edge, GraphNode, Scope } from '../answers';
import type { Layout } from '../layout/layout';
import type { Item, Plan, Size } from './plan';

/** A scope that is in the drawing, with those of its members that are opened. */
export interface Opened {
  readonly scope: Scope;
  readonly plan: Plan;
  readonly layout: Layout;
  readonly members: ReadonlyMap<string, Opened>;
}
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface DrawnNode extends Rect {
  readonly item: Item;
  /** Id of the scope that it is drawn in. */
  readonly parent: string;
}
export interface Frame extends Rect {
  readonly node: GraphNode;
  readonly parent: string;
  /** 1 for members of the root. */
  readonly depth: number;
  readonly outside: number;
  readonly omitted: number;
}
export interface Line {
  readonly key: string;
  readonly edge: Edge;
  readonly from: string;
  readonly to: string;
  /** x, y, x, y …; empty for one that shows only while an end is selected. */
  readonly route: readonly number[];
  readonly label: readonly [number, number] | null;
  /** Enters from the left instead of from above. */
  readonly sideways: boolean;
}
export interface Scene extends Size {
  readonly nodes: readonly DrawnNode[];
  readonly frames: readonly Frame[];
  readonly lines: readonly Line[];
  /** Of nodes, frames and proxies, by key. */
  readonly places: ReadonlyMap<string, Rect>;
  readonly names: ReadonlyMap<string, string>;
  /** The scope around each node and frame. */
  readonly parents: ReadonlyMap<string, string>;
  /** Keys of the proxies that stand for a node. */
  readonly proxies: ReadonlyMap<string, readonly string[]>;
  readonly root: Scope;
  /** Edges of the root that are not drawn. */
  readonly omitted: number;
}

export const HEAD = 34; // of a frame, with its title
const PAD = 18;

/** With its frame. */
export function frameSize(layout: Size): Size {
  return { width: Math.max(layout.width, 120) + 2 * PAD, height: layout.height + HEAD + PAD };
}

export function sceneOf(root: Opened): Scene {
  const nodes: DrawnNode[] = [];
  const frames: Frame[] = [];
  const lines: Line[] = [];
  const places = new Map<string, Rect>();
  const parents = new Map<string, string>();
  const names = new Map<string, string>();
  const proxies = new Map<string, string[]>();
  const waiting: { readonly opened: Opened; readonly left: number; readonly top: number; readonly depth: number }[] = [
    { opened: root, left: 0, top: 0, depth: 0 },
  ];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { opened, left, top, depth } = next;
    const { plan, layout, scope } = opened;
    plan.items.forEach((item, i) => {
      const member = opened.members.get(item.key);
      const { width, height } = member ? frameSize(member.layout) : item.box;
      const rect = {
        x: left + (layout.places[2 * i] as number) - width / 2,
        y: top + (layout.places[2 * i + 1] as number) - height / 2,
        width,
        height,
      };
      places.set(item.key, rect);
      parents.set(item.key, scope.id);
      names.set(item.key, item.node?.name ?? item.proxy?.name ?? '');
      if (item.proxy) proxies.set(item.proxy.of, [...(proxies.get(item.proxy.of) ?? []), item.key]);
      if (member && item.node) {
        frames.push({
          ...rect,
          node: item.node,
          parent: scope.id,
          depth: depth + 1,
          outside: member.plan.outside,
          omitted: member.plan.omitted,
        });
        const inner = Math.max(0, (width - 2 * PAD - member.layout.width) / 2);
        waiting.push({ opened: member, left: rect.x + PAD + inner, top: rect.y + HEAD, depth: depth + 1 });
      } else nodes.push({ ...rect, item, parent: scope.id });
    });
    const hosts = new Map(plan.items.map((item) => [item.key, item.host]));
    plan.edges.forEach((edge, i) => {
      const [from, to] = plan.ends[i] as readonly [string, string];
      const label = layout.labels[i];
      lines.push({
        key: `${scope.id}\n${from}\n${to}\n${edge.kind}`,
        edge,
        from,
        to,
        route: (layout.routes[i] ?? []).map((value, at) => value + (at % 2 === 0 ? left : top)),
        label: label ? [label[0] + left, label[1] + top] : null,
        sideways: hosts.get(from) === to,
      });
    });
  }
  return {
    nodes,
    frames,
    lines,
    places,
    names,
    parents,
    proxies,
    root: root.scope,
    omitted: root.plan.omitted,
    width: root.layout.width,
    height: root.layout.height,
  };
}

/** A route as SVG path data: bends with vertical ends between its points, so that it is smooth. */
export function pathOf(route: readonly number[], sideways: boolean): string {
  const at = (i: number): string => String(Math.round((route[i] as number) * 10) / 10);
  let path = `M${at(0)} ${at(1)}`;
  for (let i = 2; i < route.length; i += 2) {
    const [x0, y0, x1, y1] = route.slice(i - 2, i + 2) as [number, number, number, number];
    if (Math.abs(x1 - x0) < 0.5 && !sideways) path += `V${at(i + 1)}`;
    else if (sideways) path += `C${(x0 + x1) / 2} ${at(i - 1)} ${(x0 + x1) / 2} ${at(i + 1)} ${at(i)} ${at(i + 1)}`;
    else {
      const half = Math.round((y0 + y1) * 5) / 10;
      path += `C${at(i - 2)} ${half} ${at(i)} ${half} ${at(i)} ${at(i + 1)}`;
    }
  }
  return path;
}

/** The head of an arrow at the end of a route, as path data of a triangle. */
export function headOf(route: readonly number[], sideways: boolean, size = 5.5): string {
  const [y0, x, y] = [route.at(-3) ?? 0, route.at(-2) ?? 0, route.at(-1) ?? 0];
  const number = (value: number): string => String(Math.round(value * 10) / 10);
  const half = size * 0.62;
  if (sideways)
    return (
      `M${number(x)} ${number(y)}L${number(x - size)} ${number(y - half)}` + `L${number(x - size)} ${number(y + half)}Z`
    );
  const back = y >= y0 ? y - size : y + size;
  return `M${number(x)} ${number(y)}L${number(x - half)} ${number(back)}L${number(x + half)} ${number(back)}Z`;
}

/** A line between two places without a route, around nothing: for edges that show only while an end is selected. */
export function directRoute(from: Rect, to: Rect): readonly number[] {
  const [x0, x1] = [from.x + from.width / 2, to.x + to.width / 2];
  if (from.y + from.height <= to.y) return [x0, from.y + from.height, x1, to.y];
  if (to.y + to.height <= from.y) return [x0, from.y, x1, to.y + to.height];
  return [x0, from.y + from.height, x1, to.y + to.height];
}

/** Whether `inner` is drawn within the frame `outer`. */
export function isWithin(scene: Scene, inner: string, outer: string): boolean {
  for (let at = scene.parents.get(inner); at !== undefined; at = scene.parents.get(at)) if (at === outer) return true;
  return false;
}
