/** Saves answers of the host as files. */

const LONGEST = 8000; // characters of a URL that proxies still take
const FRAME = 'scalar-saving';

/** Whether a link can have this address. */
export function fitsLink(href: string): boolean {
  return href.length <= LONGEST;
}

/**
 * Has the browser save the answer to these parameters, sent as a form. The host names the file (`download=NAME`); an
 * error is shown nowhere but keeps the page.
 */
export function saveByForm(href: string): void {
  const { origin, pathname, searchParams } = new URL(href);
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', action: origin + pathname, target: FRAME });
  for (const [name, value] of searchParams)
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  if (!document.querySelector(`iframe[name="${FRAME}"]`))
    document.body.append(Object.assign(document.createElement('iframe'), { name: FRAME, hidden: true }));
  document.body.append(form);
  form.submit();
  form.remove();
}
