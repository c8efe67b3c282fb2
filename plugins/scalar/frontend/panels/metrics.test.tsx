// @vitest-environment happy-dom
import type { Query } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import { scalarParts, type ScalarParts } from '../board';
import { useMetrics } from './metrics';

it('values are never shown as those of the metric that was chosen since', async () => {
  const json = async (_: string, { tag }: Query): Promise<unknown> => {
    if (String(tag) === 'b') throw new Error('lost');
    return { summaries: [{ tag: 'a', runs: ['r'], values: [1] }] };
  };
  const page = new Page(fakeContext(['r'], { series: { r: ['a', 'b'] }, json }));
  const board = scalarParts(page);
  const shown: string[] = [];
  const Values = ({ board: parts, text }: { readonly board: ScalarParts; readonly text: string }): null => {
    const { values, error } = useMetrics(parts, [text]);
    shown.push(`${text} ${values?.[0]?.get('r') ?? '-'} ${error ?? ''}`);
    return null;
  };
  const host = document.createElement('div');
  const show = (text: string): Promise<void> => act(() => render(<Values board={board} text={text} />, host));
  await show('last/a');
  await expect.poll(() => shown.at(-1)).toBe('last/a 1 ');
  await show('last/b');
  await expect.poll(() => shown.at(-1)).toBe('last/b - lost');
  expect(shown).not.toContainEqual(expect.stringContaining('last/b 1'));
  render(null, host);
  page.dispose();
});
