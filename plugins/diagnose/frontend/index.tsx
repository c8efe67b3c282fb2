import { tab } from '@insight-host/kit';
import { FindingsBoard } from './board';
import styles from './diagnose.css?inline';
import { FindingsList } from './list';
import { messages } from './messages';

export default tab({
  messages,
  styles,
  board: (page) => new FindingsBoard(page),
  view: (board) => <FindingsList board={board} />,
  keys: () => [],
});
