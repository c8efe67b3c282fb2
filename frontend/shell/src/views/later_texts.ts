/** Texts of what the first paint does not need: they come with its code. */
import { addTexts } from '../i18n/translate';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

addTexts({ en, 'zh-CN': zh });
