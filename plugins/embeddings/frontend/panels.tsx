/** What stands next to the picture: the search, the chosen point, the selected points. */
import { Button, Choice, Icon, NumberBox, Select, valueText } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { METRICS, NEIGHBOURS, select, type EmbeddingParts } from './board';
import { PointLine, Thumbnail } from './points';

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

/** The chosen point: what is known of it, and which points are near it in all dimensions. */
export function PointPanel({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: point } = board.focused;
  if (point === null)
    return (
      <section>
        <h4>{say('chosen')}</h4>
        <p class="hint">{say('chosen.none')}</p>
      </section>
    );
  const { neighbours, neighboursError } = board.source;
  const found = neighbours.value;
  return (
    <section data-testid="chosen">
      <h4>
        <span class="name">{board.labelOf(point)}</span>
        <Button action="clear-point" icon="close" label={say('chosen.clear')} onPress={() => board.point.set(null)} />
      </h4>
      <div class="facts">
        <Thumbnail board={board} point={point} side={56} />
        <dl>
          {board.source.columns.value.map((column) => (
            <div key={column.name}>
              <dt>{column.name}</dt>
              <dd>{column.labels[column.codes[point] ?? -1]}</dd>
            </div>
          ))}
          <div>
            <dt>{say('number')}</dt>
            <dd>{point}</dd>
          </div>
        </dl>
      </div>
      <h4>{say('neighbours')}</h4>
      <div class="row">
        <Choice say={say} name="metric" label={say('metric')} values={METRICS} setting={board.metric} />
        <NumberBox
          name="neighbours"
          label={say('neighbours.count')}
          value={board.count.value}
          low={NEIGHBOURS[0]}
          high={NEIGHBOURS[1]}
          onPick={(count) => board.count.set(count)}
        />
      </div>
      {neighboursError.value ? (
        <p class="problem" role="alert">
          {neighboursError.value}
        </p>
      ) : (
        <>
          <ul class="points" aria-busy={found === null} data-testid="neighbours">
            {found?.points.map((near, i) => (
              <PointLine
                key={near}
                board={board}
                point={near}
                note={valueText(rounded(found.distances[i] as number))}
              />
            ))}
          </ul>
          {found && found.points.length > 0 && (
            <Button
              action="select-neighbours"
              label={say('neighbours.select')}
              text={say('neighbours.select')}
              onPress={() => select(board, Uint32Array.from([point, ...found.points]).sort())}
            />
          )}
          {found?.points.length === 0 && <p class="hint">{say('neighbours.none')}</p>}
        </>
      )}
    </section>
  );
}

const rounded = (distance: number): number => Number(distance.toPrecision(4));

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
