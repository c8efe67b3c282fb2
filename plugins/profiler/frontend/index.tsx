import { tab } from '@insight-host/kit';
import { App } from './app';
import { profilerParts } from './board';
import { keys } from './keys';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';
import styles from './profiler.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: profilerParts,
  view: (board) => <App board={board} />,
  keys,
});
