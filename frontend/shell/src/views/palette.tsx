/** The command palette: one field that finds tabs, saved views, runs, tags and settings. */
import { Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { loadViews } from '../loading';
import { type Page, usePage } from '../state/page';
import type { Tab } from '../state/session';
import { type FoundTag, knownTags, openTags, patternOf, tagsOfHost, words as tagWords } from './tag_tree';
import { lateTexts } from '../i18n/texts';
import { chartMenu, openMenu, words as shareWords } from './share_dialog';
import { type DocPage, docPages, titlesIn, words as docWords } from './docs';
import { palette as en } from '../locales/en.json';
import { palette as zh } from '../locales/zh-CN.json';

const words = lateTexts({ en, 'zh-CN': zh });

interface Command {
  readonly label: string;
  readonly group: string;
  /** Words that find it, too. */
  readonly also?: string;
  readonly color?: string;
  readonly run: () => void;
}

const MOST_SHOWN = 60;

export function commands(page: Page): Command[] {
  const t = page.t.value;
  const { preferences, runs } = page;
  const setting = words(page, 'command.setting');
  const tabs = page.tabs.value;
  const step = page.cursor.pinned.value?.step;
  // commands of the tab in front come first
  const ofFront = (owner: string): number => Number(owner !== page.front.value?.name);
  const shortcuts = page.shortcuts.list.value.filter(
    ({ owner, key }) => key !== 'Escape' && tabs.some((tab) => tab.name === owner),
  );
  // several keys may do the same
  const actions = [...new Map(shortcuts.map((one) => [`${one.owner} ${one.description}`, one])).values()].sort(
    (one, other) => ofFront(one.owner) - ofFront(other.owner),
  );
  const titleOf = (owner: string): string => page.tabTitle(tabs.find((tab) => tab.name === owner) as Tab);
  const inFront = (owner: string, run: () => void): void => {
    page.open(owner);
    // after the palette has closed and returned the focus, and the tab is drawn
    requestAnimationFrame(run);
  };
  return [
    ...tabs.map((tab) => ({
      label: page.tabTitle(tab),
      group: words(page, 'command.tab'),
      also: tab.tab_group === 'runs' ? words(page, 'also.runs') : '',
      run: () => page.open(tab.name),
    })),
    ...shared(page),
    ...ofPanel(page),
    {
      label: words(page, 'command.all'),
      group: t('runs'),
      run: () => runs.select(runs.all.value.map((run) => run.name)),
    },
    { label: words(page, 'command.clear'), group: t('runs'), run: () => runs.select([]) },
    ...(runs.archivedCount.value > 0
      ? [
          {
            label: words(page, 'command.archived'),
            group: t('runs'),
            run: () => runs.withArchived.set(!runs.withArchived.value),
          },
        ]
      : []),
    {
      label: words(page, 'command.sidebar'),
      group: setting,
      run: () => void (page.sidebarOpen.value = !page.sidebarOpen.value),
    },
    { label: words(page, 'command.theme.light'), group: setting, run: () => preferences.setTheme('light') },
    { label: words(page, 'command.theme.dark'), group: setting, run: () => preferences.setTheme('dark') },
    { label: words(page, 'command.theme.system'), group: setting, run: () => preferences.setTheme('system') },
    {
      label: words(page, 'command.locale'),
      group: setting,
      run: () => preferences.setLocale(preferences.locale.value === 'en' ? 'zh-CN' : 'en'),
    },
    ...(page.views.value?.list.value ?? []).map((view) => ({
      label: view.name,
      group: words(page, 'views.open'),
      run: () => void page.views.value?.open(view).catch((cause) => page.toasts.show('error', message(cause))),
    })),
    {
      label: words(page, 'command.keyboard'),
      group: setting,
      also: words(page, 'also.keyboard'),
      run: () => void (page.dialog.value = { kind: 'keyboard' }),
    },
    {
      label: words(page, 'command.unread'),
      group: setting,
      run: () => void (page.dialog.value = { kind: 'damage', run: null }),
    },
    ...(page.cursor.pinned.value
      ? [{ label: words(page, 'command.unpin'), group: setting, run: () => page.cursor.pin(null, '') }]
      : []),
    ...(page.front.value?.tag_state
      ? [{ label: tagWords(page, 'tags.tree'), group: setting, run: () => browseTags(page) }]
      : []),
    ...(step === undefined ? [] : page.stepTabs.value).map((tab) => ({
      label: words(page, 'command.step', { tab: page.tabTitle(tab), step: step ?? 0 }),
      group: words(page, 'command.tab'),
      run: () => void page.openStep(tab.name, step ?? 0),
    })),
    ...actions.map(({ owner, description, run }) => ({
      label: description,
      group: titleOf(owner),
      run: () => inFront(owner, run),
    })),
    ...ofToolbar(page).filter(({ label }) => !actions.some(({ description }) => description === label)),
    ...(page.contributions.value?.commands ?? [])
      // without those that are in the list as shortcuts of the open tab
      .filter(({ owner, label }) => !actions.some((one) => one.owner === owner && one.description === label))
      .map(({ owner, ...command }) => ({ ...command, group: titleOf(owner) })),
    ...runs.all.value.map((run) => ({
      label: run.displayName === run.name ? run.name : `${run.displayName} (${run.name})`,
      group: words(page, 'command.run'),
      color: run.color,
      run: () => runs.selectOnly(run),
    })),
  ];
}

/** What the dialog of Share offers. */
function shared(page: Page): Command[] {
  const group = page.t.value('share');
  const also = words(page, 'also.share');
  const open = (): void => void (page.dialog.value = { kind: 'share' });
  const menu = chartMenu();
  return [
    { label: shareWords(page, 'link.copy'), group, also, run: open },
    { label: shareWords(page, 'views'), group, also, run: open },
    ...(menu ? [{ label: shareWords(page, 'chart'), group, also, run: () => openMenu(menu) }] : []),
  ];
}

/** What the run panel offers. */
function ofPanel(page: Page): Command[] {
  const t = page.t.value;
  const group = t('runs');
  const press = (action: string): void => {
    page.sidebarOpen.value = true;
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`.ih-sidebar [data-action="${action}"]`)?.click());
  };
  const ofMany = page.aboutOne.value ? [] : (['group', 'color'] as const);
  const dialogs = [
    ...(page.hasSidebar.value ? [...ofMany, 'sort' as const] : []).map((kind) => ({
      label: t(`runs.${kind}`),
      group,
      run: () => press({ group: 'group-by', color: 'colors', sort: 'sort-runs' }[kind]),
    })),
    { label: t('runs.table'), group, also: words(page, 'also.runs'), run: () => page.tableOpen.set(true) },
    {
      label: words(page, 'command.columns'),
      group,
      run: () => {
        page.tableOpen.set(true);
        page.dialog.value = { kind: 'columns' };
      },
    },
  ];
  const isDamaged = page.runs.all.value.some(({ damage }) => damage > 0);
  const list = (): void => void (page.dialog.value = { kind: 'damage', run: null });
  return isDamaged ? [...dialogs, { label: words(page, 'command.damage'), group, run: list }] : dialogs;
}

