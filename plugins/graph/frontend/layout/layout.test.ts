import { describe, expect, it } from 'vitest';
import { layOut, type Layout, type LayoutInput, type LayoutNode } from './layout';

const box = (id: string, more: Partial<LayoutNode> = {}): LayoutNode => ({ id, width: 80, height: 30, ...more });
const edge = (from: string, to: string, label = 0) => ({ from, to, label });

interface Rect {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
function rects({ nodes }: LayoutInput, { places }: Layout): ReadonlyMap<string, Rect> {
  return new Map(
    nodes.map(({ id, width, height }, i) => {
      const [x, y] = [places[2 * i] as number, places[2 * i + 1] as number];
      return [id, { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 }];
    }),
  );
}
const apart = (a: Rect, b: Rect): boolean =>
  a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

/** A graph with branches, skips and a loop, the same at every run. */
function tangle(count: number): LayoutInput {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 16807) % 2147483647) % below;
  const nodes = Array.from({ length: count }, (_, i) =>
    box(`n${i}`, { width: 50 + random(120), height: i % 9 === 4 ? 260 : 30 }),
  );
  const edges = nodes
    .slice(1)
    .flatMap((_, i) => [
      edge(`n${Math.max(0, i - random(3))}`, `n${i + 1}`),
      ...(i % 4 === 0 ? [edge(`n${random(i + 1)}`, `n${i + 1}`)] : []),
    ]);
  return { nodes, edges: [...edges, edge(`n${count - 1}`, 'n1')] };
}

describe('the layout of a scope', () => {
  it('goes from top to bottom', () => {
    const input = { nodes: [box('a'), box('b'), box('c')], edges: [edge('a', 'b'), edge('b', 'c'), edge('a', 'c')] };
    const found = layOut(input);
    const { places, routes } = found;
    expect(places[1]).toBeLessThan(places[3] as number);
    expect(places[3]).toBeLessThan(places[5] as number);
    expect(routes[0]?.[1]).toBe((places[1] as number) + 15);
    expect(routes[0]?.at(-1)).toBe((places[3] as number) - 15);
  });

  it.each([5, 40, 90])('never lays two of %i nodes upon each other', (count) => {
    const input = tangle(count);
    const found = rects(input, layOut(input));
    const all = [...found.values()];
    all.forEach((a, i) => all.slice(i + 1).forEach((b) => expect(apart(a, b)).toBe(true)));
  });

  it.each([12, 40, 70])('leads no edge of %i nodes through a node that it passes', (count) => {
    const input = tangle(count);
    const found = layOut(input);
    const boxes = [...rects(input, found)];
    const touched = input.edges.flatMap(({ from, to }, i) =>
      [...along(found.routes[i] ?? [])].flatMap(([x, y]) =>
        boxes
          .filter(
            ([id, { left, right, top, bottom }]) =>
              id !== from && id !== to && x > left + 0.5 && x < right - 0.5 && y > top + 0.5 && y < bottom - 0.5,
          )
          .map(([id]) => `${from} → ${to} in ${id}`),
      ),
    );
    expect(touched).toEqual([]);
  });

  it('stays within its own size', () => {
    const input = tangle(40);
    const found = layOut(input);
    for (const { left, right, top, bottom } of rects(input, found).values()) {
      expect(left).toBeGreaterThanOrEqual(-0.01);
      expect(top).toBeGreaterThanOrEqual(-0.01);
      expect(right).toBeLessThanOrEqual(found.width + 0.01);
      expect(bottom).toBeLessThanOrEqual(found.height + 0.01);
    }
  });

  it('keeps the order of siblings when one of them grows', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((id) => box(id));
    const edges = ['b', 'c', 'd'].flatMap((id) => [edge('a', id), edge(id, 'e')]);
    const order = (grown: number): readonly string[] => {
      const input = {
        nodes: nodes.map((node, i) => (i === grown ? { ...node, width: 400, height: 300 } : node)),
        edges,
      };
      const { places } = layOut(input);
      return [1, 2, 3]
        .sort((a, b) => (places[2 * a] as number) - (places[2 * b] as number))
        .map((i) => nodes[i]?.id ?? '');
    };
    expect(order(2)).toEqual(order(-1));
  });

  it('puts the constants of a node next to it, and leads edges in from the left', () => {
    const input = {
      nodes: [box('in'), box('op'), box('w', { height: 20, host: 'op' }), box('b', { height: 20, host: 'op' })],
      edges: [edge('in', 'op'), edge('w', 'op'), edge('b', 'op')],
    };
    const found = layOut(input);
    const boxes = rects(input, found);
    const [op, w, b] = ['op', 'w', 'b'].map((id) => boxes.get(id) as Rect) as [Rect, Rect, Rect];
    expect(w.right).toBeLessThan(op.left);
    expect(b.right).toBeLessThan(op.left);
    expect(apart(w, b)).toBe(true);
    expect(found.routes[1]?.slice(-2)[0]).toBe(op.left);
    expect(found.routes[0]?.at(-1)).toBe(op.top);
  });

  it('puts what has no edges into rows, and what stands aside at the right', () => {
    const many = Array.from({ length: 100 }, (_, i) => box(`n${i}`));
    const input = { nodes: [...many, box('busy', { aside: true })], edges: [edge('busy', 'n3')] };
    const found = layOut(input);
    const boxes = rects(input, found);
    expect(found.width / found.height).toBeLessThan(4);
    expect(found.width / found.height).toBeGreaterThan(0.5);
    expect((boxes.get('busy') as Rect).left).toBeGreaterThan(
      Math.max(...many.map(({ id }) => (boxes.get(id) as Rect).right)),
    );
    expect(found.routes[0]).toEqual([]);
  });

  it('keeps a way there and a way back apart', () => {
    const { routes } = layOut({ nodes: [box('a'), box('b')], edges: [edge('a', 'b'), edge('b', 'a')] });
    expect(Math.abs((routes[0]?.[0] ?? 0) - (routes[1]?.[0] ?? 0))).toBeGreaterThan(5);
    expect(routes[1]?.[1]).toBeGreaterThan(routes[1]?.at(-1) ?? Infinity);
  });

  it('has room for texts', () => {
    const { labels, routes } = layOut({ nodes: [box('a'), box('b')], edges: [edge('a', 'b', 90)] });
    const [, y = 0] = labels[0] ?? [];
    expect(y).toBeGreaterThan((routes[0]?.[1] ?? 0) + 8);
    expect(y).toBeLessThan((routes[0]?.at(-1) ?? 0) - 8);
  });

  it('takes nothing, loops and edges to what is not there', () => {
    expect(layOut({ nodes: [], edges: [] })).toMatchObject({ width: 0, height: 0 });
    const { routes } = layOut({ nodes: [box('a')], edges: [edge('a', 'a'), edge('a', 'gone')] });
    expect(routes).toEqual([[], []]);
  });
});

/** Points of a route as it is drawn: between two of its points it bends with vertical ends. */
function* along(route: readonly number[]): Generator<readonly [x: number, y: number]> {
  for (let i = 2; i < route.length; i += 2) {
    const [x0, y0, x1, y1] = route.slice(i - 2, i + 2) as [number, number, number, number];
    for (let t = 0.05; t < 1; t += 0.05) {
      const s = t * t * (3 - 2 * t); // x of the cubic with both handles above each other
      const half = (y0 + y1) / 2;
      yield [
        x0 + (x1 - x0) * s,
        (1 - t) ** 3 * y0 + 3 * (1 - t) ** 2 * t * half + 3 * (1 - t) * t * t * half + t ** 3 * y1,
      ];
    }
  }
}
