/** The tab as a command of the palette. */
import { API, type Contributions } from '@insight-host/api';
import { messages } from './messages';

export default {
  apiVersion: API,
  messages,
  commands: [{ text: 'command', run: (ctx) => void ctx.open('query') }],
} satisfies Contributions;
