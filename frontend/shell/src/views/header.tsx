/** The header: name and place of the logs, tabs, search, what shares the page, and its settings. */
import { Icon } from '@insight-host/kit';
import { isPhone } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyLabel } from '../plugin/shortcuts';
import { usePage } from '../state/page';
import type { Tab } from '../state/session';
import { IconButton } from './parts';

export function Header() {
  const page = usePage();
  const t = page.t.value;
  const { value: place } = page.place;
  return (
    <header class="ih-header">
      <RunsButton />
      <h1 class="ih-name" title={page.session.environment.value?.data_location}>
        <span>{page.title.value}</span>
        {place && <b>{place}</b>}
      </h1>
      <Tabs />
      <button
        type="button"
        class="ih-button ih-command"
        title={t('command.open')}
        onClick={() => {
          page.dialog.value = { kind: 'palette' };
        }}
      >
        <Icon name="search" />
        <span>{t('search')}</span>
        <kbd>{keyLabel('Mod+k')}</kbd>
      </button>
      <button
        type="button"
        class="ih-button"
        data-action="share"
        onClick={() => {
          page.dialog.value = { kind: 'share' };
        }}
      >
        {t('share')}
      </button>
      <IconButton
        icon="more"
        data-action="page"
        aria-haspopup="menu"
        label={t('page.menu')}
        onClick={({ currentTarget: anchor }) => {
          page.dialog.value = { kind: 'page', anchor };
        }}
      />
    </header>
  );
}

/** Opens and closes the run panel; on a phone it says what the sheet holds. */
function RunsButton() {
  const page = usePage();
  const t = page.t.value;
  const open = page.sidebarOpen.value && page.hasSidebar.value;
  const props = {
    'data-action': 'runs',
    disabled: !page.hasSidebar.value,
    'aria-expanded': open,
    onClick: () => void (page.sidebarOpen.value = !open),
  };
  if (!isPhone.value) return <IconButton icon="sidebar" label={t(open ? 'runs.collapse' : 'runs.expand')} {...props} />;
  return (
    <button type="button" class="ih-button ih-runs" aria-haspopup="dialog" {...props}>
      {`${t('runs')} (${page.runs.all.value.length.toLocaleString()})`}
    </button>
  );
}

const LONG = 24; // letters of a title that fit in a tab

/** The tabs in one line; where they do not fit, a menu has all, named after the one in front if that is hidden. */
export function Tabs() {
  const page = usePage();
  const t = page.t.value;
  const line = useRef<HTMLDivElement>(null);
  const all = useRef<HTMLButtonElement>(null);
  const hidden = useSignal<readonly string[]>([]);
  useLayoutEffect(
    () => (line.current ? watchHidden(line.current, (found) => void (hidden.value = found)) : undefined),
    [],
  );
  const { value: front } = page.front;
  const isHidden = (tab: Tab | undefined): boolean => hidden.value.includes(`tab-${tab?.name}`);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    page.turn(event.key === 'ArrowLeft' ? -1 : 1);
    const head = page.headOf(page.front.value?.name);
    queueMicrotask(() => (isHidden(head) ? all.current : document.getElementById(`tab-${head?.name}`))?.focus());
  };
  return (
    <>
      <div ref={line} class="ih-tabs" role="tablist" aria-label={t('tabs')} onKeyDown={onKeyDown}>
        {page.line.value.map((tab) => (
          <TabButton key={tab.name} tab={tab} />
        ))}
      </div>
      {hidden.value.length > 0 && (
        <button
          ref={all}
          type="button"
          class="ih-tab ih-tabs-all"
          aria-haspopup="menu"
          title={t('tabs.all')}
          onClick={({ currentTarget: anchor }) => {
            page.dialog.value = { kind: 'pages', tab: '', anchor };
          }}
        >
          <span>{front && isHidden(page.headOf(front.name)) ? page.tabTitle(front) : t('tabs.all')}</span>
        </button>
      )}
    </>
  );
}

/** Tells the ids of tabs that the line has no room for, now and whenever that changes: they wrap below it. */
function watchHidden(line: HTMLElement, tell: (ids: readonly string[]) => void): () => void {
  const look = (): void => {
    const { bottom, right } = line.getBoundingClientRect();
    const tabs = [...line.children].filter((tab) => {
      const box = tab.getBoundingClientRect();
      return box.top >= bottom || box.right > right;
    });
    tell(tabs.map(({ id }) => id));
  };
  const sizes = new ResizeObserver(look);
  const children = new MutationObserver(look); // more tabs make the line no wider
  sizes.observe(line);
  children.observe(line, { childList: true, subtree: true, characterData: true });
  return () => {
    sizes.disconnect();
    children.disconnect();
  };
}

function TabButton({ tab }: { tab: Tab }) {
  const page = usePage();
  const front = page.front.value?.name;
  const group = page.groupOf(tab.name);
  const shown = group.find(({ name }) => name === front);
  const selected = shown !== undefined;
  const menu = page.menuOf(tab);
  const title = menu && !shown ? page.t.value(`group.${menu}`) : page.tabTitle((menu && shown) || tab);
  const badge = group.map(({ name }) => page.badges.value[name]).find(Boolean);
  return (
    <button
      type="button"
      id={`tab-${tab.name}`}
      class="ih-tab"
      role="tab"
      aria-selected={selected}
      aria-controls={`panel-${shown?.name ?? tab.name}`}
      aria-haspopup={menu ? 'menu' : undefined}
      tabIndex={selected ? 0 : -1}
      title={tab.error ? page.t.value('plugin.failed', { plugin: title }) : title.length > LONG ? title : undefined}
      onClick={({ currentTarget: anchor }) => {
        if (menu) page.dialog.value = { kind: 'pages', tab: tab.name, anchor };
        else page.open(tab.name);
      }}
    >
      <span>{title}</span>
      {badge && <span class="ih-badge">{badge}</span>}
      {tab.error && (
        <span class="ih-tab-warn">
          <Icon name="warn" />
        </span>
      )}
    </button>
  );
}
