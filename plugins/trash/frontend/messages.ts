import en from '../insight_trash/locales/en.json';
import zh from '../insight_trash/locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
