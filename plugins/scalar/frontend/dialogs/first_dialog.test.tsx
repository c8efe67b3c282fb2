import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { expect, it, vi } from 'vitest';
import { scalarParts } from '../board';
import contributions from '../contributions';
import { FirstDialog } from './first_dialog';
import en from '../../insight_scalar/locales/en.json';
import zh from '../../insight_scalar/locales/zh-CN.json';

it('an answer about another condition than the chosen one is not shown', async () => {
  const signals: AbortSignal[] = [];
  const ctx = fakeContext(['a'], { series: { a: ['loss'] } });
  const json = (_: string, __: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  const board = scalarParts(new Page(Object.assign(ctx, { data: { ...ctx.data, json } })));
  const host = document.body.appendChild(document.createElement('div'));
  render(<FirstDialog board={board} tag="loss" onClose={() => undefined} />, host);
  host.querySelector<HTMLButtonElement>('[data-action="first-find"]')?.click();
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  const kinds = host.querySelector('select');
  if (kinds) kinds.value = 'jump';
  kinds?.dispatchEvent(new Event('change', { bubbles: true }));
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
  render(null, host);
  board.page.dispose();
});

it('the search and the notes have one name, in the palette before the tab is opened and in the tab', () => {
  const { messages } = contributions;
  expect(messages.en).toEqual({ first: en['first.title'], notes: en['notes.title'] });
  expect(messages['zh-CN']).toEqual({ first: zh['first.title'], notes: zh['notes.title'] });
});
