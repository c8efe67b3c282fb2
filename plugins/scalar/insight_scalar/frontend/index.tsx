import { cardStyles, tab } from '@insight-host/kit';
import { App } from './app';
import { ScalarBoard } from './board';
import { keys } from './keys';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import styles from './scalars.css?inline';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: ({ ctx }) => new ScalarBoard(ctx),
  view: (board) => <App board={board} />,
  keys,
});
