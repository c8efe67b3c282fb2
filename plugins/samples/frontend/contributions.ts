/** Samples beyond the tab: in the palette and in the menu of a run. */
import { API, type Contributions } from '@insight-host/api';
import en from '../insight_samples/locales/en.json';
import zh from '../insight_samples/locales/zh-CN.json';

export default {
  apiVersion: API,
  messages: { en, 'zh-CN': zh },
  commands: [{ text: 'command', run: (ctx) => void ctx.open('samples') }],
  runActions: [{ id: 'samples', text: 'command.run', run: (run, ctx) => void ctx.open('samples', { run }) }],
} satisfies Contributions;
