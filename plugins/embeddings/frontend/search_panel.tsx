import { Button, Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import { select, type EmbeddingParts } from './board';
import { PointLine } from './points';

const MOST = 100; // lines

/** Points by their label. */
export function SearchPanel({ board }: { readonly board: EmbeddingParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { value: found } = board.matches;
  const columns = board.source.columns.value;
  if (columns.length === 0) return null;
  return (
    <section data-testid="search">
      <h4>{say('search')}</h4>
      <div class="row">
        <input
          type="search"
          class="search-text"
          aria-label={say('search')}
          placeholder={say('search.placeholder')}
          value={board.search.value}
          onInput={(event) => board.search.set(event.currentTarget.value)}
        />
        <Select
          name="label"
          label={say('label')}
          title={say('label.hint')}
          value={board.labelColumn.value?.name ?? ''}
          options={columns.map(({ name }) => ({ value: name, text: name }))}
          onPick={(name) => board.labelBy.set(name)}
        />
      </div>
      {found && (
        <>
          <p class="hint between">
            <span role="status">{say('search.found', { count: found.length })}</span>
            {found.length > 0 && (
              <Button
                action="select-found"
                label={say('search.select')}
                text={say('search.select')}
                onPress={() => {
                  select(board, found);
                  board.search.set('');
                }}
              />
            )}
          </p>
          <ul class="points">
            {[...found.subarray(0, MOST)].map((point) => (
              <PointLine key={point} board={board} point={point} />
            ))}
          </ul>
          {found.length > MOST && <p class="hint">{say('more', { count: found.length - MOST })}</p>}
        </>
      )}
    </section>
  );
}
