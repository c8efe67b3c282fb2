/** Menus of the header: the pages of a group of tabs, and settings of the page. */
import { type MenuItem, Popover } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import type { ComponentChildren } from 'preact';
import { lateTexts } from '../i18n/texts';
import { palette as en } from '../locales/en.json';
import { palette as zh } from '../locales/zh-CN.json';
import { usePage } from '../state/page';
import { THEMES } from '../state/preferences';

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

/** The pages of a group of tabs. */
export function PagesMenu({ tab, anchor }: { readonly tab: string; readonly anchor: HTMLButtonElement }) {
  const page = usePage();
  const items = page.groupOf(tab).map((one) => ({
    action: one.name,
    text: page.badged(one),
    onPress: () => page.open(one.name),
  }));
  return <Menu anchor={anchor} label={anchor.textContent} items={items} side="below-left" />;
}

/** Language, theme and the list of keys. */
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
      text: chosen(words(page, `command.theme.${theme}`), preferences.themeChoice.value === theme),
      onPress: () => preferences.setTheme(theme),
    })),
    {
      action: 'keyboard',
      text: page.t.value('keyboard.help'),
      onPress: () => void (page.dialog.value = { kind: 'keyboard' }),
    },
  ];
  return <Menu anchor={anchor} label={anchor.title} items={items} side="below-right" />;
}
