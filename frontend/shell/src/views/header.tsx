/** The header: name, tabs, and page-wide settings. */
import { Icon } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { keyLabel } from '../plugin/shortcuts';
import { usePage } from '../state/page';
import type { Tab } from '../state/session';
import { IconButton } from './parts';

export function Header() {
  const page = usePage();
  const t = page.t.value;
  const open = page.sidebarOpen.value;
  return (
    <header class="ih-header">
      <IconButton
        icon="sidebar"
        disabled={!page.hasSidebar.value}
        aria-expanded={open && page.hasSidebar.value}
        label={t(open ? 'runs.collapse' : 'runs.expand')}
        onClick={() => {
          page.sidebarOpen.value = !open;
        }}
      />
      <h1 class="ih-name" title={page.title.value}>
        {page.title.value}
      </h1>
      <Tabs />
      <div class="ih-header-tools">
        <button
          type="button"
          class="ih-button ih-command"
          aria-label={`${t('command.open')} ${keyLabel('Mod+k')}`}
          title={t('command.open')}
          onClick={() => {
            page.dialog.value = { kind: 'palette' };
          }}
        >
          <Icon name="search" />
          <kbd>{keyLabel('Mod+k')}</kbd>
        </button>
        <IconButton
          icon="bookmark"
          data-action="views"
          label={t('views.title')}
          onClick={() => {
            page.dialog.value = { kind: 'views' };
          }}
        />
        <IconButton
          icon="more"
          data-action="page"
          aria-haspopup="menu"
          label={t('page.menu')}
          onClick={({ currentTarget: anchor }) => {
            page.dialog.value = { kind: 'page', anchor };
          }}
        />
      </div>
    </header>
  );
}

const LONG = 24; // letters of a title that fit in a tab

/** The tabs in one line. Tabs that do not fit can be scrolled to, and a menu lists all. */
export function Tabs() {
  const page = usePage();
  const t = page.t.value;
  const line = useRef<HTMLDivElement>(null);
  const hidden = useSignal({ before: false, after: false });
  useLayoutEffect(
    () => (line.current ? watchEnds(line.current, (found) => void (hidden.value = found)) : undefined),
    [],
  );
  const { before, after } = hidden.value;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    page.turn(event.key === 'ArrowLeft' ? -1 : 1);
    queueMicrotask(() => document.getElementById(`tab-${page.headOf(page.front.value?.name)?.name}`)?.focus());
  };
  return (
    <>
      <div
        ref={line}
        class={`ih-tabs${before ? ' ih-more-before' : ''}${after ? ' ih-more-after' : ''}`}
        role="tablist"
        aria-label={t('tabs')}
        onKeyDown={onKeyDown}
      >
        {page.line.value.map((tab) => (
          <TabButton key={tab.name} tab={tab} />
        ))}
      </div>
      {(before || after) && (
        <IconButton
          icon="more"
          label={t('tabs.all')}
          onClick={() => {
            page.dialog.value = { kind: 'palette' };
          }}
        />
      )}
    </>
  );
}

/** Says what the ends of a scrolled line hide, now and whenever that changes; a wheel moves it sideways. */
function watchEnds(line: HTMLElement, tell: (hidden: { before: boolean; after: boolean }) => void): () => void {
  const look = (): void => {
    tell({ before: line.scrollLeft > 1, after: line.scrollLeft + line.clientWidth < line.scrollWidth - 1 });
  };
  const onWheel = (event: WheelEvent): void => {
    if (event.deltaX !== 0 || event.ctrlKey || line.scrollWidth <= line.clientWidth) return;
    event.preventDefault();
    line.scrollLeft += event.deltaY;
  };
  const sizes = new ResizeObserver(look);
  const children = new MutationObserver(look); // more tabs make the line no wider
  sizes.observe(line);
  children.observe(line, { childList: true, subtree: true, characterData: true });
  line.addEventListener('scroll', look, { passive: true });
  line.addEventListener('wheel', onWheel, { passive: false });
  return () => {
    sizes.disconnect();
    children.disconnect();
    line.removeEventListener('scroll', look);
    line.removeEventListener('wheel', onWheel);
  };
}

function TabButton({ tab }: { tab: Tab }) {
  const page = usePage();
  const button = useRef<HTMLButtonElement>(null);
  const front = page.front.value?.name;
  const group = page.groupOf(tab.name);
  const shown = group.find(({ name }) => name === front);
  const selected = shown !== undefined;
  const menu = page.menuOf(tab);
  const title = menu && !shown ? page.t.value(`group.${menu}`) : page.tabTitle((menu && shown) || tab);
  const badge = group.map(({ name }) => page.badges.value[name]).find(Boolean);
  useEffect(() => {
    if (selected) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <button
      ref={button}
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
