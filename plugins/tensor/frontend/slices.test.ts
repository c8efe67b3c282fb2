import { describe, expect, it } from 'vitest';
import fixture from '../../../../tests/fixtures/slices.json';
import { parseSlice, SliceError } from './slices';

interface Case {
  readonly slice: string;
  readonly shape: readonly number[];
  readonly selected?: readonly (number | readonly number[])[];
  readonly error?: string;
}

describe('the grammar of slices, as the server has it', () => {
  it.each(
    (fixture.cases as readonly Case[]).map((one) => [`${JSON.stringify(one.slice)} of [${one.shape}]`, one] as const),
  )('%s', (_, { slice, shape, selected, error }) => {
    if (error) {
      let reason: string | null = null;
      try {
        parseSlice(slice, shape);
      } catch (refusal) {
        if (refusal instanceof SliceError) reason = refusal.reason;
      }
      expect(reason).toBe(error);
      return;
    }
    const found = parseSlice(slice, shape);
    expect(found.map(({ start, stop, open }) => (open ? [start, stop] : start))).toEqual(selected);
  });

  it('names the dimension that is wrong', () => {
    expect(() => parseSlice('0, x', [2, 2])).toThrow(expect.objectContaining({ reason: 'form', dimension: 1 }));
    expect(() => parseSlice('0, 2', [2, 2])).toThrow(expect.objectContaining({ reason: 'index', dimension: 1 }));
  });
});
