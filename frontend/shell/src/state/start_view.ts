/** The saved view that a page without a hash opens: what the host wrote into the page, and what this browser keeps. */
import { recall } from './memory';

/** Keys of the URL and their texts. */
export type ViewState = Readonly<Record<string, string>>;

export interface StartView {
  readonly name: string;
  readonly state: ViewState;
}

/** Views of one set of logs that this browser keeps, because the host saves nothing. */
export interface BrowserViews {
  readonly views: Readonly<Record<string, ViewState>>;
  /** The one to open; null leaves that to the host. */
  readonly start: string | null;
}

interface Told {
  /** Identifies the logs of the host. */
  readonly logs?: string;
  readonly view?: StartView;
}

export const OWNER = 'views'; // of what this browser keeps; the key are the logs

export const told = (): Told => JSON.parse(document.querySelector('#start')?.textContent || '{}') as Told;

export function browserViews(logs: string): BrowserViews {
  const { views, start } = recall<Partial<BrowserViews> | null>(OWNER, logs, null) ?? {};
  return { views: views ?? {}, start: start ?? null };
}

export function startView(): StartView | null {
  const { logs = '', view = null } = told();
  const { views, start } = browserViews(logs);
  const own = start === null ? undefined : views[start];
  return start !== null && own ? { name: start, state: own } : view;
}
