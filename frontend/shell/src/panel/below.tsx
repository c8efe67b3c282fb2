/** What stands below the runs: what the one that is shown has several of, and which runs are archived or gone. */
import type { RunItem } from '@insight-host/api';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../state/page';
import { addStyles } from '../views/parts';
import styles from './below.css?inline';
import { lateTexts } from '../i18n/texts';
import { below as en } from '../locales/en.json';
import { below as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

const MOST = 100; // listed: of jobs with more ranks the tab has a search

addStyles(styles);

export function Below() {
  const { value: items } = usePage().items;
  return (
    <>
      {items.length > 1 && <RunItems items={items} />}
      <Notes />
    </>
  );
}

/** What the run that is shown has several of, such as profiles. */
function RunItems({ items }: { readonly items: readonly RunItem[] }) {
  const page = usePage();
  const { front, runs } = page;
  const place = useRef<HTMLFieldSetElement>(null);
  const name = page.oneOf(front.value?.name ?? '', runs).value;
  const run = runs.all.value.find((one) => one.name === name)?.displayName ?? '';
  const chosen = items.findIndex(({ isChosen }) => isChosen);
  const first = items.slice(0, MOST);
  const listed = chosen < MOST ? first : [...first, ...items.slice(chosen, chosen + 1)];
  useEffect(() => place.current?.querySelector(':checked')?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <fieldset ref={place} class="ih-run-items" data-testid="run-items">
      <legend title={run}>{run}</legend>
      {listed.map((item) => (
        <label key={item.hint} title={item.hint}>
          <input
            type="radio"
            name="run-item"
            class="ih-checkbox"
            checked={item.isChosen}
            onChange={() => item.choose()}
          />
          <span>{item.text}</span>
        </label>
      ))}
      {items.length > listed.length && <p>{words(page, 'items.more', { count: items.length - listed.length })}</p>}
    </fieldset>
  );
}

/** Archived runs, and runs that a link names and that are gone. */
function Notes() {
  const page = usePage();
  const { runs, session } = page;
  const gone = session.loading.value ? [] : runs.gone.value;
  const archived = runs.archivedCount.value;
  const shows = runs.withArchived.value;
  return (
    <>
      {archived > 0 && (
        <p class="ih-limit-note">
          {words(page, 'runs.archived', { count: archived })}{' '}
          <button
            type="button"
            class="ih-link"
            data-action="show-archived"
            onClick={() => runs.withArchived.set(!shows)}
          >
            {words(page, shows ? 'runs.archived.hide' : 'runs.archived.show')}
          </button>
        </p>
      )}
      {gone.length > 0 && (
        <p class="ih-limit-note" role="status">
          <span title={gone.join('\n')}>{words(page, 'runs.gone', { count: gone.length })}</span>{' '}
          <button type="button" class="ih-link" onClick={() => runs.forgetGone()}>
            {words(page, 'runs.gone.forget')}
          </button>
        </p>
      )}
    </>
  );
}
