import { expect, test } from 'vitest';
import { CATEGORIES, VIEWS } from './contract';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

const catalogues: Readonly<Record<string, Readonly<Record<string, string>>>> = { en, zh };
const sources = import.meta.glob('./**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }) as Readonly<Record<string, string>>;

test('both languages say the same things, with the same values in them', () => {
  const holes = (text: string): readonly string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
  const plural = (key: string): boolean => key.endsWith('.one') && key.slice(0, -4) in en;
  expect(Object.keys(en).filter((key) => !(key in zh) && !plural(key))).toEqual([]);
  expect(Object.keys(zh).filter((key) => !(key in en))).toEqual([]);
  for (const [key, text] of Object.entries(catalogues['zh'] ?? {})) expect([key, holes(text)]).toEqual([key, holes((en as Record<string, string>)[key] ?? '')]);
});

test('every text that is asked for by its name is there', () => {
  const kit = import.meta.glob('../../../../frontend/kit/locales/en.json', { import: 'default', eager: true }) as Readonly<Record<string, Record<string, string>>>;
  const known = { ...Object.values(kit)[0], ...en } as Record<string, string>;
  const asked = Object.entries(sources).filter(([file]) => !file.includes('.test.')).flatMap(([file, text]) => [...text.matchAll(/(?:say|board\.t)\('([^'$]+)'/g)].map(([, key]) => `${file}: ${key}`));
  expect(asked.length).toBeGreaterThan(100);
  expect(asked.filter((one) => !((one.split(': ')[1] ?? '') in known))).toEqual([]);
  for (const view of [...VIEWS, 'compare']) expect(known).toHaveProperty([`view.${view}`]);
  for (const name of CATEGORIES) expect(known).toHaveProperty([`category.${name}`]);
});
