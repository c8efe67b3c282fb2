// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { icon } from './icon';

it('draws a mark in its colour, and a dot for a name that this page does not know', () => {
  const [mark, other] = [icon('mark-3'), icon('mark-4')];
  expect(mark.getAttribute('class')).toBe('ih-icon ih-mark');
  expect([mark, other].map(({ style }) => style.getPropertyValue('--mark-hue'))).toEqual(['350', '145']);
  const unknown = icon('of a newer page');
  expect(unknown.tagName.toLowerCase()).toBe('svg');
  expect(unknown.querySelector('path')?.getAttribute('d')).toBe('M8 8h.1');
});
