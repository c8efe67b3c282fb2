import { useSignal } from '@preact/signals';
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Found, SearchAnswer } from '../answers';
import type { GraphParts } from '../board';
import { KindMark } from '../texts';
import { useAnswer } from '@insight-host/kit/lab';

const FEW = 100; // results at first
const MOST = 1000; // when asked for more
const PAUSE = { text: 60, regex: 250 } as const; // ms without a key before the server is asked
const ROLE: object = { role: 'combobox' }; // its list is not a <datalist>, which Preact's types ask for

/** Looks for names and types in the whole graph, closed scopes too. */
export function SearchBox({ board }: { readonly board: GraphParts }): JSX.Element {
  const { t: say } = board.page;
  const root = useRef<HTMLDivElement>(null);
  const open = useSignal(false);
  const at = useSignal(0);
  /** Enter was pressed before the answer was there. */
  const hurry = useSignal(false);
  const q = board.search.value.trim();
  const source = board.sources.graph.value;
  const more = useSignal('');
  const wanted = { q, regex: board.regex.value, limit: more.value === q ? MOST : FEW };
  const key = source && q && open.value ? JSON.stringify([source.key, wanted]) : null;
  const asked = useAnswer<SearchAnswer>(
    key,
    (signal) => source?.search(wanted, signal) ?? Promise.reject(new Error()),
    { rest: () => PAUSE[wanted.regex ? 'regex' : 'text'] },
  );
  useEffect(() => {
    const away = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) open.value = false;
    };
    addEventListener('pointerdown', away);
    return () => removeEventListener('pointerdown', away);
  }, []);

  const { value: answer, error, busy: isBusy } = asked;
  const results = answer?.results ?? [];
  const current = Math.min(at.value, results.length - 1);
  const take = (found: Found | undefined): void => {
    if (!found) return;
    open.value = false;
    root.current?.closest('.graphs')?.querySelector<SVGElement>('.canvas')?.focus(); // arrows go on from there
    void board.explorer.reveal(found.id);
  };
  useEffect(() => {
    if (hurry.value && key !== null && !isBusy) {
      hurry.value = false;
      take(results[Math.max(0, current)]);
    }
  }, [hurry.value, isBusy, key]);
  return (
    <div class="search" ref={root}>
      <span class="cluster">
        <input
          class={error ? 'filter bad' : 'filter'}
          type="search"
          {...ROLE}
          data-control="search"
          aria-label={say('search')}
          aria-expanded={open.value && q !== ''}
          aria-controls="graph-results"
          {...(open.value && results.length > 0 ? { 'aria-activedescendant': `graph-result-${current}` } : {})}
          placeholder={say('search')}
          title={error ?? say('search.hint')}
          value={board.search.value}
          onFocus={() => (open.value = true)}
          onInput={(event) => {
            board.search.set(event.currentTarget.value);
            at.value = 0;
            open.value = true;
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') at.value = Math.min(results.length - 1, current + 1);
            else if (event.key === 'ArrowUp') at.value = Math.max(0, current - 1);
            else if (event.key === 'Enter') open.value = hurry.value = true;
            else if (event.key === 'Escape' && open.value) open.value = hurry.value = false;
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        <Button
          action="search-regex"
          label={say('search.regex')}
          text=".*"
          pressed={board.regex.value}
          onPress={() => board.regex.set(!board.regex.value)}
        />
      </span>
      {key !== null && (
        <div class={isBusy ? 'results busy' : 'results'} data-testid="results">
          {isBusy && (
            <p class="searching count" role="status" data-testid="searching">
              {say('search.busy')}
              <Button
                action="search-cancel"
                text={say('search.cancel')}
                label={say('search.cancel')}
                onPress={() => (open.value = hurry.value = false)}
              />
            </p>
          )}
          {error ? (
            <p class="problem" role="alert">
              {say(wanted.regex ? 'search.bad' : 'search.failed')}
              <small>{error}</small>
            </p>
          ) : (
            answer && (
              <>
                <p class="count" data-testid="result-count">
                  {results.length < (answer?.total ?? 0)
                    ? say('search.some', { shown: results.length, count: answer?.total ?? 0 })
                    : say('search.count', { count: answer?.total ?? 0 })}
                </p>
                <ul id="graph-results" role="listbox" aria-label={say('search.results')}>
                  {results.map((found, i) => (
                    <li
                      key={found.id}
                      id={`graph-result-${i}`}
                      role="option"
                      aria-selected={i === current}
                      data-testid="result"
                      data-id={found.id}
                      ref={(element) => void (i === current && element?.scrollIntoView({ block: 'nearest' }))}
                      onClick={() => take(found)}
                    >
                      <KindMark kind={found.kind} />
                      <span class="name">{found.name}</span>
                      {found.type && found.type !== found.name && <span class="type">{found.type}</span>}
                      <span class="path">{found.path.at(-1) ?? ''}</span>
                    </li>
                  ))}
                </ul>
                {results.length < Math.min(MOST, answer.total) && (
                  <Button
                    action="more"
                    text={say('list.more')}
                    label={say('list.more')}
                    onPress={() => (more.value = q)}
                  />
                )}
              </>
            )
          )}
        </div>
      )}
    </div>
  );
}
