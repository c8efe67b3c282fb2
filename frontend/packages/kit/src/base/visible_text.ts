/** Escapes control characters and bidirectional marks: names come from untrusted files. */
import { Fragment, options, type VNode } from 'preact';

/** Elements whose text may have lines. */
const PROSE = /^(pre|p|div|dd|td|li|style)$/;

/** `text` with such characters as escapes, as `insight-host inspect` prints them; with `lines`, line breaks stay. */
export function visibleText(text: string, lines?: boolean): string {
  return text.replace(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu, (letter) => {
    const line = '\t\n\r'.indexOf(letter);
    if (line >= 0) return lines ? letter : `\\${'tnr'[line]}`;
    const code = letter.charCodeAt(0).toString(16);
    return code.length < 3 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Every text that Preact draws goes through `visibleText`; what is typed, and keys in `data-` attributes, stay. */
function showHidden({ type, props }: VNode<Record<string, unknown>>): void {
  if (typeof type !== 'string' && type !== Fragment) return;
  const shown = <T>(value: T, lines: boolean): T | string =>
    typeof value === 'string' ? visibleText(value, lines) : value;
  for (const name of ['title', 'aria-label', 'label']) if (props[name]) props[name] = shown(props[name], true);
  const { children } = props;
  const lines = PROSE.test(String(type));
  if (children)
    props['children'] = Array.isArray(children) ? children.map((child) => shown(child, lines)) : shown(children, lines);
}

const before = options.vnode;
options.vnode = (vnode) => {
  showHidden(vnode as VNode<Record<string, unknown>>);
  before?.(vnode);
};
