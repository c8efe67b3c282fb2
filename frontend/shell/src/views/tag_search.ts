/** Tags for the palette: those that the page knows, and what the host finds where it does not. */
import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { type CatalogAnswer } from '../live/tags';
import { getJson } from '../data/http';
import type { Page } from '../state/page';
import type { Tab } from '../state/session';

const SETTLE = 120; // ms without a key before the host is asked
const SHORTEST = 2; // characters for which the host is asked

export interface FoundTag {
  readonly tab: Tab;
  readonly tag: string;
}

const withTags = (page: Page): readonly Tab[] => page.tabs.value.filter((tab) => tab.enabled && tab.tag_state);

export function knownTags(page: Page): readonly FoundTag[] {
  return withTags(page).flatMap((tab) => (page.tags.known(tab.name) ?? []).map((tag) => ({ tab, tag })));
}

/** A regular expression that matches this tag only, or with `below` what begins with it. */
export function patternOf(tag: string, below = false): string {
  return `^${tag.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}${below ? '' : '$'}`;
}

/** Asks the host for tags of tabs whose tags the page does not have; ends with the signal. */
export function tagsOfHost(
  page: Page,
  query: ReadonlySignal<string>,
  ended: AbortSignal,
): ReadonlySignal<readonly FoundTag[]> {
  const found = signal<readonly FoundTag[]>([]);
  const stop = effect(() => {
    // the longest word: the palette looks for the others in what the host finds
    const word = query.value.split(/\s+/).reduce((best, each) => (each.length > best.length ? each : best), '');
    const tabs = untracked(() => withTags(page).filter((tab) => page.tags.known(tab.name) === null));
    if (word.length < SHORTEST || tabs.length === 0) {
      found.value = [];
      return;
    }
    const request = new AbortController();
    const timer = setTimeout(() => {
      void Promise.all(
        tabs.map(async (tab) => {
          const asked = { plugin: tab.name, q: word, columns: 'plugin' };
          const answer = await getJson<CatalogAnswer>('data/catalog', asked, request.signal).catch(() => null);
          return (answer?.tags ?? []).map((tag) => ({ tab, tag }));
        }),
      ).then((lists) => {
        if (!request.signal.aborted) found.value = lists.flat();
      });
    }, SETTLE);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  });
  ended.addEventListener('abort', stop);
  return found;
}
