/** Errors of the host, in the user's language. */
import type { HostError, Messages, Reason } from '@insight-host/api';
import { reasonText, shownLocale } from '../i18n/reasons';

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
