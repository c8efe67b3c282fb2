import { expect, it } from 'vitest';
import { fakeContext } from '@insight-host/kit/testing';
import { Page } from '@insight-host/kit';
import { scalarParts } from '../board';
import { aroundOf, bestOf, drawnOf } from './legend';

const names = Array.from({ length: 100 }, (_, at) => `run${at}`);

function made() {
  const ctx = fakeContext(names);
  const board = scalarParts(new Page(ctx));
  const order = (best: boolean): void => {
    ctx.runs.drawing.value = {
      places: new Map([...names].reverse().map((name, at) => [name, at])),
      orders: [false, true].map((isBest) => ({ text: '', isChosen: isBest === best, choose: () => undefined })),
    };
  };
  order(false);
  return { ctx, board, order };
}

it('draws the first runs of the run panel, in their own order, unless all are wanted', () => {
  const { ctx, board } = made();
  expect(drawnOf(board, names, 1)).toEqual(names.slice(40));
  expect(drawnOf(board, names, 2)).toEqual(names.slice(70));
  expect(drawnOf(board, names.slice(0, 60), 1)).toEqual(names.slice(0, 60));
  board.lines.set('all');
  expect(drawnOf(board, names, 1)).toEqual(names);
  board.lines.set('first');
  ctx.runs.groupBy.set(['p/lr']); // bands are of all
  expect(drawnOf(board, names, 1)).toEqual(names);
});

it('draws the best run alone where median and quartiles stand for all, unless there are few or groups', () => {
  const { ctx, board, order } = made();
  board.lines.set('band');
  expect([drawnOf(board, names, 1), aroundOf(board, names, 1)]).toEqual([[], names]);
  order(true);
  expect(drawnOf(board, names, 1)).toEqual(['run99']);
  expect([drawnOf(board, names.slice(40), 1), aroundOf(board, names.slice(40), 1)]).toEqual([
    names.slice(40),
    undefined,
  ]);
  ctx.runs.groupBy.set(['p/lr']);
  expect([drawnOf(board, names, 1), aroundOf(board, names, 1)]).toEqual([names, undefined]);
});

it('puts a line over the others only where the panel says which run is best', () => {
  const { board, order } = made();
  expect(bestOf(board, names)).toBeNull();
  order(true);
  expect(bestOf(board, names)).toBe('run99');
  expect(bestOf(board, [])).toBeNull();
});
