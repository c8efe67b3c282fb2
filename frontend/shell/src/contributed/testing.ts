/** Plugins that contribute, for tests. */
import { API, type Contributions } from '@insight-host/api';
import type { Page } from '../state/page';
import type { Tab } from '../state/session';
import { AllContributions } from './all';

export const tabOf = (name: string): Tab => ({
  name,
  enabled: true,
  tab_name: name,
  loading_mechanism: {
    type: 'ES_MODULE',
    module_path: `${name}/index.js`,
    contributions_path: `${name}/contributions.js`,
  },
});
const messages = { en: { tidy: 'Tidy up', card: 'A card' }, 'zh-CN': { tidy: '整理' } };

/** A module with some texts. */
export const give = (given: Partial<Contributions>): Contributions => ({ apiVersion: API, messages, ...given });

/** Modules by the name of their plugin; one may be a promise that never ends. */
export type Modules = Readonly<Record<string, unknown>>;

/** What a page has of these modules, once those that end are there. */
export async function loaded(page: Page, modules: Modules): Promise<AllContributions> {
  page.session.plugins.value = Object.keys(modules).map(tabOf);
  const all = new AllContributions(page, async (url) => {
    const found = await modules[url.split('/').at(-2) as string];
    if (found instanceof Error) throw found;
    return { default: found };
  });
  page.contributions.value = all;
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  return all;
}
