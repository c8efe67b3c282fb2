import type { TabProps } from '@insight-host/kit';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

/** Texts of `HistogramParts` and its cards, for the catalogues of tabs that have them. */
export const histogramMessages: TabProps<never>['messages'] = { en, 'zh-CN': zh };
