import type { JSX } from 'preact';
import type { CardParts } from '../base/card_parts';
import { Button } from '../base/controls';

/** The toolbar's field for a regular expression over tags, and how many match. */
export function TagFilter({ board }: { readonly board: Pick<CardParts, 'page' | 'tags' | 'filter'> }): JSX.Element {
  const error = board.filter.error.value;
  return (
    <>
      <input
        class={error ? 'filter tag-filter bad' : 'filter tag-filter'}
        type="search"
        data-control="tag-filter"
        aria-label={board.page.t('filter.label')}
        placeholder={board.page.t('filter.label')}
        title={error ?? board.page.t('filter.hint')}
        aria-invalid={error !== null}
        value={board.filter.text.value}
        onInput={(e) => board.filter.text.set(e.currentTarget.value)}
      />
      <Button
        action="tag-tree"
        icon="tree"
        label={board.page.t('filter.tree')}
        onPress={() => board.page.ctx.browseTags()}
      />
      <span class="count" data-testid="tag-count">
        {board.page.t('filter.count', {
          shown: board.filter.shown.value.length,
          count: board.tags.runsByTag.value.size,
        })}
      </span>
    </>
  );
}
