/** What a plugin sends to a route of its own that writes. */
import { jsonOf } from '../data/http';
import type { Page } from '../state/page';

/** Sends `body` as JSON with the token of the host; what is answered, null if that has no body. */
export async function posted<T>(page: Page, url: string, body: unknown, signal: AbortSignal): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await page.session.annotations.sendTo(url, { method: 'POST', signal, ...sent });
  const isEmpty = (await response.clone().text()) === '';
  return isEmpty ? (null as T) : jsonOf(response, url, signal);
}
