import { expect, it, vi } from 'vitest';
import { showText, withMarks } from './texts';

const formulasOf = (text: string): readonly string[] => withMarks(text).formulas.map(({ tex }) => tex);

it.each([
  ['the sum $a_1 + b$ and $c$', ['a_1 + b', 'c']],
  ['$$\n\\frac{a}{b}\n$$', ['\\frac{a}{b}']],
  ['in $$x$$ a line', ['x']],
  ['a price \\$5 in $x\\$y$', ['x\\$y']],
])('finds formulas: %j', (text, formulas) => expect(formulasOf(text)).toEqual(formulas));

it.each([
  'between $5 and $6',
  '$5-$6',
  'US$5 for 6$',
  '$5 or 6$ a day',
  'one $ alone',
  '$ a $',
  '`$a$`',
  '```sh\necho $a $b$\n```',
  '~~~\n$a$\n\n$b$',
  '$HOME/runs and $PATH',
  '',
])('leaves money, code and shells as they are: %j', (text) => expect(withMarks(text)).toEqual({ text, formulas: [] }));

it('draws MathML between words, and keeps a formula that it cannot read', async () => {
  // happy-dom has no doctype
  Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat', configurable: true });
  const host = document.createElement('div');
  showText(host, 'so $x^2$ and $\\frac{$ and **$a*b*c$** `$d$`', '', (reason) => `failed: ${reason}`);
  await vi.waitFor(() => expect(host.querySelectorAll('math')).toHaveLength(2));
  expect(host.querySelector('.bad')?.textContent).toBe('$\\frac{$');
  expect(host.querySelector('.bad')?.getAttribute('title')).toContain('failed: ');
  expect(host.querySelector('strong math')).not.toBeNull();
  expect(host.querySelector('code')?.textContent).toBe('$d$');
});
