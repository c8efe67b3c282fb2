/**
 * Says why the page stays empty when its modules cannot be loaded: an import map that a proxy's policy blocks, or a
 * host that was updated meanwhile. A script of its own, for neither case leaves any other.
 */
const TEXTS = [
  'The page could not be loaded. If reloading does not help, a proxy or extension probably changes the ' +
    'page or its Content-Security-Policy: the inline import map must be allowed.',
  '页面无法加载。如果重新加载无效，可能是代理或扩展修改了页面或其 Content-Security-Policy：必须允许内联的 import map。',
];

export function guard(): void {
  const explain = (event: Event): void => {
    const page = document.getElementById('page');
    if (!page || page.hasChildNodes()) return; // the page runs and shows its errors itself
    const reason =
      event instanceof ErrorEvent ? event.message : event.target instanceof HTMLScriptElement ? event.target.src : '';
    for (const text of [...TEXTS, reason])
      page.append(Object.assign(document.createElement('p'), { textContent: text }));
    page.dataset['testid'] = 'blocked';
    event.preventDefault(); // the page shows the error itself
  };
  addEventListener('error', explain, true); // a script's failure does not bubble
}
