/** Texts of saved views. */
import { lateTexts } from '../i18n/translate';
import { saved_views as en } from '../locales/en.json';
import { saved_views as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
export type WordKey = Parameters<typeof words>[1];
