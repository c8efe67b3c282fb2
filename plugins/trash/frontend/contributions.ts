/** "Move to trash" in the menus of runs. */
import { API, type Contributions } from '@insight-host/api';
import { confirm } from './confirmation';
import { messages } from './messages';

export default {
  apiVersion: API,
  messages,
  runActions: [{ id: 'move', text: 'action', run: confirm }],
} satisfies Contributions;
