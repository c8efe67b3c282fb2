import { tab } from '@insight-host/kit';
import { tableStyles } from '@insight-host/kit/table';
import { App } from './app';
import { QueryBoard } from './board';
import { messages } from './messages';
import styles from './query.css?inline';

export default tab({
  messages,
  styles: tableStyles + styles,
  board: (page) => new QueryBoard(page),
  view: (board) => <App board={board} />,
  keys: () => [],
});
