/** Errors of the host, in the user's language. */
import type { HostError } from '@insight-host/api';
import { errorText } from '../i18n/translate';

/** An answer that is not data. */
export class RequestError extends Error implements HostError {
  override readonly name = 'RequestError';

  /** `text` is the server's own, in English: shown where the page has none for the `code`. */
  constructor(
    text: string,
    readonly status: number,
    readonly code = '',
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(errorText(document.documentElement.lang, code, text, details));
  }

  /** The error in an answer and its JSON; a proxy's page has none, and the status says enough. */
  static of({ status, statusText }: Response, body: unknown): RequestError {
    const { error, code, details } = (body ?? {}) as { error?: unknown; code?: unknown; details?: unknown };
    const text = error === undefined ? `${status} ${statusText}`.trim() : String(error);
    const known = details !== null && typeof details === 'object' ? (details as Record<string, unknown>) : {};
    return new RequestError(text, status, typeof code === 'string' ? code : '', known);
  }
}
