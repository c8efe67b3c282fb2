/** Texts of the run table and its columns. */
import { runTexts } from '@insight-host/kit/runs';
import { lateTexts } from '../i18n/translate';
import { columns as en } from '../locales/en.json';
import { columns as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en: { ...runTexts.en, ...en }, 'zh-CN': { ...runTexts['zh-CN'], ...zh } });
