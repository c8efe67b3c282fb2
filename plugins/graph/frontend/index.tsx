import { tab } from '@insight-host/kit';
import { App } from './app';
import { graphParts } from './board';
import styles from './graph.css?inline';
import { keys } from './keys';
import en from '../locales/en.json';
import zh from '../locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => graphParts(page),
  view: (board) => <App board={board} />,
  keys,
});
