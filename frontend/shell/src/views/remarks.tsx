/** Messages of the host about a tab: their code is loaded with the first of them. */
import { usePage } from '../state/page';
import { useLater } from './later';
import type { RemarksProps } from './plugin_remarks';

export function Remarks({ tab, title, onSlow = false }: RemarksProps) {
  const page = usePage();
  const { contributions } = page;
  const hasAny =
    !!onSlow ||
    page.missed(tab.name) !== null ||
    Object.keys(tab.sampled ?? {}).length > 0 ||
    (tab.warnings ?? []).length > 0 ||
    !!contributions.value?.troublesOf(tab.name, title);
  const later = useLater(() => import('./plugin_remarks'), hasAny);
  return later && <later.PluginRemarks tab={tab} title={title} onSlow={onSlow} />;
}
