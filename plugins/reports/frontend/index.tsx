import { tab } from '@insight-host/kit';
import { markdownStyles } from '@insight-host/kit/markdown';
import { App } from './app';
import { reportParts } from './board';
import { messages } from './messages';
import styles from './reports.css?inline';

export default tab({
  messages,
  styles: markdownStyles + styles,
  board: reportParts,
  view: (board) => <App board={board} />,
  keys: () => [],
});
