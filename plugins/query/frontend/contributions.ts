/** The tab as a command of the palette. */
import { API, type Contributions } from '@insight-host/api';
import en from '../insight_query/locales/en.json';
import zh from '../insight_query/locales/zh-CN.json';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [{ text: 'command', run: (ctx) => void ctx.open('query') }],
} satisfies Contributions;
