/** Menus: what can be done with a run, by the page and by plugins, and the pages of a group of tabs. */
import { type MenuItem, message, Popover } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import type { Run } from '@insight-host/api';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getJson } from '../data/http';
import { type Annotations, ARCHIVE } from '../state/annotations';
import { remember, told } from '../state/browser';
import { usePage } from '../state/page';
import { THEMES } from '../state/preferences';
import { lateTexts } from '../i18n/texts';
import { run_menu as en } from '../locales/en.json';
import { run_menu as zh } from '../locales/zh-CN.json';

const LANGUAGES = [
  ['zh-CN', '中文'],
  ['en', 'English'],
] as const;

const words = lateTexts({ en, 'zh-CN': zh });

export function RunMenu({ run, anchor }: { readonly run: Run; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const t = page.t.value;
  const { runs } = page;
  const selected = runs.selected.value;
  const isOneOfSeveral = selected.length > 1 && selected.length < runs.all.value.length && selected.includes(run);
  const put = (names: readonly string[], archived: boolean): void => {
    archive(page.session.annotations, names, archived).catch((cause: unknown) => {
      page.toasts.show('error', t('annotation.refused', { run: run.name, reason: message(cause) }));
    });
  };
  const items: readonly MenuItem[] = [
    { action: 'only', text: words(page, 'run.only'), onPress: () => runs.selectOnly(run) },
    ...(page.session.annotations.writable.value
      ? [{ action: 'rename', text: words(page, 'run.rename'), onPress: () => void (page.naming.value = run.name) }]
      : []),
    { action: 'pick-color', text: words(page, 'run.color'), onPress: () => page.pickColor(run.name, anchor) },
    {
      action: 'archive',
      text: words(page, run.archived ? 'run.unarchive' : 'run.archive'),
      onPress: () => put([run.name], !run.archived),
    },
    ...(isOneOfSeveral
      ? [
          {
            action: 'archive-selected',
            text: words(page, run.archived ? 'run.unarchive.selected' : 'run.archive.selected', {
              count: selected.length,
            }),
            onPress: () =>
              put(
                selected.map(({ name }) => name),
                !run.archived,
              ),
          },
        ]
      : []),
    ...(page.contributions.value?.runActionsOf(run.name) ?? []),
  ];
  return (
    <Menu anchor={anchor} label={run.displayName} items={items}>
      <Authors run={run.name} />
    </Menu>
  );
}

/** The pages of a group of tabs. */
export function PagesMenu({ tab, anchor }: { readonly tab: string; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const items = page.groupOf(tab).map((one) => ({
    action: one.name,
    text: [page.tabTitle(one), page.badges.value[one.name]].filter(Boolean).join(' '),
    onPress: () => page.open(one.name),
  }));
  return <Menu anchor={anchor} label={anchor.textContent} items={items} />;
}

/** Settings of the page. */
export function PageMenu({ anchor }: { readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const { preferences } = page;
  const chosen = (text: string, isChosen: boolean): string => (isChosen ? `✓ ${text}` : text);
  const items: readonly MenuItem[] = [
    ...LANGUAGES.map(([locale, name]) => ({
      action: `locale-${locale}`,
      text: chosen(name, preferences.locale.value === locale),
      onPress: () => preferences.setLocale(locale),
    })),
    ...THEMES.map((theme) => ({
      action: `theme-${theme}`,
      text: chosen(
        `${words(page, 'theme')}: ${words(page, `theme.${theme}`)}`,
        preferences.themeChoice.value === theme,
      ),
      onPress: () => preferences.setTheme(theme),
    })),
    {
      action: 'keyboard',
      text: page.t.value('keyboard.help'),
      onPress: () => void (page.dialog.value = { kind: 'keyboard' }),
    },
  ];
  return <Menu anchor={anchor} label={anchor.title} items={items} />;
}

interface MenuProps {
  readonly anchor: HTMLButtonElement;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly children?: ComponentChildren;
}

function Menu({ anchor, label, items, children }: MenuProps) {
  const page = usePage();
  const close = (): void => void (page.dialog.value = null);
  return (
    <div class="kit ih-menu-place">
      <Popover anchor={{ current: anchor }} class="menu" role="menu" label={label} side="below-left" onClose={close}>
        {menuItems(items, close)}
        {children}
      </Popover>
    </div>
  );
}

type Author = { readonly by: string; readonly at: number }; // seconds since the epoch

interface Answer {
  readonly written?: Readonly<Record<string, Readonly<Record<string, Author>>>>;
}

const FIELDS = ['note', 'remark'] as const;

/** Who wrote the note and the remark of a run, where a proxy names users to the host; else no line. */
function Authors({ run }: { readonly run: string }) {
  const page = usePage();
  const [fields, setFields] = useState<Readonly<Record<string, Author>>>({});
  useEffect(() => {
    getJson<Answer>('data/annotations').then(
      ({ written }) => setFields(written?.[run] ?? {}),
      () => {}, // the menu works without them
    );
  }, [run]);
  return FIELDS.map((field) => {
    const author = fields[field];
    if (!author) return null;
    const at = new Date(author.at * 1000).toLocaleString(document.documentElement.lang);
    return (
      <button
        key={field}
        type="button"
        role="menuitem"
        aria-disabled="true"
        tabIndex={-1}
        class="muted"
        data-author={field}
      >
        {words(page, `run.${field}.by`, { by: author.by, at })}
      </button>
    );
  });
}

/**
 * Archives runs, or takes them out of the archive; in this browser while the host saves nothing. If the host refuses,
 * shows its state and rejects with the reason.
 */
export async function archive(annotations: Annotations, runs: readonly string[], archived: boolean): Promise<void> {
  if (!annotations.writable.peek()) {
    const others = annotations.ownArchived.value.filter((run) => !runs.includes(run));
    annotations.ownArchived.value = archived ? [...others, ...runs] : others;
    remember(ARCHIVE, told().logs ?? '', annotations.ownArchived.value);
    return;
  }
  annotations.set(runs, { archived });
  const sent = await Promise.allSettled(runs.map((run) => annotations.send(run, { archived })));
  const refused = sent.find((one) => one.status === 'rejected');
  if (!refused) return;
  await annotations.refresh();
  throw refused.reason;
}

const LONGEST_NAME = 256;

/**
 * The field for the name that people call a run by. Enter keeps the name, Escape does not; an empty one gives the run
 * its own name back.
 */
export function NameField({ run, onDone }: { readonly run: Run; readonly onDone: () => void }) {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => field.current?.select(), []); // before the next key
  const end = (keep: boolean): void => {
    if (done.current || !field.current) return;
    done.current = true;
    page.naming.value = null;
    onDone();
    const text = field.current.value.trim();
    const displayName = text === run.name ? '' : text;
    if (keep && (displayName || run.name) !== run.displayName) page.annotate(run.name, { displayName });
  };
  return (
    <input
      ref={field}
      class="ih-input ih-run-field"
      type="text"
      maxLength={LONGEST_NAME}
      spellcheck={false}
      autocomplete="off"
      placeholder={run.name}
      aria-label={page.t.value('runs.rename')}
      value={run.displayName}
      autofocus
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.isComposing) end(true);
        if (event.key === 'Escape') end(false);
      }}
    />
  );
}
