/** What the browser has of the page: the hash of its address, settings that it keeps, and the view that it opens. */

/** Keys that say how runs look. */
export const LOOK_KEYS = ['color', 'group', 'dash', 'colors', 'palette', 'scale', 'shades'];

/** Encodes only what would end a key or a value, so that links stay readable. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|3A|2C|3B|40|24|5B|5D|7C|5C)/g, (part) => decodeURIComponent(part));
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text; // a hand-edited URL with a bare percent sign
  }
}

export function parseHash(hash: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const part of hash.replace(/^#/, '').split('&')) {
    if (!part) continue;
    const cut = part.indexOf('=');
    entries.set(decodePart(cut < 0 ? part : part.slice(0, cut)), cut < 0 ? '' : decodePart(part.slice(cut + 1)));
  }
  return entries;
}

export function formatHash(entries: ReadonlyMap<string, string>): string {
  const parts = [...entries].map(([key, value]) => `${encodePart(key)}=${encodePart(value)}`);
  return parts.length ? `#${parts.join('&')}` : '';
}

const at = (owner: string, key: string): string => `insight-host.${owner}.${key}`;

/** A setting stored in this browser, by owner (`page` or a plugin's name); `fallback` also without storage. */
export function recall<T>(owner: string, key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(at(owner, key));
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function remember(owner: string, key: string, value: unknown): void {
  try {
    localStorage.setItem(at(owner, key), JSON.stringify(value));
  } catch {
    // private window or full storage: the choice lasts as long as the page
  }
}

/** Keys of the URL and their texts. */
export type ViewState = Readonly<Record<string, string>>;

export interface StartView {
  readonly name: string;
  readonly state: ViewState;
}

/** Views of one set of logs that this browser keeps, because the host saves nothing. */
interface BrowserViews {
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

/** The saved view that a page without a hash opens. */
export function startView(): StartView | null {
  const { logs = '', view = null } = told();
  const { views, start } = browserViews(logs);
  const own = start === null ? undefined : views[start];
  return start !== null && own ? { name: start, state: own } : view;
}
