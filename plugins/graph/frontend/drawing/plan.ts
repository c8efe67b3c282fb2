/** What of one scope is drawn, and what its layout has to know. */
import type { Edge, GraphNode, Proxy, Scope } from '../answers';
import { boxOf, fontOf, NOTE_SIZE, textWidth, type Box } from './boxes';
import type { LayoutEdge, LayoutInput, LayoutNode } from '../layout/layout';

export interface Size {
  readonly width: number;
  readonly height: number;
}
/** One thing to draw: a node or a proxy of a scope. */
export interface Item {
  /** Different from all others of the scene. */
  readonly key: string;
  readonly node: GraphNode | null;
  readonly proxy: Proxy | null;
  readonly box: Box;
  /** Stands next to this one. */
  readonly host: string | null;
}
export interface Plan {
  readonly items: readonly Item[];
  readonly edges: readonly Edge[];
  /** Keys of the items at both ends of each edge. */
  readonly ends: readonly (readonly [from: string, to: string])[];
  /** Nodes outside that edges go to or come from, of which nothing is drawn. */
  readonly outside: number;
  /** Edges that the answer leaves out. */
  readonly omitted: number;
}

/** Proxies drawn on each side of a scope, those of most edges. */
export const MOST_PROXIES = 8;

export const proxyKey = (scope: string, proxy: string): string => `${scope}\n${proxy}`;

export function planOf(scope: Scope): Plan {
  const drawn = shownProxies(scope);
  const keys = new Map<string, string>(scope.nodes.map((node) => [node.id, node.id]));
  for (const proxy of drawn) keys.set(proxy.id, proxyKey(scope.id, proxy.id));
  const edges = scope.edges.filter(({ from, to }) => keys.has(from) && keys.has(to));
  const hosts = hostsOf(scope);
  const items: Item[] = [
    ...drawn.map((proxy) => ({ key: proxyKey(scope.id, proxy.id), node: null, proxy, box: boxOf(proxy), host: null })),
    ...scope.nodes.map((node) => ({
      key: node.id,
      node,
      proxy: null,
      box: boxOf(node),
      host: hosts.get(node.id) ?? null,
    })),
  ];
  return {
    items,
    edges,
    ends: edges.map(({ from, to }) => [keys.get(from) as string, keys.get(to) as string]),
    outside: scope.proxies.length - drawn.length + scope.omitted.proxies,
    omitted: scope.omitted.edges,
  };
}

/** Where nothing is linked within, links to the outside alone would say little and hide much. */
function shownProxies(scope: Scope): readonly Proxy[] {
  const inside = new Set(scope.nodes.map((node) => node.id));
  if (!scope.edges.some(({ from, to }) => inside.has(from) && inside.has(to)) && scope.nodes.length > 1) return [];
  const asides = new Set(scope.nodes.filter((node) => node.aside).map((node) => node.id));
  const weight = new Map<string, number>();
  const sources = new Set<string>();
  for (const { from, to, count } of scope.edges) {
    if (asides.has(from) || asides.has(to)) continue;
    const [proxy, incoming] = inside.has(from) ? [to, false] : [from, true];
    if (inside.has(from) && inside.has(to)) continue;
    weight.set(proxy, (weight.get(proxy) ?? 0) + count);
    if (incoming) sources.add(proxy);
  }
  const linked = scope.proxies.filter((proxy) => weight.has(proxy.id));
  const most = (proxies: readonly Proxy[]): readonly Proxy[] =>
    proxies.length <= MOST_PROXIES
      ? proxies
      : [...proxies].sort((a, b) => (weight.get(b.id) ?? 0) - (weight.get(a.id) ?? 0)).slice(0, MOST_PROXIES);
  return [
    ...most(linked.filter((proxy) => sources.has(proxy.id))),
    ...most(linked.filter((proxy) => !sources.has(proxy.id))),
  ];
}

/** A constant or parameter that one operator alone uses stands next to it. */
function hostsOf(scope: Scope): ReadonlyMap<string, string> {
  const nodes = new Map(scope.nodes.map((node) => [node.id, node]));
  const leaf = (id: string): GraphNode | undefined => {
    const node = nodes.get(id);
    return node && !node.aside && node.children === 0 && (node.kind === 'constant' || node.kind === 'parameter')
      ? node
      : undefined;
  };
  const hosts = new Map<string, string | null>();
  for (const { from, to } of scope.edges) {
    if (leaf(to)) hosts.set(to, null); // something leads to it
    if (!leaf(from)) continue;
    const target = nodes.get(to);
    hosts.set(from, !hosts.has(from) && target?.kind === 'operator' && !target.aside ? to : null);
  }
  return new Map([...hosts].filter((entry): entry is [string, string] => entry[1] !== null));
}

/** `frames`: sizes of members that are opened. */
export function layoutInput(plan: Plan, frames: ReadonlyMap<string, Size>, texts: boolean): LayoutInput {
  const nodes: LayoutNode[] = plan.items.map(({ key, node, box, host }) => {
    const { width, height } = frames.get(key) ?? box;
    return { id: key, width, height, ...(host === null ? {} : { host }), ...(node?.aside ? { aside: true } : {}) };
  });
  const edges: LayoutEdge[] = plan.edges.map((edge, i) => {
    const [from, to] = plan.ends[i] as readonly [string, string];
    return { from, to, label: texts ? labelWidth(edge) : 0 };
  });
  return { nodes, edges };
}

/** What stands at an edge where texts are shown. */
export function labelOf({ label, count }: Edge): string {
  return count > 1 ? `${label ? `${label} ` : ''}×${count.toLocaleString('en')}` : label;
}

function labelWidth(edge: Edge): number {
  const text = labelOf(edge);
  return text ? Math.ceil(textWidth(text, fontOf(NOTE_SIZE))) + 8 : 0;
}
