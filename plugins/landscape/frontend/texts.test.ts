import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { landscapeParts, type LandscapeParts } from './board';
import { levelsOf, lossScale } from './scale';
import { blankText, lossesText } from './texts';

describe('what is said of losses', () => {
  const board: LandscapeParts = landscapeParts(new Page(fakeContext([])));
  afterEach(() => board.page.dispose());

  it('tells nothing, one and many apart', () => {
    const texts = [
      { low: NaN, high: NaN },
      { low: 2, high: 2 },
      { low: 1, high: 2 },
    ].map((losses) => lossesText(board, losses));
    expect(texts.map((text) => text.split(' ')[0])).toEqual(['status.empty', 'status.constant', 'status.range']);
  });

  it('says why there is no line', () => {
    const levels = levelsOf(lossScale(0, 100, false), 3);
    const said = (low: number, high: number, form: 'contour' | 'surface' = 'contour'): string | null =>
      blankText(board, { low, high }, form, levels)?.split(' ')[0] ?? null;
    expect([said(0, 100), said(30, 40), said(30, 50), said(30, 51), said(7, 7), said(NaN, NaN)]).toEqual([
      null,
      'status.flat',
      'status.flat',
      null,
      'status.constant',
      'status.empty',
    ]);
    expect([said(30, 40, 'surface'), said(NaN, NaN, 'surface')]).toEqual([null, 'status.empty']);
  });
});
