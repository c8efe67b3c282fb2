import { describe, expect, it } from 'vitest';
import { fileName } from './card_tools';
import { readForm, readThresholds, thresholdText, writeForm, EMPTY_FORM } from './conditions';
import { groupTags, tagFilter, titleParts } from './groups';
import { durationText, valueText } from './numbers';

describe('groups', () => {
  it('share what stands before the first slash', () => {
    expect(groupTags(['train/loss', 'lr', 'train/acc', 'val/a/b', '/odd'])).toEqual([
      { name: 'train', tags: ['train/acc', 'train/loss'] },
      { name: 'val', tags: ['val/a/b'] },
      { name: '', tags: ['/odd', 'lr'] },
    ]);
    expect(groupTags(['a/10', 'a/9'])[0]?.tags).toEqual(['a/9', 'a/10']);
    expect(titleParts('val/a/b')).toEqual(['val/', 'a/b']);
  });
  it('are filtered by a regular expression, or by the text where it is none', () => {
    expect(tagFilter('^TRAIN').matches('train/loss')).toBe(true);
    expect(tagFilter('(').error).not.toBeNull();
    expect(tagFilter('f(').matches('f(x)')).toBe(true);
  });
});

describe('threshold form', () => {
  const form = { ...EMPTY_FORM, value: '1' };
  it('takes numbers only', () => {
    expect(readForm({ ...form, value: '' })).toBe('threshold.not_a_number');
    expect(readForm({ ...form, value: 'Infinity' })).toBe('threshold.not_a_number');
    expect(readForm({ ...form, value: ' −1e-3 ' })).toEqual({ first: { operator: '>', value: -0.001 } });
    expect(readForm({ ...form, join: 'or', secondValue: 'x' })).toBe('threshold.second_not_a_number');
  });
  it('refuses conditions that nothing or everything satisfies', () => {
    expect(readForm({ operator: '<', value: '1', join: 'and', secondOperator: '>', secondValue: '2' })).toBe('threshold.contradiction');
    expect(readForm({ operator: '<', value: '2', join: 'or', secondOperator: '>', secondValue: '1' })).toBe('threshold.always');
    expect(readForm({ operator: '>', value: '1', join: 'and', secondOperator: '<', secondValue: '2' })).toEqual({
      first: { operator: '>', value: 1 },
      join: 'and',
      second: { operator: '<', value: 2 },
    });
  });
  it('comes back from what was remembered', () => {
    const threshold = { first: { operator: '<', value: 1 }, join: 'or', second: { operator: '>', value: 2 } } as const;
    expect(readForm(writeForm(threshold))).toEqual(threshold);
    expect(readThresholds({ a: threshold, b: { first: { operator: 'x', value: 1 } }, c: null, d: 'x' })).toEqual(new Map([['a', threshold]]));
    expect(readThresholds('junk').size).toBe(0);
    expect(thresholdText(threshold)).toBe('< 1 ∨ > 2');
  });
});

describe('texts', () => {
  it('show values and durations', () => {
    expect([valueText(0.1234567), valueText(-1e-9), valueText(123456.75), valueText(NaN), valueText(-Infinity), valueText(0)]).toEqual(['0.123457', '−1e−9', '123456.8', 'NaN', '−Inf', '0']);
    expect([durationText(3723, 'en'), durationText(0.25, 'en'), durationText(90061, 'zh-CN')]).toEqual(['1h 02m 03s', '0.25s', '1天01时01分']);
    expect([fileName('loss/auto', 'svg'), fileName('../<x>', 'csv'), fileName('//', 'csv')]).toEqual(['loss_auto.svg', 'x.csv', 'scalar.csv']);
  });
});
