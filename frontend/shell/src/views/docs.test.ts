import { expect, test } from 'vitest';
import { linked } from './docs';

const known = new Set(['how-to/share.md', 'reference/flags.md', 'words.md']);
const at = (text: string): string => linked(text, 'how-to/share.md', known);

test('links to pages that the host has lead there, from where the page is', () => {
  expect(at('see [Flags](../reference/flags.md) and [words](../words.md#run)')).toBe(
    'see [Flags](https://docs.invalid/reference/flags.md) and [words](https://docs.invalid/words.md)',
  );
});

test('links to what the host does not have are their text', () => {
  expect(at('[HTTP API](../http_api.md), [the code](../../insight_core/web/page.py), ![a picture](x.png)')).toBe(
    'HTTP API, the code, a picture',
  );
});

test('links to the web stay', () => {
  expect(at('[wandb](https://wandb.ai) by [mail](mailto:a@b.c)')).toBe(
    '[wandb](https://wandb.ai) by [mail](mailto:a@b.c)',
  );
});

test('code is left alone', () => {
  const code = '```python\nwriters["a"](step)\n```\n';
  expect(at(`${code}[here](x.md)`)).toBe(`${code}here`);
});
