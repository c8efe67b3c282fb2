/** Texts of the menus of the run panel. */
import { lateTexts } from '../i18n/translate';
import { panel as en } from '../locales/en.json';
import { panel as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
