/** Where the nodes of a tree of calls are drawn: each below its caller, as wide as what was spent in it. */

/** A tree of calls in columns; parents stand before their children. */
export interface CallNodes {
  /** The row of the caller, -1 for a root. */
  readonly parent: readonly number[];
  /** The place in `names`. */
  readonly name: readonly number[];
  /** What was spent in the node itself, and in what it called too. */
  readonly own: readonly number[];
  readonly whole: readonly number[];
  readonly count: readonly number[];
  /** `whole` in the tree that this one is compared with; empty if there is none. */
  readonly before: readonly number[];
  readonly names: readonly string[];
  /** What was spent in all, and how many nodes there are, also those that are left out here. */
  readonly total: number;
  readonly nodes: number;
}

/** A node on the screen: `left` and `width` are shares of the whole width. */
export interface FlameBox {
  readonly node: number;
  readonly depth: number;
  readonly left: number;
  readonly width: number;
}

/** The children of each node, those with the most first; those of the row -1 are the roots. */
export class CallChildren {
  private readonly of: readonly (readonly number[])[];

  constructor(private readonly nodes: CallNodes) {
    const children: number[][] = Array.from({ length: nodes.parent.length + 1 }, () => []);
    nodes.parent.forEach((parent, node) => children[parent + 1]?.push(node));
    for (const some of children) some.sort((a, b) => (nodes.whole[b] ?? 0) - (nodes.whole[a] ?? 0));
    this.of = children;
  }

  /** The children of a node, or for -1 the roots. */
  below(node: number): readonly number[] {
    return this.of[node + 1] ?? [];
  }

  /** The callers of a node, the outermost first. */
  above(node: number): readonly number[] {
    const found: number[] = [];
    for (let at = this.nodes.parent[node] ?? -1; at >= 0; at = this.nodes.parent[at] ?? -1) found.unshift(at);
    return found;
  }
}

/**
 * The nodes that are at least `least` of the width, in the order of the arrow keys: each before its children. `focus`
 * fills the width, with its callers above it; null shows all.
 */
export function flameBoxes(
  nodes: CallNodes,
  children: CallChildren,
  focus: number | null,
  least: number,
): readonly FlameBox[] {
  const callers = focus === null ? [] : children.above(focus);
  const found: FlameBox[] = callers.map((node, depth) => ({ node, depth, left: 0, width: 1 }));
  const all = focus === null ? nodes.total : (nodes.whole[focus] ?? 0);
  const put = (some: readonly number[], depth: number, from: number): void => {
    let left = from;
    for (const node of some) {
      const width = all > 0 ? (nodes.whole[node] ?? 0) / all : 0;
      if (width < least) break; // the others are no larger
      found.push({ node, depth, left, width });
      put(children.below(node), depth + 1, left);
      left += width;
    }
  };
  put(focus === null ? children.below(-1) : [focus], callers.length, 0);
  return found;
}

/** The nodes whose names have a text, and the share of all that is spent in them, each moment once. */
export function matching(
  nodes: CallNodes,
  query: string,
): { readonly found: ReadonlySet<number>; readonly share: number } {
  const wanted = query.trim().toLowerCase();
  const found = new Set<number>();
  if (!wanted) return { found, share: 0 };
  const matches = nodes.names.map((name) => name.toLowerCase().includes(wanted));
  const counted = new Uint8Array(nodes.parent.length);
  let spent = 0;
  nodes.parent.forEach((parent, node) => {
    const within = parent >= 0 && counted[parent] === 1;
    const isFound = matches[nodes.name[node] ?? -1] === true;
    if (isFound) found.add(node);
    if (isFound && !within) spent += nodes.whole[node] ?? 0;
    counted[node] = within || isFound ? 1 : 0;
  });
  return { found, share: nodes.total > 0 ? spent / nodes.total : 0 };
}
