/** Texts of views that the first paint does not need. */
import { lateTexts } from '../i18n/translate';
import { views as en } from '../locales/en.json';
import { views as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