/** The buttons of the toolbar of the tab in front. */
function ofToolbar(page: Page): Command[] {
  const { value: front } = page.front;
  if (!front) return [];
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    '.ih-panel:not([hidden]) [role="toolbar"] button[data-action]:not(:disabled)',
  );
  const labels = new Map([...buttons].map((button) => [button.title || button.textContent, button]));
  return [...labels].map(([label, button]) => ({ label, group: page.tabTitle(front), run: () => button.click() }));
}

const texts = new WeakMap<readonly unknown[], readonly string[]>(); // in small letters, made once for a list

/** Every word of the query occurs in the label or the group; labels that begin with it come first. */
export function matching<T extends { readonly label: string; readonly group: string; readonly also?: string }>(
  all: readonly T[],
  query: string,
  most = MOST_SHOWN,
): T[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return all.slice(0, most);
  const parts = wanted.split(/\s+/);
  let known = texts.get(all);
  if (!known)
    texts.set(all, (known = all.map(({ label, group, also = '' }) => `${label} ${group} ${also}`.toLowerCase())));
  const ranks: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at < known.length && ranks[0].length < most; at++) {
    const text = known[at] as string;
    const place = text.indexOf(wanted);
    if (place < 0 && !parts.every((part) => text.includes(part))) continue;
    const rank = ranks[place === 0 ? 0 : place > 0 && place < (all[at] as T).label.length ? 1 : 2];
    if (rank.length < most) rank.push(at); // more are not shown
  }
  return ranks
    .flat()
    .slice(0, most)
    .map((at) => all[at] as T);
}

