import { describe, expect, it } from 'vitest';
import type { Scope } from '../answers';
import { neighbourAt, neighbours, shownLines, topmost, traced } from './highlight';
import { layOut } from '../layout/layout';
import { layoutInput, MOST_PROXIES, planOf, proxyKey } from './plan';
import { frameSize, headOf, isWithin, pathOf, sceneOf, type Opened, type Rect } from './scene';
import { sceneTable } from './exports';
import { edge, node, proxy, scope } from '../testing';

function opened(of: Scope, inner: readonly Opened[] = []): Opened {
  const members = new Map(inner.map((member) => [member.scope.id, member]));
  const plan = planOf(of);
  const sizes = new Map(inner.map((member) => [member.scope.id, frameSize(member.layout)]));
  return { scope: of, plan, layout: layOut(layoutInput(plan, sizes, false)), members };
}

const root = scope(
  '',
  [node('in'), node('s', 'scope', { children: 3 }), node('out')],
  [edge('in', 's'), edge('s', 'out')],
);
const within = scope(
  's',
  [node('s/a'), node('s/b', 'operator', { children: 0 }), node('s/w', 'parameter')],
  [edge('proxy:in', 's/a'), edge('s/a', 's/b'), edge('s/w', 's/b'), edge('s/b', 'proxy:out')],
  [proxy('in'), proxy('out')],
);
const scene = sceneOf(opened(root, [opened(within)]));
const at = (key: string): Rect => scene.places.get(key) as Rect;
const inside = (a: Rect, b: Rect): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;

