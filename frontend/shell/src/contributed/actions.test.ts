import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import type { Shower } from '../state/late';
import type { AllContributions } from './all';
import { give, loaded, type Modules } from './testing';

describe('actions that plugins contribute', () => {
  let page: Page;
  let all: AllContributions;
  let shower: Shower;

  const load = async (modules: Modules): Promise<void> => {
    all = await loaded(page, modules);
  };

  beforeEach(() => {
    localStorage.clear();
    page = new Page();
    page.preferences.setLocale('en');
    const { url, runs } = page;
    shower = { name: 'shows', visible: signal(true), signal: new AbortController().signal, url, runs };
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  it('are offered for cards, get the card with the state that its tab has, and failures are shown', async () => {
    const run = vi.fn();
    const bad = (): never => {
      throw new Error('full');
    };
    const cardActions = [
      { id: 'add', text: 'tidy', run },
      { id: 'bad', text: 'card', run: bad },
    ];
    await load({ mine: give({ cardActions: [...cardActions, null as never] }) });
    page.url.set('shows.smooth', '0.9');
    page.url.set('shows.full', 'loss');
    page.url.set('other.smooth', '0.1');
    page.url.set('runs', 'a;b');
    const found = all.shownIn(shower).cardActions;
    expect(found.map(({ id, text }) => [id, text]).slice(1)).toEqual([
      ['mine-add', 'Tidy up'],
      ['mine-bad', 'A card'],
    ]);
    found[1]?.run('loss');
    const spec = { plugin: 'shows', card: 'loss', state: { 'shows.smooth': '0.9', runs: 'a;b' } };
    expect(run).toHaveBeenCalledWith(spec, expect.objectContaining({ name: 'mine' }));
    found[2]?.run('loss');
    await vi.waitFor(() => expect(page.toasts.list.value.map(({ text }) => text).join()).toContain('full'));
  });

  it('are offered for runs, each with the plugin that has it', async () => {
    const run = vi.fn();
    await load({ mine: give({ runActions: [{ id: 'tidy', text: 'tidy', run }, null as never] }) });
    const found = all.runActionsOf('a/b');
    expect(found.map(({ action, text }) => [action, text])).toEqual([['mine-tidy', 'Tidy up']]);
    found[0]?.onPress?.();
    expect(run).toHaveBeenCalledWith('a/b', expect.objectContaining({ name: 'mine' }));
  });
});
