import { beforeEach, describe, expect, it } from 'vitest';
import { addStyles, addStylesFirst } from './tab';

describe('styles of tabs and cards', () => {
  beforeEach(() => void (document.adoptedStyleSheets = []));
  const sheets = (): number => document.adoptedStyleSheets.length;

  it('are in the page once, until the last card that needs them has ended', () => {
    const ends = [1, 2, 3].map(() => addStyles({ name: 'text' }, 'p { color: red }'));
    expect(sheets()).toBe(1);
    ends[0]?.();
    ends[0]?.();
    ends[1]?.();
    expect(sheets()).toBe(1);
    ends[2]?.();
    expect(sheets()).toBe(0);
    addStyles({ name: 'text' }, 'p { color: red }')();
    expect(sheets()).toBe(0);
  });

  it('come after those of the kit, whichever is added first', () => {
    const own = addStyles({ name: 'image' }, 'p { color: red }');
    const [sheet] = document.adoptedStyleSheets;
    const kit = addStylesFirst('p { color: blue }');
    expect(document.adoptedStyleSheets.at(-1)).toBe(sheet);
    expect(sheets()).toBe(2);
    kit();
    own();
  });
});
