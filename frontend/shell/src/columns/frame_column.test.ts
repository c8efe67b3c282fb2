import type { Run } from '@insight-host/api';
import { Column, Frame, type ColumnType, type Value } from '@insight-host/kit/runs';
import { describe, expect, it } from 'vitest';
import { orderOf } from './frame_column';

const RUNS = ['a', 'b', 'c', 'd'].map((name) => ({ name }) as Run);
const column = (name: string, type: ColumnType, ...cells: readonly Value[]): Column =>
  new Column(
    { name: `p/${name}`, title: name, type, group: '', count: cells.length },
    RUNS.map((_, at) => cells[at] ?? null),
  );
const COLUMNS = new Frame(
  RUNS.map(({ name }) => name),
  [column('net', 'str', 'n10', 'n9', 'n10', 'n9'), column('loss', 'float', 'NaN', 3, 20)],
);
const sorted = (...keys: string[]): string =>
  orderOf(
    keys,
    COLUMNS,
    new Set(['c', 'd']),
  )?.(RUNS)
    .map(({ name }) => name)
    .join('') ?? 'as before';

describe('the order of runs', () => {
  it('follows the first key, then the next; numbers in texts count as numbers', () => {
    expect(sorted('+p/net')).toBe('bdac');
    expect(sorted('+p/net', '-p/loss')).toBe('bdca');
    expect(sorted('-p/net', '+p/loss')).toBe('cabd');
  });
  it('has runs without a number last, either way', () => {
    expect([sorted('+p/loss'), sorted('-p/loss')]).toEqual(['bcad', 'cbad']);
  });
  it('may begin with the selected ones', () => {
    expect(sorted('selected', '-p/loss')).toBe('cdba');
  });
  it('is left alone by keys that the page sorts by, and by columns that are not there', () => {
    expect([sorted('time'), sorted('name', '+p/loss'), sorted('+gone/away')]).toEqual(Array(3).fill('as before'));
  });
});
