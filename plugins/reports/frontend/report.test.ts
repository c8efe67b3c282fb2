import type { CardSpec } from '@insight-host/api';
import { describe, expect, it } from 'vitest';
import { blockOf, partsOf } from './report';

const card: CardSpec = { plugin: 'scalar', card: 'a`b', state: { runs: 'a', 'scalar.x': 'wall' } };

describe('the text of a report', () => {
  it('has cards between its texts, as the menu of a card writes them', () => {
    const text = `# Title\r\n\n${blockOf(card)}\n\nThe end\n${blockOf(card)}`;
    expect(partsOf(text).map((part) => (part.kind === 'card' ? part.card : part.kind))).toEqual([
      'text',
      card,
      'text',
      card,
    ]);
  });

  it.each([
    '```card\n{\n```',
    '```card\n{"plugin": "scalar", "card": "x", "state": {"a": 1}}\n```',
    '```card\n[]\n```',
  ])('says of a block that is not a card that it is damaged: %s', (block) =>
    expect(partsOf(block)).toEqual([{ kind: 'damaged', text: block }]),
  );

  it('leaves other blocks to Markdown', () => {
    const text = '```json\n{}\n```\n    ```card\n';
    expect(partsOf(text)).toEqual([{ kind: 'text', text }]);
  });
});
