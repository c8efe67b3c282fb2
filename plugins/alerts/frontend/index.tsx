import { tab } from '@insight-host/kit';
import styles from './alerts.css?inline';
import { AlertList } from './list';
import { messages } from './messages';

export default tab({
  messages,
  styles,
  board: (page) => ({ page }),
  view: ({ page }) => <AlertList page={page} />,
  keys: () => [],
});
