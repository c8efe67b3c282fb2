import { expect, it, vi } from 'vitest';
import { showWithFormulas, withMarks } from './with_formulas';

const formulasOf = (text: string): readonly string[] => withMarks(text).formulas.map(({ tex }) => tex);

it.each([
  ['the sum $a_1 + b$ and $c$', ['a_1 + b', 'c']],
  ['$$\n\\frac{a}{b}\n$$', ['\\frac{a}{b}']],
  ['in $$x$$ a line', ['x']],
  ['a price \\$5 in $x\\$y$', ['x\\$y']],
  ['so \\(a + b\\) is \\( \\frac{1}{2} \\)', ['a + b', '\\frac{1}{2}']],
  ['thus\n\\[\nx = 6\n\\]\nand \\[ y \\]', ['x = 6', 'y']],
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
  'as in \\[1\\] and \\(',
  '\\[ '.repeat(5000),
  '',
])('leaves money, code and shells as they are: %j', (text) => expect(withMarks(text)).toEqual({ text, formulas: [] }));

it('draws MathML between words, and keeps a formula that it cannot read', async () => {
  // happy-dom has no doctype
  Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat', configurable: true });
  const host = document.createElement('div');
  showWithFormulas(host, 'so $x^2$ and $\\frac{$ and **$a*b*c$** `$d$`', { failed: (reason) => `failed: ${reason}` });
  await vi.waitFor(() => expect(host.querySelectorAll('math')).toHaveLength(2));
  expect(host.querySelector('.bad')?.textContent).toBe('$\\frac{$');
  expect(host.querySelector('.bad')?.getAttribute('title')).toContain('failed: ');
  expect(host.querySelector('strong math')).not.toBeNull();
  expect(host.querySelector('code')?.textContent).toBe('$d$');
});

it('a formula has no links, classes, styles or pictures of its own, and a long one is not read', async () => {
  Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat', configurable: true });
  const host = document.createElement('div');
  const evil = [
    '\\href{javascript:alert(1)}{x}',
    '\\class{shell}{x}',
    '\\style{position:fixed}{x}',
    '\\includegraphics{http://a.example/x.png}',
    '\\text{<img src=x onerror=alert(1)>}',
    '\\def\\a{\\a\\a}\\a',
    `x${'^{x'.repeat(3000)}`,
  ];
  showWithFormulas(host, evil.map((tex) => `$${tex}$`).join(' and '), { failed: String });
  await vi.waitFor(() => expect(host.querySelector('math')).not.toBeNull());
  expect(host.querySelectorAll('a, img, script, .shell, [style*=fixed], [href], [onerror]')).toHaveLength(0);
  expect(host.querySelectorAll('.formula.bad').length).toBeGreaterThanOrEqual(2);
});
