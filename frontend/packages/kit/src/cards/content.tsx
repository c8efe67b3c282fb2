import type { ComponentChildren, JSX } from 'preact';
import type { CardParts } from '../base/card_parts';

export interface ContentProps {
  readonly board: CardParts;
  /** Called when there is something to show. */
  readonly children: () => JSX.Element;
}

/**
 * The tab below its toolbar: cards, or an explanation if it is empty. The plugin's catalogue has the texts
 * `empty.nothing`, `empty.nothing.text` and `failure`.
 */
export function Content({ board, children }: ContentProps): JSX.Element {
  const { t: say } = board.page;
  if (board.tags.failure.value && !board.tags.table.value) {
    return (
      <Empty title={say('failure')} text={board.tags.failure.value}>
        <button type="button" data-action="retry" onClick={() => board.tags.refresh()}>
          {say('retry')}
        </button>
      </Empty>
    );
  }
  if (!board.tags.table.value)
    return (
      <div class="cards" aria-busy="true">
        {[1, 2, 3].map((n) => (
          <section key={n} class="card" />
        ))}
      </div>
    );
  if (board.page.allRuns.value.length === 0)
    return <Empty title={say('empty.no_runs')} text={say('empty.no_runs.text')} />;
  if (board.page.runs.value.length === 0)
    return <Empty title={say('empty.none_selected')} text={say('empty.none_selected.text')} />;
  if (board.tags.runsByTag.value.size === 0)
    return <Empty title={say('empty.nothing')} text={say('empty.nothing.text')} />;
  if (board.cards.groups.value.length === 0) {
    return (
      <Empty title={say('empty.no_match')} text={board.filter.error.value ?? board.filter.text.value}>
        <button type="button" data-action="clear-filter" onClick={() => board.filter.text.set('')}>
          {say('filter.clear')}
        </button>
      </Empty>
    );
  }
  return children();
}

export interface EmptyProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}

/** A view without data says what is missing and what to do. */
export function Empty({ title, text, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty" data-testid="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
