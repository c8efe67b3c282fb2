import { fakeColumns } from '../testing';
import { describe, expect, it } from 'vitest';
import { decodeRecords, joined, recordQuery, type Records } from './records';

function table(steps: readonly number[], more: Partial<Records> = {}): Records {
  const shown = steps.length + (more.hidden ?? 0);
  const column = (of: (step: number) => number): Float64Array => Float64Array.from(steps, of);
  return {
    steps: column((s) => s),
    wallTimes: column((s) => s + 0.5),
    sizes: column((s) => s * 2),
    points: shown,
    kept: shown,
    hidden: 0,
    attempts: 'last',
    ...more,
  };
}

describe('tables of records', () => {
  it('are decoded, and name a record for ever', () => {
    const columns = fakeColumns(
      { steps: [3, 4], wall_times: [1.25, NaN], sizes: [10, -1] },
      { records: JSON.stringify({ points: 9, kept: 4, hidden: 2 }) },
    );
    const records = decodeRecords(columns, 'all');
    expect(records).toMatchObject({ points: 9, kept: 4, hidden: 2, attempts: 'all' });
    expect(recordQuery({ run: 'r', tag: 't' }, records, 0)).toEqual({
      run: 'r',
      tag: 't',
      index: 0,
      attempts: 'all',
      step: 3,
      wall_time: 1.25,
    });
  });

  it('are continued by what came after the last known record', () => {
    const known = table([1, 2, 3]);
    const tail = { ...table([3, 4, 5]), points: 5, kept: 5 };
    expect(joined(known, tail)).toEqual(table([1, 2, 3, 4, 5]));
    const restarted = table([1, 2], { hidden: 4 });
    expect(joined(restarted, { ...table([2, 3]), points: 7, kept: 7, hidden: 4 })).toEqual(
      table([1, 2, 3], { hidden: 4 }),
    );
    const unclocked = { ...table([1]), wallTimes: Float64Array.of(NaN) };
    expect(joined(unclocked, unclocked)).toBe(unclocked);
  });

  it('are not continued by what does not fit', () => {
    const known = table([1, 2, 3]);
    const tail = { ...table([3, 4]), points: 4, kept: 4 };
    expect(joined(known, tail)).not.toBeNull();
    for (const odd of [
      { hidden: 1 },
      { attempts: 'all' as const },
      { kept: 3 },
      { points: 9, kept: 9 },
      { steps: Float64Array.of(7, 8) },
      { wallTimes: Float64Array.of(0, 1) },
    ]) {
      expect(joined(known, { ...tail, ...odd }), JSON.stringify(odd)).toBeNull();
    }
    expect(joined(known, { ...table([3]), points: 3, kept: 3 }), 'a change before the last one').toBeNull();
    expect(joined(table([]), table([]))).toBeNull();
    expect(joined(table([1, 2], { points: 9 }), { ...table([2, 3]), points: 3, kept: 3 })).toBeNull();
  });
});
