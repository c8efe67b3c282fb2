import type { RunColumn } from '@insight-host/api';
import { expect, it } from 'vitest';
import contributions from './contributions';

const column: RunColumn = {
  plugin: 'lineage',
  name: 'metric/accuracy',
  title: 'accuracy',
  kind: 'number',
  group: 'metric',
  values: { low: 0.5, middle: 0.75, high: 1, none: 'NaN' },
};

it('metrics have a bar by their place among all runs, other columns have none', () => {
  const look = contributions.columns(column);
  const shown = ([0.5, 0.75, 1, 'NaN'] as const).map((value) => look?.cell(value));
  expect(shown.map((cell) => cell?.textContent)).toEqual(['0.5', '0.75', '1', 'NaN']);
  const parts = shown.map((cell) => /accent-bg\) ([\d.]+)%/.exec(cell?.style.backgroundImage ?? '')?.[1]);
  expect(parts).toEqual(['0', '50', '100', undefined]);
  expect(contributions.columns({ ...column, group: 'hyperparameter' })).toBeNull();
  expect(contributions.columns({ ...column, plugin: 'other' })).toBeNull();
});
