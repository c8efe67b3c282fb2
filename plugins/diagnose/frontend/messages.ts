import en from '../insight_diagnose/locales/en.json';
import zh from '../insight_diagnose/locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
