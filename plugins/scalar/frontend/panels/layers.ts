import type { ScalarParts } from '../board';
import { isPanelKey, type PanelLayer } from './panels';

/** What a card draws: its tag and the one on its right axis, or the tags of a panel. */
export function layersOf({ pairs, panels, tags }: ScalarParts, tag: string): readonly PanelLayer[] {
  const panel = isPanelKey(tag) ? panels.of(tag) : undefined;
  if (panel) return panels.layersOf(panel, tags.runsByTag.value.keys());
  const second = pairs.value.get(tag);
  return [{ tag, axis: 'left' }, ...(second === undefined ? [] : [{ tag: second, axis: 'right' } as const])];
}
