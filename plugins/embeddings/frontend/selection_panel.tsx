import { Button, Icon } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { select, type EmbeddingParts } from './board';

/** The selected points, what can be done with them, and selections that were saved. */
export function SelectionPanel({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { saved, selection, isolated } = board;
  const name = useSignal('');
  useEffect(() => saved.watch(), []);
  const points = selection.value;
  const entries = saved.entries.value ?? [];
  const keep = async (): Promise<void> => {
    if (!points) return;
    const done = await saved.save(name.value.trim(), board.chosen.group.value ?? '', board.size.value, points);
    if (done) name.value = '';
  };
  return (
    <section data-testid="selection">
      <h4>{say('selection')}</h4>
      {points === null && isolated.value === null && <p class="hint">{say('selection.none')}</p>}
      {(points ?? isolated.value) && (
        <p class="hint">
          {points && <span role="status">{say('selection.count', { count: points.length })}</span>}
          {isolated.value && <span>{say('selection.isolated', { count: isolated.value.length })}</span>}
        </p>
      )}
      {(points ?? isolated.value) && (
        <div class="row wrap">
          {points && (
            <Button
              action="isolate"
              label={say('isolate.hint')}
              text={say('isolate')}
              onPress={() => {
                isolated.value = points;
                selection.value = null;
              }}
            />
          )}
          {isolated.value && (
            <Button action="show-all" label={say('all')} text={say('all')} onPress={() => (isolated.value = null)} />
          )}
          {points && (
            <Button action="clear" label={say('clear')} text={say('clear')} onPress={() => (selection.value = null)} />
          )}
        </div>
      )}
      {points && saved.writable.value && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void keep();
          }}
        >
          <input
            type="text"
            class="search-text"
            maxLength={200}
            aria-label={say('saved.name')}
            placeholder={say('saved.name')}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
          <button type="submit" class="ih-button" data-action="save" disabled={name.value.trim() === ''}>
            {say('saved.save')}
          </button>
        </form>
      )}
      {saved.error.value && (
        <p class="problem" role="alert">
          {saved.error.value}
        </p>
      )}
      {entries.length > 0 && (
        <ul class="points" data-testid="saved" aria-label={say('saved')}>
          {entries.map((entry) => (
            <li key={entry.name}>
              <button
                type="button"
                onClick={() =>
                  void saved.load(entry.name, board.size.value).then((found) => found && select(board, found))
                }
              >
                <Icon name="bookmark" />
                <span class="name">{entry.name}</span>
              </button>
              {saved.writable.value && (
                <Button
                  action="remove"
                  icon="close"
                  label={say('saved.remove', { name: entry.name })}
                  onPress={() => void saved.remove(entry)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
