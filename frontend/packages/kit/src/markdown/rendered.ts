/** Markdown as nodes that are safe to show: no script, no style, no form, nothing that is loaded from other servers. */
import createPurifier from 'dompurify';
import { markupOf, WRITABLE } from './bounded';

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
    node.replaceWith(document.createTextNode(node.alt || (node.getAttribute('src') ?? '')));
  }
});

/** The text rendered, as nodes that are safe to insert; as it was written where it is not for Markdown. */
export function rendered(text: string): DocumentFragment {
  const markup = markupOf(text);
  if (markup !== null) {
    const found = purifier.sanitize(markup, {
      ALLOWED_TAGS: [...WRITABLE, 'del'],
      ALLOWED_ATTR: ['href', 'title', 'src', 'alt', 'align', 'start', 'colspan', 'rowspan', 'target', 'rel'],
      ALLOW_ARIA_ATTR: false,
      ALLOW_DATA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    });
    if (found.textContent?.trim() || found.querySelector('img, hr') || !text.trim()) return found;
  }
  const fragment = document.createDocumentFragment();
  const plain = fragment.appendChild(document.createElement('div'));
  plain.className = 'plain';
  plain.textContent = text;
  return fragment;
}