/** Opens a page of the documentation. */
function docCommand(page: Page, doc: DocPage): Command {
  const { title, about } = titlesIn(page, doc);
  return {
    label: title,
    group: docWords(page, 'docs'),
    also: `${about} ${doc.titles.en.title}`, // the page itself is in English
    run: () => void (page.dialog.value = { kind: 'docs', path: doc.path }),
  };
}

function browseTags(page: Page): void {
  const { value: front } = page.front;
  if (front) page.dialog.value = { kind: 'tags', plugin: front.name };
}

/** Opens a tab with only this tag. */
function tagCommand(page: Page, { tab, tag }: FoundTag): Command {
  return { label: tag, group: page.tabTitle(tab), run: () => openTags(page, tab, patternOf(tag)) };
}

export function Palette({ typed }: { readonly typed: string }) {
  const page = usePage();
  const t = page.t.value;
  const query = useSignal(typed);
  const input = useRef<HTMLInputElement>(null);
  const active = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const views = page.views.value?.list.value;
  const ended = useMemo(() => new AbortController(), []);
  const found = useMemo(() => tagsOfHost(page, query, ended.signal), []).value;
  const docs = useSignal<readonly DocPage[]>([]);
  const known = useMemo(
    () => [
      ...commands(page),
      ...docs.value.map((doc) => docCommand(page, doc)),
      ...knownTags(page).map((tag) => tagCommand(page, tag)),
    ],
    [page.contributions.value?.commands.length, views, docs.value],
  );
  const all = useMemo(() => [...known, ...found.map((tag) => tagCommand(page, tag))], [known, found]);
  const shown = matching(all, query.value);
  useLayoutEffect(() => input.current?.setSelectionRange(typed.length, typed.length), []);
  useEffect(() => {
    loadViews(page);
    void docPages().then((found) => (docs.value = found));
    return () => ended.abort();
  }, []);

  const choose = (command: Command | undefined): void => {
    if (!command) return;
    page.dialog.value = null;
    command.run();
  };
  const move = (to: number): void => {
    active.value = shown.length ? (to + shown.length) % shown.length : 0;
    list.current?.children[active.value]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return; // Enter accepts what an input method offers
    if (event.key === 'ArrowDown') move(active.value + 1);
    else if (event.key === 'ArrowUp') move(active.value - 1);
    else if (event.key === 'Enter') choose(shown[active.value]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog name="palette" title={t('command.open')} bare onClose={() => (page.dialog.value = null)}>
      <input
        ref={input}
        class="ih-palette-input"
        type="text"
        defaultValue={typed}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown.length ? `palette-${active.value}` : undefined}
        aria-label={t('command.open')}
        placeholder={words(page, 'command.placeholder')}
        spellcheck={false}
        autocomplete="off"
        autofocus
        onInput={(event) => {
          query.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" class="ih-palette-list" role="listbox" ref={list} aria-label={t('command.open')}>
        {shown.map((command, at) => (
          <div
            key={`${command.group}/${command.label}`}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === active.value}
            class="ih-palette-item"
            title={command.label}
            onClick={() => choose(command)}
            onPointerMove={() => {
              active.value = at;
            }}
          >
            {command.color && (
              <span class="ih-swatch" style={{ background: command.color, borderColor: command.color }} />
            )}
            <span class="ih-palette-label">{command.label}</span>
            <span class="ih-muted">{command.group}</span>
          </div>
        ))}
        {shown.length === 0 && <p class="ih-muted ih-palette-none">{words(page, 'command.none')}</p>}
      </div>
    </Dialog>
  );
}
