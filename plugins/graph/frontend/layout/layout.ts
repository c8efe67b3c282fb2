/**
 * Where the members of one scope lie, by dagre: layers from top to bottom. Runs in a worker; knows nothing of graphs,
 * colours or texts.
 */
import { Graph, layout as dagre } from '@dagrejs/dagre';

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** The node at whose left side it stands instead of in a layer of its own. */
  readonly host?: string;
  /** Stands at the right of all, its edges are not drawn. */
  readonly aside?: boolean;
}
export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
  /** Room for a text next to the edge; 0 for none. */
  readonly label: number;
}
export interface LayoutInput {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
}
/** Places are in pixels from the top left corner. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of each node, in the order of the input: x, y, x, y … */
  readonly places: readonly number[];
  /** Of each edge the points it passes, x, y, x, y …; empty for one that is not drawn. */
  readonly routes: readonly (readonly number[])[];
  /** Of each edge the middle of its text, null without one. */
  readonly labels: readonly (readonly [number, number] | null)[];
}

const NODE_GAP = 22;
const EDGE_GAP = 10;
const LAYER_GAP = 42;
const HOST_GAP = 12; // from a node to what stands next to it
const STACKED = 5; // between what stands next to the same node
const PART_GAP = 30; // to what is next to or below all
const CLEAR = 5; // by which edges pass a layer before they bend
const APART = 7; // of an edge from the middle of two that go opposite ways
const LABEL_HEIGHT = 16;
const LARGE = 60; // nodes from which a coarser ranking is good enough: half the time
const RATIO = 1.8; // width to height of what has no edges

interface Side {
  readonly indices: number[];
  width: number;
  height: number;
}

