export interface FlowLink {
  readonly source: string;
  readonly target: string;
  readonly value: number;
}
export interface PlacedNode {
  readonly name: string;
  readonly depth: number;
  readonly value: number;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}
export interface PlacedLink extends FlowLink {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  /** Upper edge at both ends. */
  readonly y0: number;
  readonly y1: number;
  readonly width: number;
}
export interface Sankey {
  readonly nodes: readonly PlacedNode[];
  readonly links: readonly PlacedLink[];
  readonly height: number;
}

export const NODE_WIDTH = 12;
const [GAP, LEAST] = [10, 2]; // px

/** Where what flows comes from and where it goes, from left to right; links that lead back are left out. */
export function sankeyOf(links: readonly FlowLink[], width: number, height: number, labels: number): Sankey {
  const kept = withoutRings(links.filter(({ source, target, value }) => source !== target && value > 0));
  const names = [...new Set(kept.flatMap(({ source, target }) => [source, target]))];
  const depth = depths(kept, names);
  const into = sums(kept, ({ target }) => target);
  const outOf = sums(kept, ({ source }) => source);
  const valueOf = (name: string): number => Math.max(into.get(name) ?? 0, outOf.get(name) ?? 0);
  const deepest = Math.max(0, ...depth.values());
  const columns = Array.from({ length: deepest + 1 }, (_, at) => names.filter((name) => depth.get(name) === at));
  const fullest = columns.reduce((most, column) => Math.max(most, column.length), 1);
  const room = Math.max(height, fullest * (GAP + 8));
  const scale = columns.reduce((least, column) => {
    const sum = column.reduce((total, name) => total + valueOf(name), 0);
    return sum > 0 ? Math.min(least, (room - GAP * (column.length - 1)) / sum) : least;
  }, Infinity);
  const pitch = deepest > 0 ? (width - NODE_WIDTH - labels) / deepest : 0;
  const nodes = new Map<string, PlacedNode>();
  for (const [at, column] of columns.entries()) {
    // Next to its source, so that fewer lines cross.
    const place = (name: string): number => {
      const sources = kept
        .filter(({ target }) => target === name)
        .map(({ source, value }) => [nodes.get(source)?.y ?? 0, value] as const);
      const weight = sources.reduce((sum, [, value]) => sum + value, 0);
      return weight > 0 ? sources.reduce((sum, [y, value]) => sum + y * value, 0) / weight : 0;
    };
    const ordered =
      at === 0
        ? [...column].sort((a, b) => valueOf(b) - valueOf(a))
        : column
            .map((name) => [name, place(name)] as const)
            .sort((a, b) => a[1] - b[1] || valueOf(b[0]) - valueOf(a[0]))
            .map(([name]) => name);
    let y = 0;
    for (const name of ordered) {
      const high = Math.max(LEAST, valueOf(name) * scale);
      nodes.set(name, { name, depth: at, value: valueOf(name), x: at * pitch, y, height: high });
      y += high + GAP;
    }
  }
  const [left, right] = [new Map<string, number>(), new Map<string, number>()];
  const placed = [...kept]
    .sort(
      (a, b) =>
        (nodes.get(a.target)?.y ?? 0) - (nodes.get(b.target)?.y ?? 0) ||
        (nodes.get(a.source)?.y ?? 0) - (nodes.get(b.source)?.y ?? 0),
    )
    .map((link): PlacedLink => {
      const [from, to] = [nodes.get(link.source) as PlacedNode, nodes.get(link.target) as PlacedNode];
      const wide = link.value * scale;
      const y0 = from.y + (right.get(link.source) ?? 0);
      const y1 = to.y + (left.get(link.target) ?? 0);
      right.set(link.source, (right.get(link.source) ?? 0) + wide);
      left.set(link.target, (left.get(link.target) ?? 0) + wide);
      return { ...link, from, to, y0, y1, width: Math.max(0.75, wide) };
    });
  const all = [...nodes.values()];
  return { nodes: all, links: placed, height: all.reduce((most, node) => Math.max(most, node.y + node.height), 0) };
}

/** The outline of a link: a band that is as high everywhere as at its ends, and stays between the two nodes. */
export function ribbon({ from, to, y0, y1, width }: PlacedLink): string {
  const [x0, x1] = [from.x + NODE_WIDTH, to.x];
  const middle = (x0 + x1) / 2;
  return (
    `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}V${y1 + width}` +
    `C${middle} ${y1 + width} ${middle} ${y0 + width} ${x0} ${y0 + width}Z`
  );
}

function sums(links: readonly FlowLink[], of: (link: FlowLink) => string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const link of links) found.set(of(link), (found.get(of(link)) ?? 0) + link.value);
  return found;
}

function withoutRings(links: readonly FlowLink[]): readonly FlowLink[] {
  const next = new Map<string, FlowLink[]>();
  for (const link of links) next.set(link.source, [...(next.get(link.source) ?? []), link]);
  const state = new Map<string, 'open' | 'done'>();
  const back = new Set<FlowLink>();
  for (const start of next.keys()) {
    if (state.has(start)) continue;
    const path: { readonly name: string; at: number }[] = [{ name: start, at: 0 }];
    state.set(start, 'open');
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const link = next.get(top.name)?.[top.at++];
      if (!link) {
        state.set(top.name, 'done');
        path.pop();
      } else if (state.get(link.target) === 'open') back.add(link);
      else if (!state.has(link.target)) {
        state.set(link.target, 'open');
        path.push({ name: link.target, at: 0 });
      }
    }
  }
  return links.filter((link) => !back.has(link));
}

/** How many links the longest way to each has. */
function depths(links: readonly FlowLink[], names: readonly string[]): ReadonlyMap<string, number> {
  const depth = new Map(names.map((name) => [name, 0]));
  const waiting = new Map(names.map((name) => [name, links.filter(({ target }) => target === name).length]));
  const ready = names.filter((name) => waiting.get(name) === 0);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    for (const { target } of links.filter(({ source }) => source === name)) {
      depth.set(target, Math.max(depth.get(target) ?? 0, (depth.get(name) ?? 0) + 1));
      const left = (waiting.get(target) ?? 0) - 1;
      waiting.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  return depth;
}
