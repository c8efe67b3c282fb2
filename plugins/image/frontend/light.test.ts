import { describe, expect, it } from 'vitest';
import { filterOf, lightText, parseLight, PLAIN, sameLight } from './light';

describe('brightness and contrast', () => {
  it('needs no filter when nothing changes', () => {
    expect(filterOf(PLAIN)).toBe('');
    expect(filterOf({ brightness: 120, contrast: 100 })).toBe('brightness(120%)');
    expect(filterOf({ brightness: 0, contrast: 250 })).toBe('brightness(0%) contrast(250%)');
  });

  it('stands in the URL', () => {
    expect(parseLight(lightText({ brightness: 120, contrast: 80 }))).toEqual({ brightness: 120, contrast: 80 });
    for (const wrong of ['', '100', '100,301', '-1,100', 'a,b']) expect(parseLight(wrong)).toBeNull();
    expect([
      sameLight(PLAIN, { brightness: 100, contrast: 100 }),
      sameLight(PLAIN, { brightness: 100, contrast: 99 }),
    ]).toEqual([true, false]);
  });
});
