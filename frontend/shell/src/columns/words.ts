/** Texts of the run table and its columns, which come with them. */
import { pluginText, type Values } from '../i18n/translate';
import type { Page } from '../state/page';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

const MESSAGES = { en, 'zh-CN': zh };

/** A text in the language of the page. */
export function words(page: Page, key: keyof typeof en, values?: Values): string {
  return pluginText(MESSAGES, page.preferences.locale.value, key, values);
}
