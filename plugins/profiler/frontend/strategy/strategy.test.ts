import { describe, expect, it } from 'vitest';
import type { LayoutChange, StrategyOperator, StrategyStage } from '../answers/strategy';
import { columnOf, lineWay, placedLinks } from './places';
import { boxesOf, openAtFirst, scopeTree } from './scopes';
import { axesText, cutText, matrixText, rangesText, sliceText } from './words';

function operator(id: string, scope: string, inputs: readonly string[] = []): StrategyOperator {
  return {
    id,
    type: 'MatMul',
    scope,
    full_name: `${scope}/MatMul-op${id}`,
    inputs,
    parameters: [],
    strategy: null,
    shards: null,
    devices: null,
    output_axes: null,
    output_shapes: [],
    bytes: null,
    communication: null,
  };
}

function stageOf(
  operators: readonly StrategyOperator[],
  changes: readonly LayoutChange[] = [],
  stage = 0,
): StrategyStage {
  return { stage, rank: 0, type: '', profile: '.', ranks: [], operators, left_out: 0, changes, parameters: [] };
}

/** Layers of two operators, one after another. */
const layers = (count: number): StrategyOperator[] =>
  Array.from({ length: count }, (_, i) => [
    operator(`${2 * i}`, `net/${i}-Block`, i > 0 ? [`${2 * i - 1}`] : []),
    operator(`${2 * i + 1}`, `net/${i}-Block`, [`${2 * i}`]),
  ]).flat();

const keys = (operators: readonly StrategyOperator[], toggled: readonly string[] = []): readonly string[] => {
  const root = scopeTree(operators);
  return boxesOf(root, openAtFirst(root), new Set(toggled)).map(({ key }) => key);
};

describe('scopes', () => {
  it('are open at first as long as few boxes are in sight', () => {
    expect(keys(layers(3))).toEqual(['net/0-Block', '0', '1', 'net/1-Block', '2', '3', 'net/2-Block', '4', '5']);
    const many = keys(layers(2000));
    expect(many.length).toBe(2000);
    expect(keys(layers(2000), ['net/7-Block']).slice(7, 10)).toEqual(['net/7-Block', '14', '15']);
    expect(keys(layers(3), ['net/0-Block'])[1]).toBe('net/1-Block');
  });

  it('with a single part are that part', () => {
    expect(keys([operator('1', 'a/b/c'), operator('2', 'a/b/d'), operator('3', 'a/b/d')])).toEqual([
      '1',
      'a/b/d',
      '2',
      '3',
    ]);
  });
});

describe('places', () => {
  const column = (
    operators: readonly StrategyOperator[],
    toggled: readonly string[] = [],
    changes: readonly LayoutChange[] = [],
    at = 0,
  ): ReturnType<typeof columnOf> => {
    const root = scopeTree(operators);
    const boxes = boxesOf(root, openAtFirst(root), new Set(toggled));
    return columnOf(stageOf(operators, changes, at), boxes, at);
  };

  it('never overlap, and frames hold their boxes', () => {
    const { boxes, frames } = column(layers(4));
    for (const [i, box] of boxes.entries()) {
      const next = boxes[i + 1];
      if (next) expect(next.y).toBeGreaterThan(box.y + box.height);
    }
    expect(frames.length).toBe(4);
    const [first] = frames;
    expect((first?.y ?? 0) + (first?.height ?? 0)).toBeGreaterThan((boxes[2]?.y ?? 0) + (boxes[2]?.height ?? 0));
    expect((first?.y ?? 0) + (first?.height ?? 0)).toBeLessThan(boxes[3]?.y ?? 0);
  });

  it('draw one line for all tensors between two boxes, and none within a box', () => {
    const closed = column(layers(3), ['net/0-Block', 'net/1-Block', 'net/2-Block']);
    expect(closed.lines.map(({ from, to }) => [from.key, to.key])).toEqual([
      ['net/0-Block', 'net/1-Block'],
      ['net/1-Block', 'net/2-Block'],
    ]);
    expect(closed.lines.every(({ lane }) => lane === 0)).toBe(true);
  });

  it('give lines that overlap lanes of their own', () => {
    const { lines } = column([
      operator('1', ''),
      operator('2', '', ['1']),
      operator('3', '', ['2', '1']),
      operator('4', '', ['3', '2', '1']),
    ]);
    const long = lines.filter(({ lane }) => lane > 0);
    expect(long.map(({ from, to }) => `${from.key}${to.key}`)).toEqual(['13', '14', '24']);
    expect(new Set(long.map(({ lane }) => lane)).size).toBe(3);
    for (const line of lines) expect(lineWay(line)).not.toContain('NaN');
  });

  it('mark edges whose layout changes also where a closed scope hides their ends', () => {
    const change = { from: '1', to: '2', before: [2], after: [1], collectives: [] };
    const { lines } = column(layers(2), ['net/0-Block', 'net/1-Block'], [change]);
    expect(lines.map(({ changes }) => changes)).toEqual([1]);
  });

  it('link a send with its receive, and leave out a stage that is not there', () => {
    const columns = [column(layers(1)), column(layers(1), [], [], 1)];
    const link = { from_stage: 0, from: '1', to_stage: 1, to: '0', bytes: null };
    expect(placedLinks([link, { ...link, to: null }, { ...link, to_stage: 2 }], columns).length).toBe(1);
  });
});

describe('words', () => {
  it('name the axes that have more than one device', () => {
    expect(matrixText([2, 1, 4])).toBe('A2 × B4');
    expect(axesText([2, 1, 4], [[0], [], [0, 2]])).toBe('[A, ·, AB]');
    expect(matrixText([1])).toBe('1');
    expect(cutText({ ...operator('1', ''), strategy: [[2, 1], [1]] })).toBe('[2, 1] [1]');
  });

  it('say ranks as ranges and slices as in numpy', () => {
    expect(rangesText([0, 1, 2, 8, 10, 11])).toBe('0–2, 8, 10–11');
    const slice = [
      [0, 4],
      [8, 16],
    ] as const;
    expect(sliceText(slice, [4, 16], [1, 2])).toBe('[:, 8:16]');
    expect(sliceText([[1, 2]], null, [4])).toBe('[2/4]');
  });
});