describe('a drawing of opened scopes', () => {
  it('has members within the frame of their scope, and the others around it', () => {
    for (const key of ['s/a', 's/b', 's/w', proxyKey('s', 'proxy:in')]) {
      expect(inside(at(key), at('s')), key).toBe(true);
      expect(isWithin(scene, key, 's')).toBe(true);
    }
    expect(at('in').y + at('in').height).toBeLessThan(at('s').y);
    expect(at('out').y).toBeGreaterThan(at('s').y + at('s').height);
    expect(isWithin(scene, 'in', 's')).toBe(false);
  });

  it('has the lines of all its scopes in one system of coordinates', () => {
    const line = scene.lines.find(({ from, to }) => from === 's/a' && to === 's/b');
    expect(line?.route[1]).toBeCloseTo(at('s/a').y + at('s/a').height);
    expect(line?.route.at(-1)).toBeCloseTo(at('s/b').y);
    expect(scene.lines).toHaveLength(6);
  });

  it('puts a parameter beside the operator that alone uses it', () => {
    const shared = planOf(
      scope(
        '',
        [node('a'), node('b'), node('w', 'parameter'), node('c', 'constant')],
        [edge('w', 'a'), edge('w', 'b'), edge('c', 'a')],
      ),
    );
    const hosts = new Map(shared.items.map(({ key, host }) => [key, host]));
    expect([hosts.get('w'), hosts.get('c'), hosts.get('a')]).toEqual([null, 'a', null]);
    expect(scene.lines.find(({ from }) => from === 's/w')?.sideways).toBe(true);
  });

  it('draws the proxies of most edges and counts the others', () => {
    const outside = Array.from({ length: 30 }, (_, i) => proxy(`p${i}`));
    const plan = planOf(
      scope(
        's',
        [node('a'), node('b')],
        [edge('a', 'b'), ...outside.map(({ id }, i) => edge(id, 'a', { count: i + 1 }))],
        outside,
      ),
    );
    const drawn = plan.items.flatMap((item) => (item.proxy ? [item.proxy.of] : []));
    expect(drawn).toHaveLength(MOST_PROXIES);
    expect(drawn).toContain('p29');
    expect(plan.outside).toBe(30 - MOST_PROXIES);
    expect(plan.edges).toHaveLength(1 + MOST_PROXIES);
  });

  it('draws no proxies where nothing is linked within', () => {
    const plan = planOf(scope('s', [node('a'), node('b')], [edge('proxy:x', 'a'), edge('proxy:x', 'b')], [proxy('x')]));
    expect(plan.items.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(plan.outside).toBe(1);
  });
});

describe('what stands out', () => {
  it('are inputs and outputs of the selected node, through proxies', () => {
    const found = neighbours(scene, 's/a');
    expect(found.nodes.get('in')).toBe('in');
    expect(found.nodes.get(proxyKey('s', 'proxy:in'))).toBe('in');
    expect(found.nodes.get('s/b')).toBe('out');
    expect([...found.lines.values()].sort()).toEqual(['in', 'out']);
    expect(found.others).toBe(false);
  });

  it('is a trace, and all else is pale', () => {
    const answer = { ancestors: { operators: 2, ids: ['in'] }, descendants: { operators: 2, ids: ['s/b', 'out'] } };
    const both = traced(scene, 's/a', answer, 'both');
    expect(both.others).toBe(true);
    expect(both.nodes.get('out')).toBe('out');
    expect(both.nodes.has('s/w')).toBe(false);
    expect(traced(scene, 's/a', answer, 'ancestors').nodes.has('out')).toBe(false);
    const lines = scene.lines.filter(({ key }) => both.lines.get(key) === 'out').map(({ from, to }) => [from, to]);
    expect(lines).toContainEqual(['s/a', 's/b']);
    expect(lines).toContainEqual(['s', 'out']);
  });

  it('shows lines of what stands aside only while an end is selected', () => {
    const busy = sceneOf(
      opened(
        scope(
          '',
          [node('a'), node('b'), node('hub', 'operator', { aside: true })],
          [edge('a', 'b'), edge('hub', 'a'), edge('hub', 'b')],
        ),
      ),
    );
    expect(shownLines(busy, null)).toHaveLength(1);
    expect(shownLines(busy, neighbours(busy, 'hub'))).toHaveLength(3);
    expect(shownLines(busy, neighbours(busy, 'b'))).toHaveLength(2);
  });

  it('moves along edges with the arrows', () => {
    expect(neighbourAt(scene, 's/a', 'down')).toBe('s/b');
    expect(neighbourAt(scene, 's/b', 'up')).toBe('s/a');
    expect(neighbourAt(scene, 's/b', 'left')).toBe('s/w');
    expect(neighbourAt(scene, 'in', 'down')).toBe('s');
    // into an open scope, and out of it at both ends
    expect(scene.places.has('s/a')).toBe(true);
    expect(neighbourAt(scene, 's', 'down')).toBe('s/a');
    expect(neighbourAt(scene, 's/a', 'up')).toBe('s');
    expect(neighbourAt(scene, 's', 'up')).toBe('in');
    expect(neighbourAt(scene, 's/b', 'down')).toBe('out');
    expect(neighbourAt(scene, 'in', 'up')).toBeNull();
  });

  it('begins with the uppermost node', () => {
    expect(topmost(scene)).toBe('in');
    expect(topmost(sceneOf(opened(scope('', [], []))))).toBeNull();
  });
});

describe('lines', () => {
  it('bend with vertical ends, and are straight where nothing bends', () => {
    expect(pathOf([10, 0, 10, 50], false)).toBe('M10 0V50');
    expect(pathOf([10, 0, 30, 40], false)).toBe('M10 0C10 20 30 20 30 40');
    expect(pathOf([0, 10, 20, 30], true)).toBe('M0 10C10 10 10 30 20 30');
  });
  it('have a head at their end, whichever way they go', () => {
    expect(headOf([0, 0, 0, 50], false, 5)).toContain('M0 50L-3.1 45');
    expect(headOf([0, 50, 0, 0], false, 5)).toContain('M0 0L-3.1 5');
    expect(headOf([0, 0, 20, 0], true, 5)).toContain('M20 0L15 -3.1');
  });
});

describe('the table of a drawing', () => {
  it('has a row for all that is drawn, members after their scope, with the ends of their edges', () => {
    const page = { t: (key: string) => (key === 'list.separator' ? ', ' : key) };
    const { rows } = sceneTable(page, 'graph', scene);
    expect(rows.map(([, id]) => id)).toEqual(['s', 'in', 'out', 's/a', 's/b', 's/w', 'in', 'out']);
    expect(rows.find(([, id]) => id === 's/b')?.slice(0, 7)).toEqual([
      'b',
      's/b',
      'kind.operator',
      'Op',
      null,
      'a, w',
      'out',
    ]);
  });
});
