/** Texts about cards outside of their tab. */
import { lateTexts } from '../i18n/translate';
import { cards as en } from '../locales/en.json';
import { cards as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });
