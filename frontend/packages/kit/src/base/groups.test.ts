import { describe, expect, it, vi } from 'vitest';
import { byName, groupTags, PINNED, seriesCards, tagCards, tagFilter, titleParts } from './groups';
import { fakeRun } from '../testing';
import { bytesText, durationText, fileName, timeText, valueText } from './texts';

describe('groups', () => {
  it('share what stands before the first slash', () => {
    expect(groupTags(['train/loss', 'lr', 'train/acc', 'val/a/b', '/odd'])).toEqual([
      { name: 'val', tags: ['val/a/b'] },
      { name: 'train', tags: ['train/acc', 'train/loss'] },
      { name: '', tags: ['/odd', 'lr'] },
    ]);
    expect(groupTags(['system/cpu', 'loss', 'train/loss']).map(({ name }) => name)).toEqual(['train', '', 'system']);
    expect(groupTags(['hparam/acc', 'loss', 'val/acc', 'system/cpu']).map(({ name }) => name)).toEqual([
      'val',
      '',
      'system',
      'hparam',
    ]);
    expect(groupTags(['=a/x - b', '=c/d']).map(({ name }) => name)).toEqual(['=']);
    expect(groupTags(['a/10', 'a/9'])[0]?.tags).toEqual(['a/9', 'a/10']);
    expect(titleParts('val/a/b')).toEqual(['val/', 'a/b']);
  });
  it('stand in the order in which people look at them, and so do their tags', () => {
    const tags = 'lr/adam system/gpu train/lr train/grad_norm train/loss hparam/acc grads/a eval/loss loss/a val/acc';
    expect(
      groupTags([...tags.split(' '), 'epoch', 'lr', 'loss', 'val_loss', 'training_loss', 'learning_rate']),
    ).toEqual(
      [
        ['eval', 'eval/loss'],
        ['val', 'val/acc'],
        ['train', 'train/loss', 'train/grad_norm', 'train/lr'],
        ['loss', 'loss/a'],
        ['grads', 'grads/a'],
        ['', 'val_loss', 'training_loss', 'loss', 'epoch', 'learning_rate', 'lr'],
        ['lr', 'lr/adam'],
        ['system', 'system/gpu'],
        ['hparam', 'hparam/acc'],
      ].map(([name, ...own]) => ({ name, tags: own })),
    );
    expect(groupTags(['valley/a', 'a/b', 'trainer/a']).map(({ name }) => name)).toEqual(['a', 'trainer', 'valley']);
  });
  it('hold one card for each tag, pinned ones first', () => {
    expect(
      tagCards(['a/1', 'b', 'a/2'], ['b']).map(({ name, kind, cards }) => [name, kind, cards.map((card) => card.tag)]),
    ).toEqual([
      [PINNED, 'pinned', ['b']],
      ['a', 'prefix', ['a/1', 'a/2']],
    ]);
    expect(tagCards([], [])).toEqual([]);
  });
  it('hold one card for each run of a tag', () => {
    const groups = seriesCards(
      ['lr', 'a/10', 'a/9'],
      ['lr'],
      new Map(['lr', 'a/9', 'a/10'].map((tag) => [tag, (tag === 'lr' ? ['r1', 'r2'] : ['r1']).map(fakeRun)])),
    );
    expect(groups.map(({ name, cards }) => [name, cards.length])).toEqual([
      ['lr', 2],
      ['a/9', 1],
      ['a/10', 1],
    ]);
    expect(groups[0]).toEqual({
      name: 'lr',
      kind: 'tag',
      cards: [
        { tag: 'lr', run: 'r1' },
        { tag: 'lr', run: 'r2' },
      ],
    });
  });
  it('are filtered by a regular expression, or by the text where it is none', () => {
    expect(tagFilter('^TRAIN').matches('train/loss')).toBe(true);
    expect(tagFilter('(').error).not.toBeNull();
    expect(tagFilter('f(').matches('f(x)')).toBe(true);
  });
  it('are filtered by the text of an expression that takes too long', async () => {
    vi.stubGlobal('Worker', undefined); // the same as one that does not answer
    const filter = tagFilter('(a+)+$');
    expect([filter.matches(`${'a'.repeat(3000)}!`), filter.error]).toEqual([false, null]);
    await Promise.resolve();
    expect(['aaa', 'the (A+)+$'].filter(filter.matches)).toEqual(['the (A+)+$']);
    expect(filter.error).toBe('slow');
  });
});

describe('names', () => {
  it('are sorted with decimals as numbers', () => {
    const sorted = ['a', 'lr0.001', 'lr0.01_w2', 'lr0.01_w16', 'lr0.1', 'lr1e-5', 'lr2', 'LR10', 'x'];
    const expected = ['a', 'lr1e-5', 'lr0.001', 'lr0.01_w2', 'lr0.01_w16', 'lr0.1', 'lr2', 'LR10', 'x'];
    expect([...sorted].reverse().sort(byName)).toEqual(expected);
    expect(['b', 'a2', 'a', 'A', '2', '1.5'].sort(byName)).toEqual(['1.5', '2', 'A', 'a', 'a2', 'b']);
  });
});

describe('texts', () => {
  it('show values and durations', () => {
    expect([
      valueText(0.1234567),
      valueText(-1e-9),
      valueText(123456.75),
      valueText(NaN),
      valueText(-Infinity),
      valueText(0),
    ]).toEqual(['0.123457', '−1e−9', '123456.8', 'NaN', '−Inf', '0']);
    const given = [0, 0.0000123, 0.0006092, 0.0331, 0.9996, 1.64, 33.3, 59.7, 124, 3723, 90061, -1.5, NaN];
    expect(given.map((seconds) => durationText(seconds, 'en'))).toEqual(
      '0 s,12 µs,0.6 ms,33 ms,1 s,1.6 s,33 s,1 m 00 s,2 m 04 s,1 h 02 m,1 d 01 h,−1.5 s,–'.split(','),
    );
    expect([durationText(124, 'zh-CN'), durationText(0.033, 'zh-CN')]).toEqual(['2分04秒', '33毫秒']);
    expect([durationText(12.3456, 'en', 4), durationText(3723, 'en', 4)]).toEqual(['12.35 s', '1 h 02 m 03 s']);
    expect([
      fileName('loss/auto', 'svg', 'scalar'),
      fileName('../<x>', 'csv', 'scalar'),
      fileName('//', 'csv', 'scalar'),
    ]).toEqual(['loss_auto.svg', 'x.csv', 'scalar.csv']);
  });
  it('show times, also those that are beyond all dates', () => {
    for (const seconds of [9e12, -9e12, NaN, Infinity]) {
      expect(timeText(seconds, 'en')).toBe(String(seconds));
    }
  });

  it('show sizes', () => {
    expect([0, 999, 1000, 1500, 999_500, 1.2e9].map((size) => bytesText(size, 'en'))).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '1.5 kB',
      '1.0 MB',
      '1.2 GB',
    ]);
    expect([820_400, 6_327_149, 999_600, 3.2e12].map((size) => bytesText(size, 'en'))).toEqual([
      '820 kB',
      '6.3 MB',
      '1.0 MB',
      '3.2 TB',
    ]);
  });
});
