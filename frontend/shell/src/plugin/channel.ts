/**
 * The page's end of TensorBoard's message channel to a plugin in a frame.
 *
 * The guest posts `experimental.bootstrap` with a port to its parent. Over that port go JSON texts
 * `{type, id, payload, error, isReply}`; a reply has type and id of what it answers.
 */
export const BOOTSTRAP = 'experimental.bootstrap';

interface Message {
  readonly type: string;
  readonly id: number;
  readonly payload?: unknown;
  readonly error?: string | null;
  readonly isReply: boolean;
}

export class FrameChannel {
  private port: MessagePort | null = null;
  private last = -1;

  /** `answers` has the reply to each request type; other types get null, as in TensorBoard. */
  constructor(private readonly answers: Readonly<Record<string, () => unknown>>) {}

  /** Uses this port from now on: a frame that reloads sends a new one. */
  connect(port: MessagePort): void {
    this.close();
    this.port = port;
    port.onmessage = ({ data }) => {
      const message = parsed(data);
      if (message && !message.isReply) port.postMessage(JSON.stringify(this.reply(message)));
    };
  }

  /** Nobody hears it before the guest has connected: it then asks by itself. */
  tell(type: string, payload?: unknown): void {
    this.last += 1;
    this.port?.postMessage(
      JSON.stringify({ type, id: this.last, payload, error: null, isReply: false } satisfies Message),
    );
  }

  close(): void {
    this.port?.close();
    this.port = null;
  }

  private reply({ type, id }: Message): Message {
    const reply = { type, id, isReply: true };
    try {
      const answer = Object.hasOwn(this.answers, type) ? this.answers[type]?.() : null;
      return { ...reply, payload: answer ?? null, error: null };
    } catch (cause) {
      return { ...reply, payload: null, error: String(cause) };
    }
  }
}

function parsed(data: unknown): Message | null {
  try {
    const message = JSON.parse(String(data)) as Partial<Message> | null;
    return typeof message?.type === 'string' && typeof message.id === 'number' ? (message as Message) : null;
  } catch {
    return null; // guests may send anything; malformed messages get no answer
  }
}
