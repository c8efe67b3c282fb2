import type { PluginContext } from '@insight-host/api';
import { expect, it } from 'vitest';
import contributions from './contributions';
import type { Report } from './report';

/** Saves texts as the host does: one that is not based on the last version is refused. */
function fakeContext(): { readonly ctx: PluginContext; readonly text: () => string } {
  let [version, text] = [0, ''];
  const saved = {
    get: async () => (version === 0 ? null : { value: { text }, version: String(version) }),
    set: async (_: string, value: Report, base: string | null) => {
      await Promise.resolve();
      if (base !== (version === 0 ? null : String(version))) throw new Error('changed by another page');
      [version, text] = [version + 1, value.text];
      return { version: String(version) };
    },
  };
  const memory = { get: () => '', set: () => undefined };
  const ctx = { saved, memory, t: (key: string) => key, notify: () => undefined } as unknown as PluginContext;
  return { ctx, text: () => text };
}

it('adds two cards to a report although the first is not saved yet', async () => {
  const { ctx, text } = fakeContext();
  const [action] = contributions.cardActions;
  await Promise.all(['loss', 'accuracy'].map((card) => action?.run({ plugin: 'scalar', card, state: {} }, ctx)));
  expect(text()).toMatch(/"loss"[^]*"accuracy"/);
});
