import { expect, test } from 'vitest';
import type { Page } from '@insight-host/kit';
import { reasonText, savesText } from './texts';
import { tab as en } from '../../insight_profiler/locales/en.json';

const texts: Readonly<Record<string, string>> = en;
const board = {
  page: {
    locale: { value: 'en' },
    t: (key: string, words: Readonly<Record<string, string>> = {}) =>
      (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? ''),
  } as unknown as Page,
  profiles: { profile: { value: null }, query: { value: { run: 'run' } } },
};

const saved = (saves: number | null, most: number | null, more = {}): string =>
  savesText(board, { saves, most, basis: 'replay', later: null, ...more });

test('what a change saves is a range where both ends differ', () => {
  expect(saved(0.2, 0.41)).toBe('saves about 20 % to 41 % of a step');
  expect(saved(0.2004, 0.2006)).toBe('saves about 20 % of a step');
  expect(saved(0.0002, 0.29)).toBe('saves up to about 29 % of a step');
  expect(saved(0.3, 0.3, { basis: 'share' })).toBe('saves about 30 % of a step, if none of this time is left');
  expect(saved(null, null, { basis: null })).toBe('');
});

test('what is saved only once the host keeps up says so', () => {
  expect(saved(0, 0.3, { later: 0.3 })).toBe('saves about 30 % of a step once the host keeps up');
  expect(saved(0.1, 0.3, { later: 0.3 })).toBe('saves about 10 % of a step, 30 % once the host keeps up');
});

test('a reason that is a detail of another is in the language of the page, too', () => {
  const messages = { en: { 'reason.both': '{first}; {second}', 'reason.one': 'one of {count}' } };
  const one = { error: 'eins', code: 'one', details: { count: 2 } };
  const both = { error: 'beides', code: 'both', details: { first: one, second: one } };
  expect(reasonText(board, { messages }, both)).toBe('one of 2; one of 2');
});
