// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { icon } from './icon';

it('draws a mark in its colour, and a dot for a name that this page does not know', () => {
  expect(icon('mark-3').getAttribute('class')).toBe('ih-icon ih-mark ih-mark-3');
  const unknown = icon('of a newer page');
  expect(unknown.tagName.toLowerCase()).toBe('svg');
  expect(unknown.querySelector('path')?.getAttribute('d')).toBe('M8 8h.1');
});
