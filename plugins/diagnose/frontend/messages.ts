import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';

export const messages = { en, 'zh-CN': zh };
