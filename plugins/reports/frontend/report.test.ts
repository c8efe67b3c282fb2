import type { CardSpec } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { blockOf, blocksOf, definitionsOf, fenceOf, moved, textOf } from './report';

const card: CardSpec = { plugin: 'scalar', card: 'a`b', state: { runs: 'a', 'scalar.x': 'wall' } };
const kinds = (text: string): readonly unknown[] =>
  blocksOf(text).map((part) => (part.kind === 'card' ? part.card : part.kind));

describe('the text of a report', () => {
  it('has cards between its texts, as the menu of a card writes them', () => {
    const text = `# Title\r\n\n${fenceOf(card)}\n\nThe end\n${fenceOf(card)}`;
    expect(kinds(text)).toEqual(['text', card, 'text', card]);
  });

  it.each([
    '```card\n{\n```',
    '```card\n{"plugin": "scalar", "card": "x", "state": {"a": 1}}\n```',
    '```card\n[]\n```',
  ])('says of a block that is not a card that it is damaged: %s', (block) =>
    expect(blocksOf(block)).toMatchObject([{ kind: 'damaged', text: block }]),
  );

  it('leaves other blocks to Markdown', () => {
    const text = '```json\n{}\n```\n    ```card\n';
    expect(kinds(text)).toEqual(['text']);
    expect(textOf(blocksOf(text))).toBe(text);
  });

  it.each([
    ['paragraphs', 'one\ntwo\n\nthree\n', ['one\ntwo', 'three']],
    ['a fence with empty lines', '```py\na\n\nb\n```\n\nend', ['```py\na\n\nb\n```', 'end']],
    ['a loose list and what belongs to its items', '- a\n\n- b\n\n  more\n\nend', ['- a\n\n- b\n\n  more', 'end']],
    ['a formula with empty lines', '$$\na\n\nb\n$$\n\nend', ['$$\na\n\nb\n$$', 'end']],
    ['elements of HTML', '<table>\n\n<tr></tr>\n\n</table>\n\nend', ['<table>\n\n<tr></tr>\n\n</table>', 'end']],
    ['a fence that nobody closed', 'a\n\n```\nb\n\nc', ['a', '```\nb\n\nc']],
    ['a card in a fence', '~~~\n\n```card\n{}\n```\n~~~', ['~~~\n\n```card\n{}\n```\n~~~']],
  ])('stays whole where a block ends: %s', (_, text, blocks) =>
    expect(blocksOf(text).map((block) => block.text)).toEqual(blocks),
  );

  it.each(['', '\n\n# a\n\n\n\nb  \n\n', `a\n\n${fenceOf(card)}\n\n\nb`, '- a\n\n\n- b\n\n\n\n'])(
    'keeps every letter of what nobody edits: %j',
    (text) => expect(textOf(blocksOf(text)).trim()).toBe(text.trim()),
  );

  it('keeps its empty lines where a block between them is edited', () => {
    const blocks = blocksOf('a\n\n\n\nb\n\nc\n');
    expect(textOf(blocks.with(1, blockOf('other', blocks[1]?.gap)))).toBe('a\n\n\n\nother\n\nc\n');
  });

  it('has blocks apart that were moved from its end', () => {
    expect(textOf(moved(blocksOf('a\n\nb\n\nc'), 2, 0))).toBe('c\n\na\n\nb\n\n');
  });

  it('knows blocks again that did not change, so that their charts stay', () => {
    const before = blocksOf(`a\n\n${fenceOf(card)}\n\na`);
    const after = blocksOf(`new\n\na\n\n${fenceOf(card)}`, before);
    expect(after.slice(1).map(({ id }) => id)).toEqual(before.slice(0, 2).map(({ id }) => id));
    expect(new Set(after.map(({ id }) => id)).size).toBe(3);
  });

  it('has definitions of links in one block for all others', () => {
    expect(definitionsOf(blocksOf('[a][1]\n\nb\n\n[1]: https://example.org/\n'))).toBe('[1]: https://example.org/');
  });
});
