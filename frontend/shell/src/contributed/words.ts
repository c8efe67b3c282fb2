/** Texts about what plugins contribute. */
import { lateTexts } from '../i18n/translate';
import { contributed as en } from '../locales/en.json';
import { contributed as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
export type WordKey = Parameters<typeof words>[1];
