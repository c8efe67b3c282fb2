/** Markdown as markup that is safe to show: no script, no style, no form, nothing that is loaded from other servers. */
import createPurifier from 'dompurify';
import { marked } from 'marked';
import styles from './markdown.css?inline';

/** CSS text of what is rendered, in an element of the class `markdown`. */
export const markdownStyles: string = styles;

const FORBIDDEN_TAGS = [
  'style',
  'form',
  'input',
  'button',
  'textarea',
  'select',
  'option',
  'dialog',
  'svg',
  'math',
  'audio',
  'video',
  'source',
  'picture',
  'template',
  'slot',
];
const FORBIDDEN_ATTRIBUTES = [
  'style',
  'class',
  'id',
  'name',
  'srcset',
  'popover',
  'popovertarget',
  'tabindex',
  'autofocus',
  'accesskey',
  'contenteditable',
];
const MOST = 500_000; // characters that are rendered; longer texts are shown as they are

// Of this module alone: hooks of another plugin's sanitiser do not apply here.
const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) {
    // no link within the page either: it would change its state
    if (!/^(https?|mailto):/i.test(node.getAttribute('href') ?? '')) node.removeAttribute('href');
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  if (node instanceof HTMLImageElement && !/^data:image\/(png|jpeg|gif|webp);/i.test(node.getAttribute('src') ?? '')) {
    node.replaceWith(document.createTextNode(node.alt));
  }
});

/** Whether a text is short enough to be rendered. */
export const isRenderable = (text: string): boolean => text.length <= MOST;

/** The text rendered, as nodes that are safe to insert. */
export function rendered(text: string): DocumentFragment {
  const html = marked.parse(text, { async: false, gfm: true });
  return purifier.sanitize(html, {
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: FORBIDDEN_ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
