import { Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { brushesCodec } from './brushes';
import { SavedEntries } from './saved_entries';

/** What leaves rows out, as it is saved under a name. */
interface Filter {
  readonly where: string;
  /** As in the address of the page. */
  readonly brushes: string | null;
  readonly hidden: readonly string[];
}

const isFilter = (value: Partial<Filter> | null): value is Filter =>
  value !== null &&
  typeof value.where === 'string' &&
  (value.brushes === null || typeof value.brushes === 'string') &&
  Array.isArray(value.hidden) &&
  value.hidden.every((run) => typeof run === 'string');

/** Saves which runs are shown: the filter of the run list, the brushes and the hidden rows. */
export function Filters({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const now = (): Filter => ({
    where: board.panel.filter.value,
    brushes: brushesCodec.format(board.brushing.all.value),
    hidden: board.rows.hidden.value,
  });
  const show = (value: unknown): boolean => {
    const filter = value as Partial<Filter> | null;
    if (!isFilter(filter)) return false;
    board.panel.filter.set(filter.where);
    board.brushing.all.set(brushesCodec.parse(filter.brushes));
    board.rows.hidden.set(filter.hidden);
    return true;
  };
  const { where, hidden } = now();
  const parts = [
    where.trim() && say('filters.where', { text: where.trim() }),
    board.brushing.all.value.size > 0 && say('brushes.count', { count: board.brushing.all.value.size }),
    hidden.length > 0 && say('rows.hidden', { count: hidden.length }),
  ].filter(Boolean);
  return (
    <Dialog name="filters" title={say('filters')} onClose={() => (board.dialog.value = null)}>
      <p class="hint" data-testid="filter-now">
        {parts.length > 0 ? say('filters.now', { parts: parts.join(say('list.separator')) }) : say('filters.empty')}
      </p>
      <SavedEntries board={board} kind="filter" now={now} show={show} />
    </Dialog>
  );
}
