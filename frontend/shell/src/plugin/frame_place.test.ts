import { describe, expect, it } from 'vitest';
import { addressOf, placeIn } from './frame_place';

const BASE = 'http://host/a/tensorboard/';

describe('the place of a frame', () => {
  it.each(['#timeseries', '?tagFilter=loss%7Cacc&runFilter=lr%3D0.1#scalars&regexInput=b%20c', '?smoothing=0.9', ''])(
    'comes back as it went, whatever the theme: %j',
    (place) => {
      for (const mode of ['light', 'dark'] as const) {
        const url = new URL(addressOf(BASE, place, mode));
        expect(url.searchParams.get('darkMode')).toBe(String(mode === 'dark'));
        expect(placeIn(url)).toBe(place);
      }
    },
  );

  it('has one theme: that of the page', () => {
    expect(addressOf(BASE, '?darkMode=true&x=1#text', 'light')).toBe(`${BASE}?darkMode=false&x=1#text`);
  });

  it.each([
    '//elsewhere.example/',
    'javascript:alert(1)',
    '../../data/runs',
    'https://elsewhere.example',
    '\\\\elsewhere.example',
    '@elsewhere.example',
  ])('leads nowhere else: %s', (place) => {
    const url = new URL(addressOf(BASE, place, 'light'));
    expect(url.origin + url.pathname).toBe(BASE);
  });
});
