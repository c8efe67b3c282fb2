import { signal } from '@preact/signals';
import type { Contributed, ShownCard } from '@insight-host/api';
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cardParts, type CardParts } from '../base/card_parts';
import { Frame } from './frame';
import { Page } from '../base/page';
import { fakeContext } from '../testing';

describe('cards that plugins add to a tab', () => {
  const contributed = signal<Contributed>({ markers: () => () => undefined, cards: [], cardActions: [] });
  let board: CardParts;
  let host: HTMLElement;
  const card = (id: string, mount: ShownCard['mount']): ShownCard => ({ id, plugin: 'mine', title: id, mount });
  const show = (...cards: readonly ShownCard[]): void => void (contributed.value = { ...contributed.value, cards });

  beforeEach(() => {
    host = document.body.appendChild(document.createElement('div'));
    board = cardParts(new Page({ ...fakeContext(['a']), contributed }), false); // without series
    show();
    render(<Frame board={board} name="mine" tools={null} card={() => <i />} />, host);
  });
  afterEach(() => {
    render(null, host);
    board.page.dispose();
  });

  it('have a section of their own, which is not there without them', async () => {
    expect(host.querySelector('section.group')).toBeNull();
    show(card('one', (element) => ((element.textContent = 'there'), () => undefined)));
    await vi.waitFor(() => expect(host.querySelector('.card .added')?.textContent).toBe('there'));
    expect(host.querySelector('section.group')?.getAttribute('aria-label')).toBe('plugins.title');
  });

  it('stand above the toolbar, without a frame, if they are strips', async () => {
    const strip = card('answers', (element) => ((element.textContent = 'best'), () => undefined));
    contributed.value = { ...contributed.value, strips: [strip] };
    await vi.waitFor(() => expect(host.querySelector('.added')?.textContent).toBe('best'));
    expect(host.querySelector('.added')?.nextElementSibling?.getAttribute('role')).toBe('toolbar');
    expect(host.querySelector('section.group')).toBeNull();
    contributed.value = { ...contributed.value, strips: [] };
    await vi.waitFor(() => expect(host.querySelector('.added')).toBeNull());
  });

  it('stay as they are when others come, and end when the section is folded', async () => {
    const end = vi.fn();
    const mount = vi.fn(() => end);
    show(card('one', mount));
    await vi.waitFor(() => expect(mount).toHaveBeenCalledTimes(1));
    show(
      card('other', () => () => undefined),
      card('one', mount),
    );
    await vi.waitFor(() => expect(host.querySelectorAll('[data-from]')).toHaveLength(2));
    expect([mount.mock.calls.length, end.mock.calls.length]).toEqual([1, 0]);
    host.querySelector<HTMLElement>('[data-action="plugin-cards"]')?.click();
    await vi.waitFor(() => expect(end).toHaveBeenCalledTimes(1));
    expect(host.querySelectorAll('[data-from]')).toHaveLength(0);
  });

  it('say why one failed, beside the others, and try again', async () => {
    const mount = vi.fn<ShownCard['mount']>((_, failed) => {
      failed(new Error('boom'));
      return () => undefined;
    });
    show(
      card('bad', mount),
      card('good', (element) => ((element.textContent = 'there'), () => undefined)),
    );
    await vi.waitFor(() => expect(host.querySelector('[role="alert"] .reason')?.textContent).toBe('boom'));
    expect([...host.querySelectorAll('.added')].at(-1)?.textContent).toBe('there');
    host.querySelector<HTMLElement>('[data-action="retry"]')?.click();
    await vi.waitFor(() => expect(mount).toHaveBeenCalledTimes(2));
  });
});
