/** The switch between a table and the other modes of its tab. */
import { Segments, type Page } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

/** The tabs of the group of this one as its modes, all in sight; nothing for a tab that stands alone. */
export function Modes({ page }: { readonly page: Page }): JSX.Element | null {
  const modes = useMemo(() => page.follow(page.ctx.modes), [page]).value;
  if (modes.length < 2) return null;
  return (
    <Segments
      name="mode"
      label={modes[0]?.title ?? ''}
      value={page.ctx.name}
      options={modes.map(({ plugin, title }) => ({ value: plugin, text: title }))}
      onPick={(plugin) => void page.ctx.open(plugin)}
    />
  );
}
