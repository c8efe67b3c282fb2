import type { TabProps } from '@insight-host/kit/lab';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

/** Texts of sliders and of times, for the catalogues of tabs that have them. */
export const stepMessages: TabProps<never>['messages'] = { en, 'zh-CN': zh };
