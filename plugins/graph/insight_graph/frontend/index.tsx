import { tab } from '@insight-host/kit';
import { App } from './app';
import { GraphBoard } from './board';
import styles from './graph.css?inline';
import { keys } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: ({ ctx }) => new GraphBoard(ctx),
  view: (board) => <App board={board} />,
  keys,
});
