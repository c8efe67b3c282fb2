/** Requests to the host, relative to where the page is mounted, and its errors in the user's language. */
import type { HostError, Messages, Query, Reason } from '@insight-host/api';
import { message } from '@insight-host/kit';
import { reasonsIn, reasonText, shownLocale } from '../i18n/texts';
import { type Columns, decodeSafetensors, MalformedColumns } from './safetensors';

/** An answer that is not data. */
export class RequestError extends Error implements HostError {
  override readonly name = 'RequestError';
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  /** `message` is what the page says of the reason, or `messages`, those of a plugin, in the language of the moment. */
  constructor(
    private readonly reason: Reason,
    readonly status: number,
    messages?: Messages,
  ) {
    super(reason.error);
    Object.defineProperty(this, 'message', { get: () => reasonText(reason, shownLocale.value, messages) });
    this.code = reason.code ?? '';
    this.details = reason.details ?? {};
  }

  /** The error in an answer and its JSON; a proxy's page has none, and the status says enough. */
  static of({ status, statusText }: Response, body: unknown): RequestError {
    const { error, code, details } = (body ?? {}) as { error?: unknown; code?: unknown; details?: unknown };
    const text = error === undefined ? `${status} ${statusText}`.trim() : String(error);
    const known = details !== null && typeof details === 'object' ? (details as Record<string, unknown>) : {};
    return new RequestError({ error: text, code: typeof code === 'string' ? code : '', details: known }, status);
  }

  /** The same in the words of a plugin. */
  saidBy(messages: Messages): RequestError {
    return new RequestError(this.reason, this.status, messages);
  }
}

const FORBIDDEN = 403;

function queryText(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    if (typeof value === 'object') for (const one of value) search.append(key, one);
    else search.append(key, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}

export function href(path: string, query?: Query): string {
  return new URL(path.replace(/^\/+/, '') + queryText(query), document.baseURI).href;
}

async function answer(url: string, request: RequestInit): Promise<Response> {
  let response: Response;
  try {
    // no-cache: the browser revalidates with the ETag, and a 304 costs no body.
    response = await fetch(url, { cache: 'no-cache', ...request });
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    throw new RequestError({ error: message(cause), code: 'offline' }, 0);
  }
  await reasonsIn(document.documentElement.lang); // the answer may have some
  if (response.ok) return response;
  throw RequestError.of(response, await response.json().catch(() => null));
}

const until = (signal?: AbortSignal): RequestInit => (signal ? { signal } : {});
const LONGEST = 8000; // characters of a query that proxies still take

let known = ''; // the generation of the data that the page knows, with the name of the process that counts it

/** The page has been told of changes up to this generation: an answer that has these is new enough. */
export function noteKnown({ boot, generation }: { readonly boot?: string; readonly generation: number }): void {
  known = boot ? `${boot}-${generation}` : '';
}

/** Reads an answer. Parameters too long for a URL are sent as the body, which routes of plugins take as well. */
function read(path: string, query?: Query, signal?: AbortSignal): Promise<Response> {
  const body = queryText(query).slice(1);
  const isLong = body.length > LONGEST;
  return answer(href(path, isLong ? undefined : query), {
    ...(isLong && { method: 'POST', body: new URLSearchParams(body) }),
    ...(known && { headers: { 'X-Insight-Known': known } }),
    ...until(signal),
  });
}

/**
 * Answers by path that boot.ts asked for while the page's modules load: each is taken once, while nothing has changed.
 */
let ahead: Promise<Record<string, unknown>> | undefined = globalThis.insightStart;

/** Data have changed: what is asked for from now on is asked of the host. */
export function forgetStart(): void {
  ahead = undefined;
}

async function started<T>(path: string): Promise<T | undefined> {
  const answers = await ahead;
  const found = answers?.[path] as T | undefined;
  if (answers) delete answers[path];
  return found;
}

/** What an answer says as JSON; `path` is what was asked. */
export async function jsonOf<T>(response: Response, path: string, signal?: AbortSignal): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const error = `${new URL(href(path)).pathname}: the answer is not JSON (${String(cause)})`;
    throw new RequestError({ error, code: 'malformed' }, response.status);
  }
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const found = ahead && (await started<T>(path + queryText(query)));
  signal?.throwIfAborted();
  if (found !== undefined) return found;
  return jsonOf(await read(path, query, signal), path, signal);
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return (await read(path, undefined, signal)).text();
}

export async function getColumns(path: string, query?: Query, signal?: AbortSignal): Promise<Columns> {
  return decodeSafetensors(await (await read(path, query, signal)).arrayBuffer());
}

/** The parts of an answer that comes in parts: the length of each as 32 bits, then its columns. */
export async function* getFrames(path: string, query?: Query, signal?: AbortSignal): AsyncGenerator<Columns> {
  const reader = ((await read(path, query, signal)).body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let held = new Uint8Array(0); ;) {
      const end = held.length < 4 ? Infinity : 4 + new DataView(held.buffer).getUint32(0, true);
      if (held.length >= end) {
        yield decodeSafetensors(held.slice(4, end).buffer);
        held = held.slice(end);
        continue;
      }
      const { done, value } = await reader.read();
      if (done && held.length > 0) throw new MalformedColumns('the answer is cut off between its parts');
      if (done) return;
      const more = new Uint8Array(held.length + value.length);
      more.set(held);
      more.set(value, held.length);
      held = more;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

export type Writing = RequestInit & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Sends `request` with the token of the host. A host that was started again has another one: `refresh` reads it, and
 * the request is sent again.
 */
export async function sendWithToken(
  token: () => string,
  refresh: () => Promise<unknown>,
  url: string,
  request: Writing,
): Promise<Response> {
  const before = token();
  const send = (): Promise<Response> =>
    answer(url, { ...request, headers: { ...request.headers, 'X-Insight-Token': token() } });
  try {
    return await send();
  } catch (cause) {
    if (!(cause instanceof RequestError) || cause.status !== FORBIDDEN) throw cause;
    await refresh();
    if (token() === before) throw cause;
    return send();
  }
}
