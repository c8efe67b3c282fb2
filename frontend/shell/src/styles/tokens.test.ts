import { describe, expect, it } from 'vitest';
import css from './tokens.css?raw';

type Tokens = ReadonlyMap<string, string>;

function tokensOf(block: string): Tokens {
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[\da-f]{6})\s*;/g)].map(([, name = '', color = '']) => [name, color]),
  );
}

const light = tokensOf(css.slice(0, css.indexOf("[data-theme='dark']")));
const dark = tokensOf(css.slice(css.indexOf("[data-theme='dark']")));

/** Relative luminance, WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(tokens: Tokens, front: string, behind: string): number {
  const [darker = 0, lighter = 0] = [front, behind]
    .map((name) => luminance(tokens.get(name) ?? '#000000'))
    .sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('the colours of the %s theme', (_, tokens) => {
  it.each(['text', 'muted', 'faint', 'danger', 'warn', 'ok'])(
    '%s can be read on the page, on cards and in dialogs',
    (name) => {
      for (const behind of ['bg', 'surface', 'raised'])
        expect(contrast(tokens, name, behind)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each([
    ['accent-text', 'accent-bg'],
    ['on-accent', 'accent'],
    ['warn', 'warn-bg'],
  ])('%s can be read on %s', (front, behind) => {
    expect(contrast(tokens, front, behind)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['border-strong', 'accent'])('%s makes out the edge of a control', (name) => {
    for (const behind of ['bg', 'surface', 'raised']) expect(contrast(tokens, name, behind)).toBeGreaterThanOrEqual(3);
  });
});
