/** Texts of the choice of colours. */
import { lateTexts } from '../i18n/translate';
import { coloring as en } from '../locales/en.json';
import { coloring as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
export type WordKey = Parameters<typeof words>[1];
