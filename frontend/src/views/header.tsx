/** The top of the page: its name, the tabs, and what applies everywhere. */
import { useEffect, useRef } from 'preact/hooks';
import { keyLabel } from '../plugin/shortcuts';
import { usePage } from '../state/page';
import type { Tab } from '../state/session';
import { Icon } from './icon';

export function Header() {
  const page = usePage();
  const t = page.t.value;
  const { preferences } = page;
  const open = page.sidebarOpen.value;
  const choice = preferences.themeChoice.value;
  return (
    <header class="ih-header">
      <button
        type="button"
        class="ih-button ih-quiet ih-square"
        disabled={!page.hasSidebar.value}
        aria-expanded={open && page.hasSidebar.value}
        aria-label={t(open ? 'runs.collapse' : 'runs.expand')}
        title={t(open ? 'runs.collapse' : 'runs.expand')}
        onClick={() => {
          page.sidebarOpen.value = !open;
        }}
      >
        <Icon name="sidebar" />
      </button>
      <h1 class="ih-name" title={page.title.value}>
        {page.title.value}
      </h1>
      <Tabs />
      <div class="ih-header-tools">
        <button
          type="button"
          class="ih-button ih-command"
          aria-label={t('command.open')}
          title={t('command.open')}
          onClick={() => {
            page.dialog.value = { kind: 'palette' };
          }}
        >
          <Icon name="search" />
          <kbd>{keyLabel('Mod+k')}</kbd>
        </button>
        <div class="ih-segmented ih-small" role="group" aria-label={t('locale')}>
          <button type="button" lang="zh-CN" aria-pressed={preferences.locale.value === 'zh-CN'} onClick={() => preferences.setLocale('zh-CN')}>
            中
          </button>
          <button type="button" lang="en" aria-pressed={preferences.locale.value === 'en'} onClick={() => preferences.setLocale('en')}>
            EN
          </button>
        </div>
        <button
          type="button"
          class="ih-button ih-quiet ih-square"
          data-theme-choice={choice}
          aria-label={`${t('theme')}: ${t(`theme.${choice}`)}`}
          title={`${t('theme')}: ${t(`theme.${choice}`)}`}
          onClick={() => preferences.cycleTheme()}
        >
          <Icon name={choice === 'light' ? 'sun' : choice === 'dark' ? 'moon' : 'system'} />
        </button>
      </div>
    </header>
  );
}

function Tabs() {
  const page = usePage();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    page.turn(event.key === 'ArrowLeft' ? -1 : 1);
    queueMicrotask(() => document.getElementById(`tab-${page.front.value?.name}`)?.focus());
  };
  return (
    <div class="ih-tabs" role="tablist" aria-label={page.t.value('tabs')} onKeyDown={onKeyDown}>
      {page.tabs.value.map((tab) => (
        <TabButton key={tab.name} tab={tab} />
      ))}
    </div>
  );
}

function TabButton({ tab }: { tab: Tab }) {
  const page = usePage();
  const button = useRef<HTMLButtonElement>(null);
  const selected = page.front.value?.name === tab.name;
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
      aria-controls={`panel-${tab.name}`}
      tabIndex={selected ? 0 : -1}
      title={tab.error ? page.t.value('plugin.failed', { plugin: page.tabTitle(tab) }) : undefined}
      onClick={() => page.open(tab.name)}
    >
      {page.tabTitle(tab)}
      {tab.error && (
        <span class="ih-tab-warn">
          <Icon name="warn" />
        </span>
      )}
    </button>
  );
}
