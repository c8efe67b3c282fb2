/** The tab: the lowest loss of each selected run. */
import { tab } from '@insight-host/kit';
import en from './locales/en.json';
import zh from './locales/zh-CN.json';
import { Rows } from './rows';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: '',
  board: (page) => ({ page }),
  view: ({ page }) => (
    <div class="kit">
      <Rows page={page} />
    </div>
  ),
  keys: () => [],
});
