import en from '../insight_reports/locales/en.json';
import zh from '../insight_reports/locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
