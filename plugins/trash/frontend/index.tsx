import { tab } from '@insight-host/kit';
import { MovedList } from './list';
import { messages } from './messages';
import styles from './trash.css?inline';

export default tab({
  messages,
  styles,
  board: (page) => ({ page }),
  view: ({ page }) => <MovedList page={page} />,
  keys: () => [],
});
