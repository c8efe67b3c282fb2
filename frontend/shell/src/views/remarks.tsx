/** Messages of the host about a tab: their code is loaded with the first of them. */
import { usePage } from '../state/page';
import type { Tab } from '../state/session';
import { useLater } from './later';

export function Remarks({ tab, title }: { readonly tab: Tab; readonly title: string }) {
  const { contributions } = usePage();
  const hasAny =
    Object.keys(tab.sampled ?? {}).length > 0 ||
    (tab.warnings ?? []).length > 0 ||
    !!contributions.value?.troublesOf(tab.name, title);
  const later = useLater(() => import('./plugin_remarks'), hasAny);
  return later && <later.PluginRemarks tab={tab} title={title} />;
}
