import { tab } from '@insight-host/kit';
import styles from './alerts.css?inline';
import { AlertList } from './list';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles,
  board: (page) => ({ page }),
  view: ({ page }) => <AlertList page={page} />,
  keys: () => [],
});
