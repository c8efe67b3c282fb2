import { afterEach, expect, it, vi } from 'vitest';
import { Preferences } from './preferences';
import { ViewUrl } from './url';

afterEach(() => vi.unstubAllGlobals());

it('a colour of a theme is looked up once, and again in another theme', () => {
  const style = vi.fn((_: Element) => ({ getPropertyValue: () => ` of ${document.documentElement.dataset['theme']}` }));
  vi.stubGlobal('getComputedStyle', style);
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }));
  const preferences = new Preferences(new ViewUrl({ hash: () => '#theme=light', write: () => {}, onMove: () => {} }));
  const colors = (): readonly string[] => ['--text', '--text'].map((name) => preferences.theme.value.token(name));
  expect([colors(), colors(), style.mock.calls.length]).toEqual([
    ['of light', 'of light'],
    ['of light', 'of light'],
    1,
  ]);
  preferences.setTheme('dark');
  expect([colors(), style.mock.calls.length]).toEqual([['of dark', 'of dark'], 2]);
});