export function layOut({ nodes, edges }: LayoutInput): Layout {
  const indexOf = new Map(nodes.map((node, i) => [node.id, i]));
  const places = new Array<number>(nodes.length * 2).fill(0);
  const routes: (readonly number[])[] = edges.map(() => []);
  const labels: (readonly [number, number] | null)[] = edges.map(() => null);
  const sides = sidesOf(nodes);
  const drawn = edges
    .map((edge, i) => ({ edge, i }))
    .filter(({ edge }) => {
      const [from, to] = [nodes[indexOf.get(edge.from) ?? -1], nodes[indexOf.get(edge.to) ?? -1]];
      return from && to && from !== to && !from.aside && !to.aside && !from.host && !to.host;
    });
  const linked = new Set(drawn.flatMap(({ edge }) => [edge.from, edge.to]));
  const layered = nodes.filter((node) => linked.has(node.id));
  const alone = nodes.filter((node) => !linked.has(node.id) && !node.aside && !node.host);
  const put = (node: LayoutNode, x: number, y: number): void => {
    const at = indexOf.get(node.id) as number;
    places[2 * at] = x;
    places[2 * at + 1] = y;
  };

  let width = 0;
  let height = 0;
  if (layered.length > 0) {
    const graph = new Graph<object, Placed, Routed>({ multigraph: true });
    graph.setGraph({
      rankdir: 'TB',
      nodesep: NODE_GAP,
      edgesep: EDGE_GAP,
      ranksep: LAYER_GAP,
      ranker: layered.length > LARGE ? 'tight-tree' : 'network-simplex',
    });
    for (const node of layered) {
      const side = sides.get(node.id);
      graph.setNode(node.id, {
        x: 0,
        y: 0,
        width: node.width + (side ? side.width + HOST_GAP : 0),
        height: Math.max(node.height, side?.height ?? 0),
      });
    }
    for (const { edge, i } of drawn) {
      graph.setEdge(
        edge.from,
        edge.to,
        edge.label > 0 ? { width: edge.label, height: LABEL_HEIGHT, labelpos: 'c' } : { width: 0, height: 0 },
        String(i),
      );
    }
    dagre(graph);
    const rows = rowsOf(graph);
    const pairs = new Set(drawn.map(({ edge }) => `${edge.from}\n${edge.to}`));
    for (const node of layered) {
      const { x, y } = graph.node(node.id);
      put(node, x + offsetOf(sides.get(node.id)), y);
    }
    for (const { edge, i } of drawn) {
      const routed = graph.edge(edge.from, edge.to, String(i));
      const [from, to] = [indexOf.get(edge.from) as number, indexOf.get(edge.to) as number];
      // the way there and the way back side by side
      const apart = pairs.has(`${edge.to}\n${edge.from}`) ? (from < to ? APART : -APART) : 0;
      routes[i] = routeOf(routed.points ?? [], ends(nodes, places, from, to, rows), rows, apart);
      if (edge.label > 0 && routed.x !== undefined && routed.y !== undefined) labels[i] = [routed.x, routed.y];
    }
    for (const node of layered) {
      const { x, y, width: w, height: h } = graph.node(node.id);
      width = Math.max(width, x + w / 2);
      height = Math.max(height, y + h / 2);
    }
    for (const route of routes)
      for (let at = 0; at < route.length; at += 2) width = Math.max(width, route[at] as number);
  }
  if (alone.length > 0) {
    const top = height > 0 ? height + PART_GAP : 0;
    const grid = gridOf(
      alone.map((node) => ({
        width: node.width + (sides.has(node.id) ? (sides.get(node.id)?.width ?? 0) + HOST_GAP : 0),
        height: Math.max(node.height, sides.get(node.id)?.height ?? 0),
      })),
      width,
    );
    alone.forEach((node, i) =>
      put(
        node,
        (grid.places[2 * i] as number) + offsetOf(sides.get(node.id)),
        top + (grid.places[2 * i + 1] as number),
      ),
    );
    width = Math.max(width, grid.width);
    height = top + grid.height;
  }
  for (const [host, side] of sides) {
    const at = indexOf.get(host) as number;
    let y = (places[2 * at + 1] as number) - side.height / 2;
    const right = (places[2 * at] as number) - (nodes[at] as LayoutNode).width / 2 - HOST_GAP;
    for (const index of side.indices) {
      const node = nodes[index] as LayoutNode;
      put(node, right - node.width / 2, y + node.height / 2);
      y += node.height + STACKED;
    }
  }
  edges.forEach((edge, i) => {
    const from = nodes[indexOf.get(edge.from) ?? -1];
    if (from?.host !== edge.to || from.host === undefined) return;
    const [a, b] = [indexOf.get(edge.from) as number, indexOf.get(edge.to) as number];
    const [y, end] = [places[2 * a + 1] as number, nodes[b] as LayoutNode];
    const reach = end.height / 2 - 6;
    routes[i] = [
      (places[2 * a] as number) + from.width / 2,
      y,
      (places[2 * b] as number) - end.width / 2,
      clamp(y, (places[2 * b + 1] as number) - reach, (places[2 * b + 1] as number) + reach),
    ];
  });
  const asides = nodes.filter((node) => node.aside);
  if (asides.length > 0) {
    const left = width > 0 ? width + PART_GAP : 0;
    const columns = columnsOf(asides, Math.max(height, 200));
    asides.forEach((node, i) =>
      put(node, left + (columns.places[2 * i] as number), columns.places[2 * i + 1] as number),
    );
    width = left + columns.width;
    height = Math.max(height, columns.height);
  }
  return { width, height, places, routes, labels };
}

interface Placed {
  width: number;
  height: number;
  x: number;
  y: number;
}
interface Routed {
  labelpos?: 'c';
  points?: readonly { readonly x: number; readonly y: number }[];
  x?: number;
  y?: number;
  width: number;
  height: number;
}

function sidesOf(nodes: readonly LayoutNode[]): Map<string, Side> {
  const found = new Map<string, Side>();
  nodes.forEach((node, i) => {
    if (node.host === undefined) return;
    let side = found.get(node.host);
    if (!side) found.set(node.host, (side = { indices: [], width: 0, height: -STACKED }));
    side.indices.push(i);
    side.width = Math.max(side.width, node.width);
    side.height += node.height + STACKED;
  });
  return found;
}

/** From the middle of a node with all that stands next to it to that of the node alone. */
function offsetOf(side: Side | undefined): number {
  return side ? (side.width + HOST_GAP) / 2 : 0;
}

/** Middle and half height of each layer, of nodes and of texts: where edges must not bend. */
function rowsOf(graph: InstanceType<typeof Graph<object, Placed, Routed>>): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  const add = (y: number, height: number): void =>
    void rows.set(Math.round(y), Math.max(rows.get(Math.round(y)) ?? 0, height / 2));
  for (const id of graph.nodes()) {
    const { y, height } = graph.node(id);
    add(y, height);
  }
  for (const edge of graph.edges()) {
    const { y, height } = graph.edge(edge);
    if (y !== undefined && height > 0) add(y, height);
  }
  return rows;
}

