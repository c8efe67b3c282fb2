/** The header: name, tabs, and page-wide settings. */
import { Icon } from '@insight-host/kit';
import { keyLabel } from '../plugin/shortcuts';
import { usePage } from '../state/page';
import { Tabs } from './tabs';
import { IconButton } from './icon_button';

export function Header() {
  const page = usePage();
  const t = page.t.value;
  const { preferences } = page;
  const open = page.sidebarOpen.value;
  const choice = preferences.themeChoice.value;
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
        <div class="ih-segmented ih-small" role="group" aria-label={t('locale')}>
          <button
            type="button"
            lang="zh-CN"
            aria-pressed={preferences.locale.value === 'zh-CN'}
            onClick={() => preferences.setLocale('zh-CN')}
          >
            中
          </button>
          <button
            type="button"
            lang="en"
            aria-pressed={preferences.locale.value === 'en'}
            onClick={() => preferences.setLocale('en')}
          >
            EN
          </button>
        </div>
        <IconButton
          icon={choice === 'light' ? 'sun' : choice === 'dark' ? 'moon' : 'system'}
          data-theme-choice={choice}
          label={`${t('theme')}: ${t(`theme.${choice}`)}`}
          onClick={() => preferences.cycleTheme()}
        />
      </div>
    </header>
  );
}
