/** What this tab adds to the palette before it is opened; its texts are here alone, so that no module is shared for them. */
import { API, type Contributions } from '@insight-host/api';

export default {
  apiVersion: API,
  // as `first.title` of the tab
  messages: { en: { first: 'Find the first step where…' }, 'zh-CN': { first: '查找首次出现的步…' } },
  commands: [{ text: 'first', run: (ctx) => void ctx.open('scalar', { dialog: 'first' }) }],
} satisfies Contributions;
