import { expect, test } from 'vitest';
import { markupOf } from './bounded';

/** What a reader sees of a markup. */
function seen(markup: string | null): string {
  const element = document.createElement('div');
  element.innerHTML = markup ?? '';
  return (element.textContent ?? '').replace(/\s+/g, ' ').trim();
}

test.each([
  'the <unk> sat on <extra_id_0> and <pad> </s>',
  '<think>2 and 2</think> <answer>4</answer>',
  '<tool_call name="f">x</tool_call>',
  'vector<int> v; List<String> w; if (a <b and c> d) return;',
  '<eos>',
  '<xsl:value-of> <ns:tag> <think:fast>',
  'before <!-- a comment --> after',
  '<!DOCTYPE html> <?php ?> <![CDATA[x]]>',
  '<style>p{}</style> <title>t</title> <script>run()</script>',
  '<input value="typed"> <textarea>t</textarea> <prefix-p> <paragraph>',
  '<div>one</div>',
  '<a_b> <c_d> <iframe src="https://example.org/">',
  'a < b, a <b, <<<<',
])('signs in angle brackets are shown: %s', (text) => {
  expect(seen(markupOf(text))).toBe(text);
});

test('Markdown around and within what looks like a tag is rendered', () => {
  expect(markupOf('<think>\nso **it** is\n</think>\nand `<s>` too')).toBe(
    '<p>&lt;think&gt;\nso <strong>it</strong> is\n&lt;/think&gt;\nand <code>&lt;s&gt;</code> too</p>\n',
  );
});

test('elements that TensorBoard allows are elements, and what is unknown within them is text', () => {
  const markup = markupOf('<table><tr><td>a <unk> b</td></tr></table>\n\none<br>two <code>List<T> x</code>');
  expect(markup).toContain('<table><tr><td>a &lt;unk> b</td></tr></table>');
  expect(markup).toContain('one<br>two <code>List&lt;T&gt; x</code>');
});

test('an address within what looks like a tag does not become a link', () => {
  expect(markupOf('<iframe src="https://example.org/">')).not.toContain('<a');
});

test('an address in angle brackets is a link', () => {
  expect(markupOf('<https://example.org/a>')).toContain('<a href="https://example.org/a">');
  expect(markupOf('<me@example.org>')).toContain('<a href="mailto:me@example.org">');
});

test('boxes of a list of tasks are signs', () => {
  expect(seen(markupOf('- [x] done\n- [ ] open'))).toBe('☑ done ☐ open');
});

test.each([
  ['quotes', '>'.repeat(2000)],
  ['quotes after words', `answer:\n${'>'.repeat(4000)}`],
  ['quotes that lists hold', '> - '.repeat(1000)],
  ['lists in a line', `${'- '.repeat(1000)}x`],
  ['lists in lists', Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}- x\n`).join('')],
  ['numbered lists', '1. '.repeat(1000)],
  ['emphasis in emphasis', '*a '.repeat(500) + 'b* '.repeat(500)],
  ['emphasis of a long line', '*a'.repeat(100_000)],
  ['struck words', '~~a~'.repeat(50_000)],
  ['exclamations', '!'.repeat(100_000)],
  ['an address', `${'a.'.repeat(100_000)}@`],
  ['quotes and lines', '> a\nb\n'.repeat(50_000)],
  ['a long text', 'word '.repeat(100_001)],
])('no markup, at once: %s', (_, text) => {
  expect(markupOf(text)).toBeNull();
});

test.each([...'*_`~=-[(<&|#!+'].map((sign) => [sign]))('a thousand times %s is shown', (sign) => {
  for (const text of [sign.repeat(1000), `words\n${sign.repeat(1000)}`, `words\n\n${sign.repeat(1000)}`]) {
    const markup = markupOf(text);
    expect(markup === null ? text : seen(markup)).toContain(sign.repeat(1000));
  }
});

test('usual texts keep their form', () => {
  const quotes = '> '.repeat(8) + 'deep';
  expect(markupOf(quotes)).toContain('<blockquote>');
  expect(markupOf('Title\n=====\n\n---\n\n```\ncode\n```')).toMatch(/<h1>Title<\/h1>\s*<hr>\s*<pre><code>code/);
  expect(markupOf('a paragraph with **one** word of `code` in it.\n\n'.repeat(8000))).toContain('<strong>');
});
