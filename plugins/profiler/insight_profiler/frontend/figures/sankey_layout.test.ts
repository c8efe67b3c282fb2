import { expect, test } from 'vitest';
import { sankeyOf } from './sankey_layout';

test('links lead to the right and fill their nodes', () => {
  const { nodes, links, height } = sankeyOf([{ source: 'net', target: 'a', value: 30 }, { source: 'net', target: 'b', value: 10 }, { source: 'a', target: 'c', value: 30 }, { source: 'net', target: 'c', value: 5 }], 800, 300, 100);
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
    column.slice(1).forEach((node, i) => expect(node.y).toBeGreaterThanOrEqual((column[i]?.y ?? 0) + (column[i]?.height ?? 0)));
  }
});

test('a link that leads back is left out', () => {
  const { nodes, links } = sankeyOf([{ source: 'a', target: 'b', value: 1 }, { source: 'b', target: 'a', value: 1 }, { source: 'a', target: 'a', value: 1 }], 400, 100, 50);
  expect(links).toHaveLength(1);
  expect(nodes).toHaveLength(2);
  expect(sankeyOf([], 400, 100, 50)).toMatchObject({ nodes: [], links: [] });
});
