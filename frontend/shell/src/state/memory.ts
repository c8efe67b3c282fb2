/** Settings stored in this browser, by owner (`page` or a plugin's name). Works without storage, too. */

const at = (owner: string, key: string): string => `insight-host.${owner}.${key}`;

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
