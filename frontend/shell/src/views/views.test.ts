import { describe, expect, it } from 'vitest';
import { fileName } from '../plugin/download';
import { firstDirectory } from './empty_logdir';
import { matching } from './palette';
import { splitName } from './run_row';

describe('run list', () => {
  it('keeps both ends of long names, whole letters, and all of short ones', () => {
    expect(splitName('short/name')).toEqual(['short/name', '']);
    const name = 'a-long-experiment-name/🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀/seed_1';
    const [head, tail] = splitName(name);
    expect(head + tail).toBe(name);
    expect(tail.endsWith('/seed_1')).toBe(true);
    expect([...tail]).toHaveLength(14);
  });
});

describe('command palette', () => {
  const all = ['my scalars', 'Scalars', 'resnet/lr=1', 'resnet/lr=2'].map((label) => ({ label, group: 'View' }));
  const labels = (query: string): string[] => matching(all, query).map((one) => one.label);
  it('puts what begins with the query first', () => expect(labels('scal')).toEqual(['Scalars', 'my scalars']));
  it('wants every word', () => expect(labels('lr=2 res')).toEqual(['resnet/lr=2']));
  it('takes signs as they are', () => expect(labels('(')).toEqual([]));
  it('shows everything for nothing', () => expect(labels('  ')).toHaveLength(4));
});

describe('words', () => {
  it.each([
    ['/logs', '/logs'],
    ['/a, /b', '/a'],
    ['mine:/data/logs,other:/x', '/data/logs'],
    ['C:\\logs', 'C:\\logs'],
    ['', 'logs'],
  ])('finds the first directory of %s', (location, directory) => expect(firstDirectory(location)).toBe(directory));
  it('makes names that file systems take', () => {
    expect(fileName('train/loss: a<b>.csv')).toBe('train_loss_ a_b_.csv');
    expect(fileName('')).toBe('download');
  });
});
