import { render } from 'preact';
import { expect, it, vi } from 'vitest';
import { Page, PageProvider } from '../state/page';
import { TagTree } from './tag_tree';

it('the tree of tags says why it has none', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ error: 'the disk is gone', code: 'lost' }, { status: 503 }));
  const host = document.body.appendChild(document.createElement('div'));
  render(
    <PageProvider value={new Page()}>
      <TagTree plugin="scalar" />
    </PageProvider>,
    host,
  );
  await vi.waitFor(() => expect(host.querySelector('[role=alert]')?.textContent).toBe('the disk is gone'));
  render(null, host);
  host.remove();
});
