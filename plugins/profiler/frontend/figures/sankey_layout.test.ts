import { expect, test } from 'vitest';
import { NODE_WIDTH, ribbon, sankeyOf } from './sankey_layout';

test('links lead to the right and fill their nodes', () => {
  const { nodes, links, height } = sankeyOf(
    [
      { source: 'net', target: 'a', value: 30 },
      { source: 'net', target: 'b', value: 10 },
      { source: 'a', target: 'c', value: 30 },
      { source: 'net', target: 'c', value: 5 },
    ],
    800,
    300,
    100,
  );
  const at = new Map(nodes.map((node) => [node.name, node]));
  expect(['net', 'a', 'b', 'c'].map((name) => at.get(name)?.depth)).toEqual([0, 1, 1, 2]);
  expect(at.get('net')?.value).toBe(45);
  expect(at.get('c')?.value).toBe(35);
  for (const link of links) {
    expect(link.from.x).toBeLessThan(link.to.x);
    expect(link.y0 + link.width).toBeLessThanOrEqual(link.from.y + link.from.height + 1e-6);
    expect(link.y1 + link.width).toBeLessThanOrEqual(link.to.y + link.to.height + 1e-6);
  }
  expect(height).toBeLessThanOrEqual(300 + 1e-6);
  for (const depth of [0, 1, 2]) {
    const column = nodes.filter((node) => node.depth === depth).sort((a, b) => a.y - b.y);
    column
      .slice(1)
      .forEach((node, i) => expect(node.y).toBeGreaterThanOrEqual((column[i]?.y ?? 0) + (column[i]?.height ?? 0)));
  }
});

test('a link that leads back is left out', () => {
  const { nodes, links } = sankeyOf(
    [
      { source: 'a', target: 'b', value: 1 },
      { source: 'b', target: 'a', value: 1 },
      { source: 'a', target: 'a', value: 1 },
    ],
    400,
    100,
    50,
  );
  expect(links).toHaveLength(1);
  expect(nodes).toHaveLength(2);
  expect(sankeyOf([], 400, 100, 50)).toMatchObject({ nodes: [], links: [] });
});

test('a ribbon is equally high everywhere and never reaches into a node', () => {
  // steep and much wider than the gap between columns: a thick stroke along its middle would bulge and have cusps
  const { links } = sankeyOf(
    [
      { source: 'net', target: 'a', value: 5 },
      { source: 'net', target: 'b', value: 90 },
      { source: 'other', target: 'a', value: 80 },
      { source: 'b', target: 'c', value: 90 },
    ],
    260,
    420,
    60,
  );
  expect(links).toHaveLength(4);
  for (const link of links) {
    const numbers = [...ribbon(link).matchAll(/-?[\d.]+(?:e-?\d+)?/g)].map(([text]) => Number(text));
    const [
      x0 = NaN,
      y0 = NaN,
      c1x = NaN,
      c1y = NaN,
      c2x = NaN,
      c2y = NaN,
      x1 = NaN,
      y1 = NaN,
      low = NaN,
      d1x = NaN,
      d1y = NaN,
      d2x = NaN,
      d2y = NaN,
      endX = NaN,
      endY = NaN,
    ] = numbers;
    expect(numbers).toHaveLength(15);
    expect([x0, x1]).toEqual([link.from.x + NODE_WIDTH, link.to.x]);
    const at = (a: number, b: number, c: number, d: number, t: number): number =>
      a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t ** 3;
    for (let i = 0; i <= 50; i++) {
      const t = i / 50;
      const x = at(x0, c1x, c2x, x1, t);
      expect(x).toBeGreaterThanOrEqual(x0 - 1e-9);
      expect(x).toBeLessThanOrEqual(x1 + 1e-9);
      expect(at(x1, d1x, d2x, endX, 1 - t)).toBeCloseTo(x, 6);
      expect(at(low === y1 + link.width ? low : NaN, d1y, d2y, endY, 1 - t) - at(y0, c1y, c2y, y1, t)).toBeCloseTo(
        link.width,
        6,
      );
    }
  }
});
