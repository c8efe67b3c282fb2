/** Texts of saved views. */
import { lateTexts } from '../i18n/translate';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
export type WordKey = Parameters<typeof words>[1];
