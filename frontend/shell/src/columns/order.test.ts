import type { Run } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { orderOf } from './order';
import type { ShownColumn } from './run_columns';

const RUNS = ['a', 'b', 'c', 'd'].map((name) => ({ name }) as Run);
const column = (name: string, kind: ShownColumn['kind'], ...cells: ShownColumn['values'][string][]): ShownColumn => ({
  key: `p/${name}`,
  plugin: 'p',
  name,
  title: name,
  kind,
  group: '',
  look: null,
  values: Object.fromEntries(RUNS.map((run, at) => [run.name, cells[at]]).filter(([, cell]) => cell !== undefined)),
});
const COLUMNS = new Map(
  [column('net', 'text', 'n10', 'n9', 'n10', 'n9'), column('loss', 'number', 'NaN', 3, 20)].map((one) => [
    one.key,
    one,
  ]),
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
