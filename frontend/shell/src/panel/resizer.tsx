/** The right edge of the run panel: the pointer and arrow keys move it, and from some width on its list is a table. */
import { drag } from '@insight-host/kit';
import type { Signal } from '@preact/signals';
import { remember } from '../state/browser';
import { NARROWEST, TABLE_FROM } from '../state/overlays';
import { usePage } from '../state/page';

const KEY_STEP = 16; // pixels

interface ResizerProps {
  /** The widths of list and table, as the user has set them. */
  readonly list: Signal<number>;
  readonly table: Signal<number>;
  /** What is shown, and the most that fits beside the view. */
  readonly width: number;
  readonly widest: number;
}

export function Resizer({ list, table, width, widest }: ResizerProps) {
  const page = usePage();
  const set = (wanted: number): void => {
    const isTable = wanted >= TABLE_FROM;
    if (isTable !== page.tableOpen.value) page.tableOpen.set(isTable);
    const [low, high] = isTable ? [TABLE_FROM, widest] : [NARROWEST, TABLE_FROM - 1];
    const own = isTable ? table : list;
    own.value = Math.round(Math.max(low, Math.min(high, wanted)));
    remember('page', isTable ? 'sidebar.table' : 'sidebar', own.value);
  };
  return (
    <div
      class="ih-resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={page.t.value('runs.resize')}
      aria-valuenow={width}
      aria-valuemin={NARROWEST}
      aria-valuemax={widest}
      tabIndex={0}
      onPointerDown={(event) => drag(event, { move: (_, dx) => set(width + dx), cancel: () => set(width) })}
      onDblClick={() => page.tableOpen.set(!page.tableOpen.value)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') set(width - KEY_STEP);
        if (event.key === 'ArrowRight') set(width + KEY_STEP);
      }}
    />
  );
}
