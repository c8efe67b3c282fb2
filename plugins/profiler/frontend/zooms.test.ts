import { expect, test } from 'vitest';
import { zoomOf, zoomText } from './zooms';

test('zooms go through the URL', () => {
  for (const zoom of [
    { x: [1, 2.5], y: null },
    { x: null, y: [-3, 4] },
    { x: [1e-7, 2], y: [0, 1e9] },
  ] as const)
    expect(zoomOf(zoomText(zoom))).toEqual(zoom);
  expect(zoomText({ x: [1, 2], y: null })).toBe('1:2::');
  for (const text of ['', ':::', 'a:b::', '2:1::', '1']) expect(zoomOf(text)).toBeNull();
});
