/** Compares runs in the tab that shows them next to each other: the selected ones, or two that are pressed. */
import { codecs, Icon } from '@insight-host/kit';
import { signal } from '@preact/signals';
import { lateTexts } from '../i18n/texts';
import { comparing as en } from '../locales/en.json';
import { comparing as zh } from '../locales/zh-CN.json';
import type { Comparing } from '../state/late';
import type { Page } from '../state/page';
import styles from './comparing.css?inline';
import { addStyles, IconButton } from './parts';

const words = lateTexts({ en, 'zh-CN': zh });

addStyles(styles);

const MOST = 10; // runs next to each other

/** The run that waits for another one. */
const first = signal<string | null>(null);

export function comparingOf(page: Page): Comparing {
  const compare = (runs: readonly string[]): void => {
    const { value: tab } = page.comparer;
    if (tab) page.openAt(tab.name, tab.run_state ?? {}, { runs: codecs.names.format(runs) ?? '' });
  };
  const pick = (run: string): boolean => {
    const { value: other } = first;
    first.value = null;
    if (other !== null && other !== run) compare([other, run]);
    return other !== null;
  };
  return {
    pick,
    Tool: ({ run }) => {
      const text = words(page, 'with', { run: run.displayName });
      return page.comparer.value ? (
        <button
          type="button"
          class="ih-run-tool ih-compare"
          tabIndex={-1}
          data-action="compare-with"
          aria-label={text}
          aria-pressed={first.value === run.name}
          title={text}
          onClick={(event) => {
            event.stopPropagation();
            if (!pick(run.name)) first.value = run.name;
          }}
          onDblClick={(event) => event.stopPropagation()}
        >
          <Icon name="compare" />
        </button>
      ) : null;
    },
    Bar: () => {
      const { runs } = page;
      const chosen = runs.selected.value;
      const waiting = runs.all.value.find(({ name }) => name === first.value);
      if (waiting)
        return (
          <span class="ih-comparing" role="status" data-testid="comparing-runs">
            <span title={waiting.displayName}>{words(page, 'waits', { run: waiting.displayName })}</span>
            <IconButton icon="close" small label={words(page, 'cancel')} onClick={() => (first.value = null)} />
          </span>
        );
      if (!page.comparer.value || page.aboutOne.value || chosen.length < 2 || chosen.length > MOST) return null;
      return (
        <IconButton
          icon="compare"
          small
          label={words(page, 'selected', { count: chosen.length })}
          data-action="compare-runs"
          onClick={() => compare(chosen.map(({ name }) => name))}
        />
      );
    },
  };
}
