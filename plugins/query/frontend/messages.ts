import en from '../insight_query/locales/en.json';
import zh from '../insight_query/locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
