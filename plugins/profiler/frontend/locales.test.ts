import { expect, test } from 'vitest';
import { CATEGORIES } from './answers/steps';
import { VIEWS } from './navigation';
import { tab as en } from '../insight_profiler/locales/en.json';
import { tab as zh } from '../insight_profiler/locales/zh-CN.json';

const sources = import.meta.glob('./**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }) as Readonly<
  Record<string, string>
>;

const python = import.meta.glob('../insight_profiler/**/*.py', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>;

test('every text that is asked for by its name is there', () => {
  const kit = import.meta.glob('../../../frontend/packages/kit/src/locales/en.json', {
    import: 'base',
    eager: true,
  }) as Readonly<Record<string, Record<string, string>>>;
  const known = { ...Object.values(kit)[0], ...en } as Record<string, string>;
  const asked = Object.entries(sources)
    .filter(([file]) => !file.includes('.test.'))
    .flatMap(([file, text]) => [...text.matchAll(/(?:say|board\.t)\('([^'$]+)'/g)].map(([, key]) => `${file}: ${key}`));
  expect(asked.length).toBeGreaterThan(100);
  expect(asked.filter((one) => !((one.split(': ')[1] ?? '') in known))).toEqual([]);
  for (const view of [...VIEWS, 'compare']) expect(known).toHaveProperty([`view.${view}`]);
  for (const name of CATEGORIES) expect(known).toHaveProperty([`category.${name}`]);
});

test('every code of readers and of advice has a sentence', () => {
  const found = (pattern: RegExp, prefix: string): readonly string[] =>
    Object.values(python).flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => `${prefix}.${code}`));
  const keys = [...found(/\.note\(\s*"(\w+)"/g, 'note'), ...found(/\b(?:Unreadable|Note)\(\s*"(\w+)"/g, 'failure')];
  expect(keys.length).toBeGreaterThan(15);
  expect([...new Set(keys)].filter((key) => !(key in en))).toEqual([]);
  const causes = keys
    .filter((key) => key.startsWith('failure.'))
    .map((key) => key.replace('failure.', 'reason.profiler_failure_'));
  expect(causes.filter((key) => !(key in zh))).toEqual([]);
});

test('every table that the host declares has its texts', () => {
  const named = (pattern: RegExp): readonly string[] =>
    Object.values(python).flatMap((text) => [...text.matchAll(pattern)].map(([, key]) => key ?? ''));
  const labels = named(/TableView\(\s*"\w+",\s*"([\w.]+)"/g);
  const words = named(/TableFilter\(\s*"\w+",\s*"([\w.]+)"/g);
  expect(labels).toHaveLength(7);
  expect(words.length).toBeGreaterThan(3);
  for (const texts of [en, zh]) expect([...labels, ...words].filter((key) => !(key in texts))).toEqual([]);
});
