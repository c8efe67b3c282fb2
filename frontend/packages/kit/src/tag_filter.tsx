import type { JSX } from 'preact';
import type { Board, TagInfo } from './board';

/** The toolbar's field for a regular expression over tags, and how many match. */
export function TagFilter<Info extends TagInfo>({ board }: { readonly board: Board<Info> }): JSX.Element {
  const { error } = board.match.value;
  return (
    <>
      <input
        class={error ? 'filter tag-filter bad' : 'filter tag-filter'}
        type="search"
        data-control="tag-filter"
        aria-label={board.t('filter.label')}
        placeholder={board.t('filter.label')}
        title={error ?? board.t('filter.hint')}
        aria-invalid={error !== null}
        value={board.filter.value}
        onInput={(e) => board.filter.set(e.currentTarget.value)}
      />
      <span class="count" data-testid="tag-count">
        {board.t('filter.count', { shown: board.shownTags.value.length, count: board.runsByTag.value.size })}
      </span>
    </>
  );
}
