import { effect, type ReadonlySignal } from '@preact/signals';
import type { Theme } from '@insight-host/api';
import type { ViewUrl } from '../state/url';

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

type Mode = Theme['mode'];
const DARK = 'darkMode'; // TensorBoard's parameter; a choice that its reader has made there goes before it

/** The query and hash of an address, without the theme. */
export function placeIn({ search, hash }: Pick<Location, 'search' | 'hash'>): string {
  const parameters = new URLSearchParams(search);
  parameters.delete(DARK);
  const text = parameters.toString();
  return (text && `?${text}`) + hash;
}

/** The address of a place, which comes from a link: whatever it says, it stays within the document at `base`. */
export function addressOf(base: string, place: string, mode: Mode): string {
  const url = new URL(base);
  const cut = place.indexOf('#');
  url.search = cut < 0 ? place : place.slice(0, cut);
  url.hash = cut < 0 ? '' : place.slice(cut);
  url.searchParams.set(DARK, String(mode === 'dark'));
  return url.href;
}

export interface Surroundings {
  readonly base: string;
  readonly url: ViewUrl;
  /** Of the page's address. */
  readonly key: string;
  readonly mode: ReadonlySignal<Mode>;
  readonly visible: ReadonlySignal<boolean>;
}

/** Where the frame begins. */
export function firstAddress({ base, url, key, mode }: Surroundings): string {
  return addressOf(base, url.get(key) ?? '', mode.peek());
}

/** Keeps frame and address of the page together from its first load on; returns what ends that. */
export function keepPlace(frame: HTMLIFrameElement, { base, url, key, mode, visible }: Surroundings): () => void {
  let shown: Mode | null = null; // with which theme it was loaded; null before
  const note = (): void => {
    const inner = frame.contentWindow;
    if (inner) url.set(key, placeIn(inner.location) || null);
  };
  const onLoad = (): void => {
    const inner = frame.contentWindow;
    if (!inner || !frame.contentDocument) return; // its reader has gone to another site
    shown = new URLSearchParams(inner.location.search).get(DARK) === 'true' ? 'dark' : 'light';
    for (const name of ['pushState', 'replaceState'] as const) {
      const write = inner.history[name].bind(inner.history);
      inner.history[name] = (...state) => {
        write(...state);
        note();
      };
    }
    for (const move of ['popstate', 'hashchange']) inner.addEventListener(move, note);
    note();
  };
  frame.addEventListener('load', onLoad);
  const end = effect(() => {
    const place = url.text(key).value;
    const theme = mode.value;
    const inner = frame.contentWindow;
    if (!visible.value || shown === null || !inner || !frame.contentDocument) return;
    const here = placeIn(inner.location);
    if (place === null) note(); // an address from before it was opened, from which its reader comes back to it
    if (theme === shown && (place ?? here) === here) return;
    shown = theme;
    inner.location.replace(addressOf(base, place ?? here, theme));
  });
  return () => {
    frame.removeEventListener('load', onLoad);
    end();
  };
}
