/** What stands out because a node is selected. */
import { useAnswer } from '@insight-host/kit/lab';
import { useEffect, useMemo } from 'preact/hooks';
import type { TraceAnswer } from '../answers';
import type { GraphParts } from '../board';
import type { Trace } from '../looks';
import { isWithin, type Line, type Scene } from './scene';

export type Side = 'in' | 'out' | 'both';
export interface Highlight {
  readonly selected: string;
  /** By key; what is not here is pale while a trace is shown. */
  readonly nodes: ReadonlyMap<string, Side>;
  readonly lines: ReadonlyMap<string, Side>;
  /** Everything else is pale. */
  readonly others: boolean;
}

/** The node, its proxies and edges, and those at their other ends. */
export function neighbours(scene: Scene, selected: string): Highlight {
  const own = new Set([selected, ...(scene.proxies.get(selected) ?? [])]);
  const nodes = new Map<string, Side>();
  const lines = new Map<string, Side>();
  for (const line of scene.lines) {
    if (own.has(line.to) && !own.has(line.from)) {
      lines.set(line.key, 'in');
      mark(nodes, reached(scene, line.from), 'in');
    } else if (own.has(line.from) && !own.has(line.to)) {
      lines.set(line.key, 'out');
      mark(nodes, reached(scene, line.to), 'out');
    }
  }
  for (const proxy of own) if (proxy !== selected) nodes.set(proxy, 'both');
  return { selected, nodes, lines, others: false };
}

/** All that leads to a node, or to which it leads, as far as it is drawn. */
export function traced(scene: Scene, selected: string, answer: TraceAnswer, trace: Exclude<Trace, 'near'>): Highlight {
  const nodes = new Map<string, Side>();
  if (trace !== 'descendants')
    for (const id of answer.ancestors.ids) mark(nodes, [id, ...(scene.proxies.get(id) ?? [])], 'in');
  if (trace !== 'ancestors')
    for (const id of answer.descendants.ids) mark(nodes, [id, ...(scene.proxies.get(id) ?? [])], 'out');
  const lines = new Map<string, Side>();
  const own = new Set([selected, ...(scene.proxies.get(selected) ?? [])]);
  const side = (key: string): Side | undefined =>
    own.has(key) || isWithin(scene, selected, key) ? 'both' : nodes.get(key);
  for (const { key, from, to } of scene.lines) {
    const [a, b] = [side(from), side(to)];
    // from what leads to the node, or to what it leads to: not between the two
    if (a && b && !(own.has(from) && own.has(to))) {
      if (a !== 'out' && b !== 'out') lines.set(key, 'in');
      else if (a !== 'in' && b !== 'in') lines.set(key, 'out');
    }
  }
  for (const proxy of own) if (proxy !== selected) nodes.set(proxy, 'both');
  return { selected, nodes, lines, others: true };
}

/** A proxy and the node that it stands for stand out together. */
function reached(scene: Scene, key: string): readonly string[] {
  for (const [id, proxies] of scene.proxies) if (proxies.includes(key)) return scene.places.has(id) ? [key, id] : [key];
  return [key];
}

function mark(nodes: Map<string, Side>, keys: readonly string[], side: 'in' | 'out'): void {
  for (const key of keys) {
    const before = nodes.get(key);
    nodes.set(key, before && before !== side ? 'both' : side);
  }
}

/** Lines to draw: those with a route, and those that stand out. */
export function shownLines(scene: Scene, highlight: Highlight | null): readonly Line[] {
  return scene.lines.filter((line) => line.route.length > 0 || highlight?.lines.has(line.key) === true);
}

/** Where the arrow keys begin: the uppermost node, of those side by side the left one. */
export function topmost(scene: Scene): string | null {
  const nodes = scene.nodes.filter(({ item }) => item.node);
  const first = nodes.reduce<(typeof nodes)[number] | null>(
    (top, one) => (top && (top.y < one.y || (top.y === one.y && top.x <= one.x)) ? top : one),
    null,
  );
  return first?.item.key ?? null;
}

/**
 * The node that an arrow key leads to: along an edge up or down where there is one, else the nearest in that direction.
 * Down from an open scope is its first member, up from the first member the scope.
 */
export function neighbourAt(scene: Scene, from: string, direction: 'up' | 'down' | 'left' | 'right'): string | null {
  const place = scene.places.get(from);
  if (!place) return null;
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  const upright = direction === 'up' || direction === 'down';
  const sign = direction === 'up' || direction === 'left' ? -1 : 1;
  const nodes = new Set([
    ...scene.nodes.filter(({ item }) => item.node).map(({ item }) => item.key),
    ...scene.frames.map((frame) => frame.node.id),
  ]);
  const best = (keys: Iterable<string>, wide: number): string | null => {
    let [found, distance] = [null as string | null, Infinity];
    for (const key of keys) {
      const other = scene.places.get(key);
      if (!other || key === from || !nodes.has(key) || isWithin(scene, from, key) || isWithin(scene, key, from))
        continue;
      const [dx, dy] = [other.x + other.width / 2 - x, other.y + other.height / 2 - y];
      const [along, across] = upright ? [dy * sign, Math.abs(dx)] : [dx * sign, Math.abs(dy)];
      if (along <= 1 || across > along * wide) continue;
      if (along + 2 * across < distance) [found, distance] = [key, along + 2 * across];
    }
    return found;
  };
  if (upright) {
    if (sign > 0) {
      const members = [...nodes].filter((key) => scene.parents.get(key) === from);
      const height = (key: string): number => scene.places.get(key)?.y ?? 0;
      const first = members.reduce<string | undefined>(
        (top, key) => (top !== undefined && height(top) <= height(key) ? top : key),
        undefined,
      );
      if (first !== undefined) return first;
    }
    const lines = scene.lines.filter((line) => (sign > 0 ? line.from : line.to) === from);
    const end = (line: Line): string => (sign > 0 ? line.to : line.from);
    const along = best(lines.map(end), Infinity);
    if (along !== null) return along;
    // a constant stands next to what it leads to, not above
    const sideways = lines.find((line) => line.sideways && nodes.has(end(line)));
    if (sideways) return end(sideways);
    const around = scene.parents.get(from) ?? '';
    if (sign < 0 && around !== '')
      return (
        best(
          [...nodes].filter((key) => scene.parents.get(key) === around),
          1.5,
        ) ?? around
      );
  }
  return best(nodes, 1.5);
}

/** What stands out: neighbours at once; a trace once the server has followed the edges through closed scopes. */
export function useHighlight(board: GraphParts, scene: Scene): Highlight | null {
  const selected = board.looks.selected.value;
  const trace = board.looks.trace.value;
  const source = board.sources.graph.value;
  const scopes = useMemo(() => ['', ...scene.frames.map((frame) => frame.node.id)], [scene]);
  // while another drawing is on its way, its scopes are not yet those that are known here
  const key =
    selected !== null && source && trace !== 'near' && !board.explorer.busy.value
      ? JSON.stringify([source.shape, selected, scopes])
      : null;
  const found = useAnswer(
    key,
    (signal) => source?.trace(selected ?? '', scopes, signal) ?? Promise.reject(new Error()),
  );
  useEffect(() => {
    if (found.error !== null) board.page.ctx.notify('error', found.error);
  }, [found.error]);
  return useMemo(() => {
    if (selected === null || !scene.places.has(selected)) return null;
    return trace !== 'near' && found.value && found.isFresh
      ? traced(scene, selected, found.value, trace)
      : neighbours(scene, selected);
  }, [scene, selected, trace, found.value, found.isFresh]);
}
