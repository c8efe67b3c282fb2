/** What of one scope is drawn, in boxes sized to their texts, and what its layout has to know. */
import type { Edge, GraphNode, Proxy, Scope } from '../answers';
import type { LayoutEdge, LayoutInput, LayoutNode } from '../layout/layout';

interface Box {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Second line: the type, where the title does not say it. */
  readonly note: string;
  /** How many members: at the right end of what can be opened. */
  readonly badge: string;
}

export const FAMILY =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto " +
  "Sans CJK SC', sans-serif";
export const TITLE_SIZE = 12;
export const NOTE_SIZE = 10;
export const SMALL_SIZE = 10.5;
export const TITLE_WEIGHT = 600;
const WIDEST = 190; // pixels of a title
const NARROWEST = 44;

type Measure = (text: string, font: string) => number;

let context: CanvasRenderingContext2D | null | undefined;
const measured = new Map<string, number>();

/** Pixels that a text takes; without a canvas (tests) an estimate. */
export const textWidth: Measure = (text, font) => {
  const key = `${font}\n${text}`;
  let width = measured.get(key);
  if (width === undefined) {
    context ??= document.createElement('canvas').getContext('2d');
    if (context) {
      context.font = font;
      ({ width } = context.measureText(text));
    } else
      width =
        [...text].reduce((sum, letter) => sum + (letter > '⺀' ? 1 : 0.56), 0) *
        Number(/([\d.]+)px/.exec(font)?.[1] ?? TITLE_SIZE);
    if (measured.size > 20_000) measured.clear();
    measured.set(key, width);
  }
  return width;
};

export const fontOf = (size: number, weight = 400): string => `${weight} ${size}px ${FAMILY}`;

/** The text, its middle left out where it is wider than `room`: names differ at both ends. */
export function shortened(text: string, font: string, room: number, measure: Measure = textWidth): string {
  if (measure(text, font) <= room) return text;
  const letters = [...text];
  let [low, high] = [1, letters.length - 1]; // letters that stay
  const kept = (count: number): string =>
    `${letters.slice(0, Math.ceil(count * 0.6)).join('')}…` +
    `${count > 1 ? letters.slice(letters.length - Math.floor(count * 0.4)).join('') : ''}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(kept(middle), font) <= room) low = middle;
    else high = middle - 1;
  }
  return kept(low);
}

/** Whether a title says its type already: `Conv2D-op12`, `Conv2D`. */
function saysType(name: string, type: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return type === '' || letters(name).includes(letters(type).replace(/^aten|^prim|^onnx/, ''));
}

function boxOf(node: GraphNode | Proxy): Box {
  const { kind, name, type } = node;
  if (kind === 'proxy') return pill(name, 24);
  if (kind === 'constant' || kind === 'parameter') return pill(name, 20);
  const opens = node.children > 0;
  const font = fontOf(TITLE_SIZE, opens ? TITLE_WEIGHT : 400);
  const title = shortened(name, font, WIDEST);
  const note = opens || saysType(name, type) ? '' : shortened(type, fontOf(NOTE_SIZE), WIDEST);
  const badge = opens ? node.children.toLocaleString('en') : '';
  const text = Math.max(textWidth(title, font), textWidth(note, fontOf(NOTE_SIZE)));
  const width = Math.max(
    NARROWEST,
    Math.ceil(text) + 24 + (opens ? Math.ceil(textWidth(badge, fontOf(NOTE_SIZE, TITLE_WEIGHT))) + 18 : 0),
  );
  return { width, height: note ? 40 : opens ? 34 : 28, title, note, badge };
}

function pill(name: string, height: number): Box {
  const font = fontOf(SMALL_SIZE);
  const title = shortened(name, font, WIDEST * 0.75);
  return { width: Math.max(28, Math.ceil(textWidth(title, font)) + 20), height, title, note: '', badge: '' };
}

/** What of one scope is drawn, and what its layout has to know. */
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
