/** Loads the late parts of the page: when the address, a setting or the user asks for them, or when it is idle. */
import { message } from '@insight-host/kit';
import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isExpression } from '@insight-host/kit/lab';
import { LOOK_KEYS } from './state/browser';
import type { PanelView } from './state/late';
import { type Page, usePage } from './state/page';
import type { RemarksProps } from './views/plugin_remarks';

const AT_LATEST = 3000; // ms

/** Runs it when the browser has nothing else to do. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: AT_LATEST });
  else setTimeout(run, AT_LATEST / 10); // Safari
}

/** A module that is loaded when it is wanted: null until it is there. A toast says why it could not be loaded. */
export function useLater<Module>(load: () => Promise<Module>, wanted = true): Module | null {
  const page = usePage();
  const loaded = useSignal<Module | null>(null);
  useEffect(() => {
    if (!wanted || loaded.peek()) return;
    load().then(
      (found) => (loaded.value = found),
      (cause: unknown) => page.toasts.show('error', message(cause)),
    );
  }, [wanted]);
  return loaded.value;
}

const MANY = 30; // runs of which a card with two tags has more lines than it draws

/** Loads the menus and looks of the run panel; null with a toast if that fails. */
export async function loadPanel(page: Page): Promise<PanelView | null> {
  page.columnsWanted.value = true; // runs may be coloured by values of columns
  try {
    const { panelView } = await import('./panel/view');
    return untracked(() => (page.panel.value ??= panelView(page)));
  } catch (cause) {
    page.toasts.show('error', message(cause));
    return null;
  }
}

/**
 * Loads the panel immediately if the URL has settings of how runs look, so that charts are not drawn in other colours
 * first; else after the tab in front where runs are sorted by a column, or there are many.
 */
export function panelWhenAsked(page: Page): void {
  page.loadPanel = () => loadPanel(page);
  effect(() => {
    const { sort, all } = page.runs;
    const isSorted = sort.value.some((key) => /^[+-]/.test(key));
    const hasLook = LOOK_KEYS.some((key) => page.url.text(key).value !== null);
    const isUseful = page.isShown.value && (isSorted || all.value.length > MANY);
    if (hasLook || isUseful) untracked(() => void loadPanel(page));
  });
}

/** Loads the columns of the run table. */
export function loadColumns(page: Page): void {
  if (page.columns.peek()) return;
  import('./columns/run_table').then(
    (table) => (page.columns.value ??= table.columnView(page)),
    (cause: unknown) => page.toasts.show('error', message(cause)),
  );
}

/** Loads them when the URL asks for the table or an order by columns, or something needs them. */
export function columnsWhenShown(page: Page): void {
  let follows = false;
  effect(() => {
    if (follows || !isExpression(page.runs.filterText.value)) return;
    follows = true; // the charts wait for what it matches: at once
    import('./columns/matches').then(
      ({ followExpression }) => followExpression(page),
      (cause: unknown) => {
        follows = false; // the host is away: with the next expression again
        page.toasts.show('error', message(cause));
      },
    );
  });
  effect(() => {
    const isSorted = page.runs.sort.value.some((key) => key !== 'time' && key !== 'name');
    const isWrong = page.runs.filter.value.isExpression && page.runs.filter.value.error !== null;
    const isListed = (page.tableOpen.value || isSorted || isWrong) && page.isShown.value;
    if (isListed || page.columnsWanted.value) loadColumns(page);
  });
}

/** Loads what shows a card elsewhere with the first such card. */
export function cardsWhenAsked(page: Page): void {
  page.showCard = (spec, place) => {
    import('./cards/shown').then(
      ({ showCard, ownState }) => showCard(page, spec, place, ownState(page, spec.state)),
      (cause: unknown) => place.until.aborted || place.failed(cause),
    );
  };
}

/** Loads what plugins contribute, once the page is idle and has shown the tab in front. */
export function contributeWhenIdle(page: Page): void {
  let begun = false;
  effect(() => {
    const wanted = page.session.plugins.value?.some((tab) => tab.loading_mechanism.contributions_path !== undefined);
    if (begun || !wanted || !page.isShown.value) return;
    begun = true;
    whenIdle(() => {
      import('./contributed/all').then(
        (loaded) => untracked(() => (page.contributions.value = new loaded.AllContributions(page))),
        (cause: unknown) => {
          begun = false; // the host is away: with the next listing of plugins again
          console.error(cause);
        },
      );
    });
  });
}

/** Loads the saved views. */
export function loadViews(page: Page): void {
  if (page.views.peek()) return;
  import('./saved_views/saved_views').then(
    (module) => untracked(() => (page.views.value ??= new module.SavedViews(page, globalThis.insightView))),
    (cause: unknown) => page.toasts.show('error', message(cause)),
  );
}

/** Loads them when the page has begun with one. */
export function viewsWhenShown(page: Page): void {
  effect(() => {
    if (globalThis.insightView && page.isShown.value) whenIdle(() => loadViews(page));
  });
}

/** Messages of the host about a tab: their code is loaded with the first of them. */
export function Remarks({ tab, title, onSlow = false }: RemarksProps) {
  const page = usePage();
  const { contributions } = page;
  const hasAny =
    !!onSlow ||
    page.missed(tab.name) !== null ||
    Object.keys(tab.sampled ?? {}).length > 0 ||
    (tab.warnings ?? []).length > 0 ||
    !!contributions.value?.troublesOf(tab.name, title);
  const later = useLater(() => import('./views/plugin_remarks'), hasAny);
  return later && <later.PluginRemarks tab={tab} title={title} onSlow={onSlow} />;
}
