import type { PluginContext } from '@insight-host/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Page } from '../state/page';
import { give, loaded, tabOf } from './testing';

describe('what a plugin starts', () => {
  let page: Page;
  beforeEach(() => {
    localStorage.clear();
    page = new Page();
    page.preferences.setLocale('en');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  it('is started once, may put a badge on its tab, and ends with the plugin', async () => {
    const end = vi.fn();
    const start = vi.fn((ctx: PluginContext) => {
      ctx.badge('2');
      return end;
    });
    await loaded(page, { mine: give({ start }), image: give({}) });
    expect([start.mock.calls.length, page.badges.value, end.mock.calls.length]).toEqual([1, { mine: '2' }, 0]);
    page.session.plugins.value = [tabOf('image')];
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('is reported when it throws, and the rest of the module stays', async () => {
    const start = (): void => {
      throw new Error('no luck');
    };
    const all = await loaded(page, { mine: give({ start, commands: [{ text: 'tidy', run: () => undefined }] }) });
    await vi.waitFor(() => expect(all.troublesOf('mine', '')?.lines.join()).toContain('no luck'));
    expect(all.commands).toHaveLength(1);
  });
});
