import { describe, expect, it } from 'vitest';
import { CallChildren, type CallNodes, flameBoxes, matching } from './layout';

// main 10: train 7 (forward 4, backward 3), save 2; load 6
const NODES: CallNodes = {
  parent: [-1, -1, 0, 0, 2, 2],
  name: [0, 1, 2, 3, 4, 5],
  own: [1, 6, 0, 2, 4, 3],
  whole: [10, 6, 7, 2, 4, 3],
  count: [1, 1, 1, 1, 1, 1],
  before: [],
  names: ['main', 'load', 'train', 'save', 'forward', 'train_backward'],
  total: 16,
  nodes: 6,
};
const CHILDREN = new CallChildren(NODES);
const shown = (focus: number | null, least = 0): readonly string[] =>
  flameBoxes(NODES, CHILDREN, focus, least).map(
    ({ node, depth, left, width }) =>
      `${depth} ${NODES.names[node]} ${(left * 16).toFixed(1)}+${(width * 16).toFixed(1)}`,
  );

describe('boxes', () => {
  it('are as wide as what was spent, the largest first, below their callers', () => {
    expect(shown(null)).toEqual([
      '0 main 0.0+10.0',
      '1 train 0.0+7.0',
      '2 forward 0.0+4.0',
      '2 train_backward 4.0+3.0',
      '1 save 7.0+2.0',
      '0 load 10.0+6.0',
    ]);
  });

  it('of a node that is gone into fill the width, its callers too', () => {
    expect(shown(2)).toEqual([
      '0 main 0.0+16.0',
      '1 train 0.0+16.0',
      `2 forward 0.0+${((4 / 7) * 16).toFixed(1)}`,
      `2 train_backward ${((4 / 7) * 16).toFixed(1)}+${((3 / 7) * 16).toFixed(1)}`,
    ]);
  });

  it('are left out where they would be too narrow, with what is below them', () => {
    expect(shown(null, 5 / 16)).toEqual(['0 main 0.0+10.0', '1 train 0.0+7.0', '0 load 10.0+6.0']);
  });
});

describe('what matches', () => {
  it('counts each moment once, though a match lies in another', () => {
    const { found, share } = matching(NODES, 'TRAIN');
    expect([...found]).toEqual([2, 5]);
    expect(share).toBeCloseTo(7 / 16);
  });

  it('is nothing without a text', () => {
    expect(matching(NODES, ' ').found.size).toBe(0);
  });
});
