/** Menus of the header: the pages of a group of tabs, and settings of the page. */
import { type MenuItem, Popover } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import type { ComponentChildren } from 'preact';
import { lateTexts } from '../i18n/texts';
import { palette as en } from '../locales/en.json';
import { palette as zh } from '../locales/zh-CN.json';
import { type Page, usePage } from '../state/page';
import { THEMES } from '../state/preferences';
import type { Tab } from '../state/session';
import { isFile, words as docWords } from './docs';

const LANGUAGES = [
  ['zh-CN', '中文'],
  ['en', 'English'],
] as const;

const words = lateTexts({ en, 'zh-CN': zh });

interface MenuProps {
  readonly anchor: HTMLButtonElement;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Which edges of the menu and of its button are in line. */
  readonly side: 'below-left' | 'below-right';
  readonly children?: ComponentChildren;
}

/** A menu that is a dialog of the page; what is chosen closes it. */
export function Menu({ anchor, label, items, side, children }: MenuProps) {
  const page = usePage();
  const close = (): void => void (page.dialog.value = null);
  return (
    <div class="kit ih-menu-place">
      <Popover anchor={{ current: anchor }} class="menu" role="menu" label={label} side={side} onClose={close}>
        {menuItems(items, close)}
        {children}
      </Popover>
    </div>
  );
}

const entry = (page: Page, tab: Tab): MenuItem => ({
  action: tab.name,
  text: page.badged(tab),
  onPress: () => page.open(tab.name),
});

/** The pages of a group of tabs; without a tab all pages. */
export function PagesMenu({ tab, anchor }: { readonly tab: string; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const heads = page.line.value.flatMap((head) => page.groupOf(head.name));
  const items = (tab ? page.groupOf(tab) : heads).map((one) => entry(page, one));
  return <Menu anchor={anchor} label={anchor.title || anchor.textContent} items={items} side="below-left" />;
}

/** Tabs that few look for, language, theme and the list of keys. */
export function PageMenu({ anchor }: { readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const { preferences } = page;
  const chosen = (text: string, isChosen: boolean): string => (isChosen ? `✓ ${text}` : text);
  const items: readonly MenuItem[] = [
    ...page.tabs.value.filter(({ tab_group }) => tab_group === 'more').map((tab) => entry(page, tab)),
    ...(isFile()
      ? []
      : [
          {
            action: 'docs',
            text: docWords(page, 'docs'),
            onPress: () => void (page.dialog.value = { kind: 'docs', path: '' }),
          },
        ]),
    ...LANGUAGES.map(([locale, name]) => ({
      action: `locale-${locale}`,
      text: chosen(name, preferences.locale.value === locale),
      onPress: () => preferences.setLocale(locale),
    })),
    ...THEMES.map((theme) => ({
      action: `theme-${theme}`,
      text: chosen(words(page, `command.theme.${theme}`), preferences.themeChoice.value === theme),
      onPress: () => preferences.setTheme(theme),
    })),
    {
      action: 'keyboard',
      text: words(page, 'command.keyboard'),
      onPress: () => void (page.dialog.value = { kind: 'keyboard' }),
    },
  ];
  return <Menu anchor={anchor} label={anchor.title} items={items} side="below-right" />;
}
