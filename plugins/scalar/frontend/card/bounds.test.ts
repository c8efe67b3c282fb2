import { Page } from '@insight-host/kit';
import { fakeContext, fakeRun } from '@insight-host/kit/testing';
import { expect, it } from 'vitest';
import { layersOf, scalarParts } from '../board';
import { cardQuery as query, fakeSeries } from '../feed/fake_board';
import type { LayerData } from '../feed/feed';
import { errorLayers, errorsOf, isOfErrors, withErrorText } from './bounds';
import { linesOf, singleValues } from './lines';

const own = (tag: string, steps: readonly number[], values: readonly number[], run = 'r') =>
  fakeSeries([...steps], [...values], { tag, run });
const layer = (tag: string, ...main: ReturnType<typeof own>[]): LayerData => ({
  tag,
  runs: ['r'],
  axis: 'left',
  main,
  raw: null,
  bands: [],
});
const errors = (...main: ReturnType<typeof own>[]): LayerData => ({
  ...layer('acc_stderr', ...main),
  edge: { of: 'acc', side: 'error', bars: true },
});

it('a tag has error bars where its errors or both of its bounds are recorded', () => {
  const of = (...known: string[]): string[] =>
    errorLayers({ tag: 'acc', axis: 'left' }, new Set(known)).map(({ tag, edge }) => `${tag} ${edge?.side}`);
  expect(of('acc', 'acc_stderr')).toEqual(['acc_stderr error']);
  expect(of('acc', 'acc_lower', 'acc_upper')).toEqual(['acc_lower low', 'acc_upper high']);
  expect(of('acc', 'acc_lower')).toEqual([]);
});

it('what is drawn as error bars has no card of its own next to that of its values', () => {
  const tags = ['acc', 'acc_stderr', 'clip_lower', 'loss_stderr', 'x', 'x_lower', 'x_upper'];
  const known = new Set(tags);
  expect(tags.filter((tag) => isOfErrors(tag, known))).toEqual(['acc_stderr', 'x_lower', 'x_upper']);
  const board = scalarParts(new Page(fakeContext(['r'], { series: { r: tags } })));
  expect(board.filter.shown.value).toEqual(['acc', 'clip_lower', 'loss_stderr', 'x']);
  expect(layersOf(board, 'acc').map(({ tag }) => tag)).toEqual(['acc', 'acc_stderr']);
  board.filter.text.set('acc');
  expect(board.filter.shown.value).toEqual(['acc']);
  board.filter.text.set('stderr');
  expect(board.filter.shown.value).toEqual(['acc_stderr', 'loss_stderr']);
  board.page.dispose();
});

it('error bars stand at the points that have an error', () => {
  const series = own('acc', [1, 2, 3], [0.5, 0.6, 0.7]);
  const found = errorsOf([layer('acc', series), errors(own('acc_stderr', [1, 3], [0.1, 0.2]))], series);
  expect([...(found?.low ?? [])]).toEqual([0.4, NaN, expect.closeTo(0.5)]);
  expect([...(found?.high ?? [])]).toEqual([0.6, NaN, expect.closeTo(0.9)]);
  expect(errorsOf([layer('acc', series), errors(own('acc_stderr', [1], [0.1], 'other'))], series)).toBeUndefined();
});

it('error bars are of what was recorded: of a smoothed line they are at the raw one', () => {
  const [smooth, raw] = [own('acc', [1], [0.4]), own('acc', [1], [0.5])];
  const lines = (smoothing: number, behind: typeof raw | null) =>
    linesOf(
      {
        query: { ...query, smoothing },
        layers: [{ ...layer('acc', smooth), raw: behind && [behind] }, errors(own('acc_stderr', [1], [0.1]))],
      },
      [fakeRun('r')],
      String,
      () => '',
    ).lines.map(({ role, band }) => `${role} ${band?.bars ? band.low[0] : ''}`);
  expect(lines(0, null)).toEqual(['main 0.30000000000000004']);
  expect(lines(0.6, raw)).toEqual(['raw 0.4', 'main ']);
  expect(lines(0.6, null)).toEqual(['main ']);
});

it('bars of runs with one value each have the ends of their errors', () => {
  const values = [own('acc', [1], [0.5], 'a'), own('acc', [1], [0.6], 'b')];
  expect(
    singleValues({ query, layers: [layer('acc', ...values), errors(own('acc_stderr', [1], [0.25], 'a'))] }),
  ).toEqual(
    new Map([
      ['a', { value: 0.5, ends: [0.25, 0.75] }],
      ['b', { value: 0.6 }],
    ]),
  );
});

it('an error is said with two digits, or as bounds where they are not equally far', () => {
  expect(withErrorText('0.6213', 0.6213, [0.59012, 0.65248])).toBe('0.6213 ± 0.031');
  expect(withErrorText('0.6', 0.6, [0.5, 0.9])).toBe('0.6 (0.5 … 0.9)');
  expect(withErrorText('0.6', 0.6, [NaN, NaN])).toBe('0.6');
});
