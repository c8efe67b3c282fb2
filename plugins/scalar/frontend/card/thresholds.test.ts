import { describe, expect, it } from 'vitest';
import { EMPTY_FORM, readForm, readThresholds, thresholdText, writeForm } from './thresholds';

describe('threshold form', () => {
  const form = { ...EMPTY_FORM, value: '1' };
  it('takes numbers only', () => {
    expect(readForm({ ...form, value: '' })).toBe('threshold.not_a_number');
    expect(readForm({ ...form, value: 'Infinity' })).toBe('threshold.not_a_number');
    expect(readForm({ ...form, value: ' −1e-3 ' })).toEqual({ first: { operator: '>', value: -0.001 } });
    expect(readForm({ ...form, join: 'or', secondValue: 'x' })).toBe('threshold.second_not_a_number');
  });
  it('refuses conditions that nothing or everything satisfies', () => {
    expect(readForm({ operator: '<', value: '1', join: 'and', secondOperator: '>', secondValue: '2' })).toBe(
      'threshold.contradiction',
    );
    expect(readForm({ operator: '<', value: '2', join: 'or', secondOperator: '>', secondValue: '1' })).toBe(
      'threshold.always',
    );
    expect(readForm({ operator: '>', value: '1', join: 'and', secondOperator: '<', secondValue: '2' })).toEqual({
      first: { operator: '>', value: 1 },
      join: 'and',
      second: { operator: '<', value: 2 },
    });
  });
  it('comes back from what was remembered', () => {
    const threshold = { first: { operator: '<', value: 1 }, join: 'or', second: { operator: '>', value: 2 } } as const;
    expect(readForm(writeForm(threshold))).toEqual(threshold);
    expect(readThresholds({ a: threshold, b: { first: { operator: 'x', value: 1 } }, c: null, d: 'x' })).toEqual(
      new Map([['a', threshold]]),
    );
    expect(readThresholds('junk').size).toBe(0);
    expect(thresholdText(threshold)).toBe('< 1 ∨ > 2');
  });
});
