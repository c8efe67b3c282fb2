import { expect, test } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { profilerParts } from '../board';
import { operatorsAnswer } from '../testing';
import { partsOf } from './operator_shares';

test('the biggest, and all others together', () => {
  const board = profilerParts(new Page(fakeContext(['a'])));
  const parts = partsOf(
    board,
    operatorsAnswer(
      [
        ['Conv2D', 600, 0.6],
        ['MatMul', 300, 0.3],
      ],
      { rows: 7, self: 100, share: 0.1 },
    ),
  );
  expect(parts.map(({ label, value, share, isRest }) => [label, value, share, isRest === true])).toEqual([
    ['Conv2D', 600, 0.6, false],
    ['MatMul', 300, 0.3, false],
    [expect.stringContaining('operators.other'), 100, 0.1, true],
  ]);
  expect(new Set(parts.map(({ color }) => color)).size).toBe(3);
  expect(partsOf(board, operatorsAnswer([['Conv2D', 600, 1]]))).toHaveLength(1);
  board.page.dispose();
});
