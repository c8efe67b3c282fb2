import { beforeEach, expect, it } from 'vitest';
import { Page } from './page';

let page: Page;

function load(names: readonly string[], isLoaded = true): void {
  page.session.table.value = {
    generation: 1,
    progress: { bytes_read: 1, bytes_total: 1, loaded_once: isLoaded },
    notices: [],
    runs: names.map((name, at) => ({ name, dialects: [], start_time: at, loading: false, damage: 0 })),
  };
}
const shown = (): string | null => page.oneOf('p', page.runs).value;

beforeEach(() => {
  history.replaceState(null, '', '#sort=name');
  page = new Page();
  load(['a/0', 'a/1', 'b/0', 'b/1']);
  page.offer('p', { among: ['b/1', 'a/0', 'a/1'] });
});

it('is the first that the tab offers until the user chooses one', () => {
  expect(shown()).toBe('b/1');
  page.runs.select(['a/0', 'a/1']); // of a link of the last release
  expect(shown()).toBe('a/0');
  page.runs.one.set('a/1');
  expect([shown(), page.missed('p')]).toEqual(['a/1', null]);
});

it('has the nearest name where the chosen run has nothing for the tab, does not match or is gone', () => {
  page.runs.one.set('b/0');
  expect([shown(), page.missed('p')]).toEqual(['b/1', 'b/0']);
  page.runs.filterText.set('a/');
  expect([shown(), page.missed('p')]).toEqual(['a/0', 'b/0']);
  page.runs.filterText.set('');
  page.runs.one.set('a/7');
  expect([shown(), page.missed('p')]).toEqual(['a/0', 'a/7']);
  page.runs.one.set('a/1');
  load(['a/0', 'b/0', 'b/1']);
  expect([shown(), page.missed('p')]).toEqual(['a/0', 'a/1']);
});

it('is waited for while the host reads: what is opened in it belongs to no other run', () => {
  load(['b/0', 'b/1'], false);
  page.runs.one.set('a/1');
  expect([shown(), page.missed('p')]).toEqual(['a/1', null]);
  load(['b/0', 'b/1'], true);
  expect([shown(), page.missed('p')]).toEqual(['b/1', 'a/1']);
});

it('is none for a tab about many', () => {
  page.runs.one.set('b/0');
  page.offer('p', null);
  expect([page.aboutOne.value, page.missed('p')]).toEqual([null, null]);
});
