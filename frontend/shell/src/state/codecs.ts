/** Shared codecs of the view state. */
import type { Codec } from '@insight-host/api';

export const textCodec: Codec<string> = {
  parse: (text) => text ?? '',
  format: (value) => value || null,
};

export function choiceCodec<T extends string>(choices: readonly T[], fallback: T): Codec<T> {
  return {
    parse: (text) => (choices.includes(text as T) ? (text as T) : fallback),
    format: (value) => (value === fallback ? null : value),
  };
}

/** Names joined by commas; a comma or backslash inside a name is escaped by a backslash. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => name.replace(/[\\,]/g, '\\$&')).join(',');
}

export function splitNames(text: string): string[] {
  if (text === '') return [];
  const names: string[] = [];
  let name = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (letter === '\\' && at + 1 < text.length) name += text[++at];
    else if (letter === ',') {
      names.push(name);
      name = '';
    } else name += letter;
  }
  names.push(name);
  return names;
}