interface End {
  /** The middle of the side at which an edge leaves or enters. */
  readonly x: number;
  readonly y: number;
  /** How far from there it may do so. */
  readonly reach: number;
  /** The edge of the layer: what is in it next to the node may be taller. */
  readonly clear: number;
}

/** The sides of two nodes that face each other. */
function ends(
  nodes: readonly LayoutNode[],
  places: readonly number[],
  from: number,
  to: number,
  rows: ReadonlyMap<number, number>,
): readonly [End, End] {
  const down = (places[2 * to + 1] as number) >= (places[2 * from + 1] as number) ? 1 : -1;
  const end = (index: number, sign: number): End => {
    const [x, y, { width, height }] = [
      places[2 * index] as number,
      places[2 * index + 1] as number,
      nodes[index] as LayoutNode,
    ];
    const half = rows.get(Math.round(y)) ?? height / 2;
    return {
      x,
      y: y + (sign * height) / 2,
      reach: Math.max(0, width / 2 - 12),
      clear: half > height / 2 + 1 ? y + sign * (half + CLEAR) : y + (sign * height) / 2,
    };
  };
  return [end(from, down), end(to, -down)];
}

/** Straight through every layer and bent only between them, so that no edge touches a node that it passes. */
function routeOf(
  points: readonly { readonly x: number; readonly y: number }[],
  [start, end]: readonly [End, End],
  rows: ReadonlyMap<number, number>,
  apart: number,
): readonly number[] {
  const between = points.slice(1, -1);
  const passed = between.filter(({ y }) => rows.has(Math.round(y)));
  // with nothing to pass, an edge goes from one node to the other in one bend
  const kept = passed.length > 0 ? passed : [];
  const down = end.y >= start.y ? 1 : -1;
  const away = ({ x, reach }: End, towards: number): number => x + clamp((towards - x) * 0.25 + apart, -reach, reach);
  const [x0, x1] = [away(start, kept[0]?.x ?? end.x), away(end, kept.at(-1)?.x ?? start.x)];
  const route = [x0, start.y];
  if (start.clear !== start.y) route.push(x0, start.clear);
  for (const { x, y } of kept) {
    const half = (rows.get(Math.round(y)) as number) + CLEAR;
    route.push(x + apart, y - down * half, x + apart, y + down * half);
  }
  if (end.clear !== end.y) route.push(x1, end.clear);
  route.push(x1, end.y);
  return route;
}

interface Sized {
  readonly width: number;
  readonly height: number;
}
interface Packed extends Sized {
  readonly places: readonly number[];
}

/** Rows of what has no edges, as wide as what is above them or of a pleasant shape. */
function gridOf(sizes: readonly Sized[], least: number): Packed {
  const area = sizes.reduce((sum, { width, height }) => sum + (width + NODE_GAP) * (height + NODE_GAP), 0);
  const room = Math.max(least, Math.sqrt(area * RATIO), ...sizes.map(({ width }) => width));
  const places: number[] = [];
  let [x, y, row, width] = [0, 0, 0, 0];
  for (const size of sizes) {
    if (x > 0 && x + size.width > room) {
      y += row + NODE_GAP;
      [x, row] = [0, 0];
    }
    places.push(x + size.width / 2, y + size.height / 2);
    x += size.width + NODE_GAP;
    row = Math.max(row, size.height);
    width = Math.max(width, x - NODE_GAP);
  }
  return { places, width, height: y + row };
}

function columnsOf(sizes: readonly Sized[], room: number): Packed {
  const places: number[] = [];
  let [x, y, column, height] = [0, 0, 0, 0];
  for (const size of sizes) {
    if (y > 0 && y + size.height > room) {
      x += column + NODE_GAP;
      [y, column] = [0, 0];
    }
    places.push(x + size.width / 2, y + size.height / 2);
    y += size.height + NODE_GAP / 2;
    column = Math.max(column, size.width);
    height = Math.max(height, y - NODE_GAP / 2);
  }
  return { places, width: x + column, height };
}

function clamp(value: number, low: number, high: number): number {
  return low > high ? (low + high) / 2 : Math.max(low, Math.min(high, value));
}
