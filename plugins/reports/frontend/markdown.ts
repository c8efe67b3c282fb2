/** Markdown of a report as nodes that are safe to insert: no script, no form, nothing that is loaded from other servers. */
import createPurifier from 'dompurify';
import { marked } from 'marked';

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) {
    if (!/^(https?|mailto):/i.test(node.getAttribute('href') ?? '')) node.removeAttribute('href'); // no link within the page: it would change its state
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  if (node instanceof HTMLImageElement && !/^data:image\/(png|jpeg|gif|webp);/i.test(node.getAttribute('src') ?? ''))
    node.replaceWith(document.createTextNode(node.alt));
});

const ALLOWED =
  'h1 h2 h3 h4 h5 h6 p br hr a b i em strong del code pre blockquote ul ol li table thead tbody tr th td img';

export function rendered(text: string): DocumentFragment {
  return purifier.sanitize(marked.parse(text, { async: false, gfm: true }), {
    ALLOWED_TAGS: ALLOWED.split(' '),
    ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'align', 'start', 'target', 'rel'],
    RETURN_DOM_FRAGMENT: true,
  });
}
