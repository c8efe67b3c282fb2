import { expect, test } from 'vitest';
import { moduleAt, placed, treeOf } from './module_tree';

const ROOT = treeOf(
  [
    { scope: 'net/conv', time: 60 },
    { scope: 'net/fc/mm', time: 30 },
    { scope: '', time: 10 },
  ],
  'all',
);

test('a module has the time of what is in it', () => {
  expect([ROOT.time, moduleAt(ROOT, 'net').time, moduleAt(ROOT, 'net/fc').time]).toEqual([100, 90, 30]);
  expect(moduleAt(ROOT, 'gone/away')).toBe(ROOT);
});

test('modules are side by side within the one around them, the slowest first; narrow ones are left out', () => {
  const all = placed(ROOT, 0).map(({ module, start, share, depth }) => [module.path, start, share, depth]);
  expect(all).toEqual([
    ['', 0, 1, 0],
    ['net', 0, 0.9, 1],
    ['net/conv', 0, 0.6, 2],
    ['net/fc', 0.6, 0.3, 2],
    ['net/fc/mm', 0.6, 0.3, 3],
  ]);
  expect(placed(ROOT, 0.5).map(({ module }) => module.path)).toEqual(['', 'net', 'net/conv']);
});
