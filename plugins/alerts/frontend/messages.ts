import en from '../insight_alerts/locales/en.json';
import zh from '../insight_alerts/locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
