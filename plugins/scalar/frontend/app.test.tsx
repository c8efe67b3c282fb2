import { signal } from '@preact/signals';
import type { Contributed, ShownCard } from '@insight-host/api';
import { Page } from '@insight-host/kit';
import { fakeContext } from '@insight-host/kit/testing';
import { render } from 'preact';
import { expect, it, vi } from 'vitest';
import { scalarParts } from './board';
import { CardsOfPlugins } from './app';
import { kindOfCard } from './panels/panels';

it('a card of a plugin leaves the section of plugins when the user has made it a panel', async () => {
  const contributed = signal<Contributed>({ markers: () => () => undefined, cards: [], cardActions: [] });
  const host = document.body.appendChild(document.createElement('div'));
  const board = scalarParts(new Page({ ...fakeContext(['a']), contributed }));
  const mount: ShownCard['mount'] = () => () => undefined;
  const card = { id: 'http://host/@1/contributions.js#one', plugin: 'mine', title: 'One', mount };
  contributed.value = { ...contributed.value, cards: [card] };
  render(<CardsOfPlugins board={board} />, host);
  expect(host.querySelectorAll('.card')).toHaveLength(1);
  board.panels.add({ kind: kindOfCard({ ...card, id: 'http://host/@2/contributions.js#one' }) });
  await vi.waitFor(() => expect(host.childElementCount).toBe(0));
  render(null, host);
  board.page.dispose();
});
