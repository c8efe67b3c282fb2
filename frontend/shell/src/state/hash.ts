/** The URL's hash as text and as entries: `#tab=scalar&runs=a;b&scalar.x=relative`. */

/** Keys that say how runs look. */
export const LOOK_KEYS = ['color', 'group', 'dash', 'colors', 'palette', 'scale', 'shades'];

/** Encodes only what would end a key or a value, so that links stay readable. */
export function encodePart(text: string): string {
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
