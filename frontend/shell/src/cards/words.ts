/** Texts about cards outside of their tab. */
import { pluginText } from '../i18n/translate';
import type { Page } from '../state/page';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

const MESSAGES = { en, 'zh-CN': zh };

export function say(page: Page, key: keyof typeof en, values?: Readonly<Record<string, string>>): string {
  return pluginText(MESSAGES, page.preferences.locale.value, key, values);
}
